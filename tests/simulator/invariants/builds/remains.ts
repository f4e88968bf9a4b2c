// Checks that nothing of an ended build is left: at rest no container of a step, and no secret of a client's session at any time
// in a record, an answer or a snapshot.

import { SECRET } from "../../clients/build-contexts.js";
import { Breach } from "../../breach.js";
import { wordOf } from "../../ledger.js";
import type { AtRest, Invariant, Seen } from "../invariant.js";
import type { Replies } from "../replies.js";

/** The memory of the core has texts in UTF-16. */
const FORMS = [Buffer.from(SECRET, "utf8"), Buffer.from(SECRET, "utf16le")];
const SNAPSHOT_EACH = 100;
/** Its removal has failed. */
const FAILED = "dead";

export class Remains implements Invariant {
  readonly #replies: Replies;

  constructor(replies: Replies) {
    this.#replies = replies;
  }

  stepped({ outputs, count, snapshot }: Seen): void {
    for (const command of outputs.records) {
      if (command.tag === "put") expectNone(`the record ${command.val.key}`, command.val.value);
      if (command.tag === "append") expectNone("the journal", command.val.bytes);
    }
    for (const { command } of outputs.replies) {
      if (command.tag === "chunk") expectNone("an answer", command.val);
      if (command.tag === "whole") expectNone("an answer", command.val.body);
    }
    if (count % SNAPSHOT_EACH === 0) expectNone("a snapshot", snapshot());
  }

  rested({ ledger }: AtRest): void {
    if (this.#replies.areBuilding) return;
    const left = [...ledger.containers.values()].find((one) => one.forBuild === true && wordOf(one) !== FAILED);
    if (left !== undefined) throw new Breach("remains", `no build is under way, but its container ${left.id} is left`);
  }
}

function expectNone(where: string, bytes: Uint8Array): void {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (FORMS.some((form) => all.includes(form))) throw new Breach("remains", `${where} has a secret of a session`);
}
