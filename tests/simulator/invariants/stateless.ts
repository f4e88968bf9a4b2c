// Checks that what the core calls stateless is: an answer that a host may give again is the same each time the core is
// asked (`replies.wit`).

import type { Input, replies } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { Invariant, Seen } from "./invariant.js";

const decoder = new TextDecoder();

export class Stateless implements Invariant {
  /** By what the answer may follow from, besides options and settings. */
  readonly #answers = new Map<string, string>();

  stepped({ input, outputs }: Seen): void {
    // The options of `open` may be others, too.
    if (input === null || input.tag === "reloaded") this.#answers.clear();
    if (input?.tag !== "request" || input.val.body.tag !== "none") return;
    for (const { request, command } of outputs.replies) {
      if (request !== input.val.id || command.tag !== "whole" || !command.val.stateless) continue;
      this.#answered(input, command.val);
    }
  }

  #answered({ val: { listener, method, target, headers } }: Input & { tag: "request" }, answer: replies.Whole): void {
    const asked = JSON.stringify([listener, method, target, headers]);
    const said = JSON.stringify([answer.head, decoder.decode(answer.body)]);
    const before = this.#answers.get(asked) ?? said;
    if (said !== before) throw new Breach("stateless", `${method} ${target} has two answers:\n${before}\n${said}`);
    this.#answers.set(asked, said);
  }
}
