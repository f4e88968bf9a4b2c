// Checks that each successful reply has its event, in the same step or before.

import type { RequestId } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { Seen } from "./invariant.js";
import type { JournalEvent } from "./journal.js";

interface Rule {
  request: RegExp;
  status: number;
  /** The event's action, or a prefix of it. */
  action: string;
  /** The event's type. The default is `container`. */
  type?: string;
  /** Several clients may share one event. */
  shared?: true;
  /** The event may come before the reply's step, because something is undone before the reply. */
  earlier?: true;
}

const RULES: readonly Rule[] = [
  { request: /^POST \/containers\/create$/, status: 201, action: "create" },
  { request: /^POST \/containers\/.+\/rename$/, status: 204, action: "rename" },
  { request: /^POST \/containers\/.+\/stop$/, status: 204, action: "stop" },
  { request: /^POST \/containers\/.+\/restart$/, status: 204, action: "restart", shared: true },
  { request: /^POST \/containers\/.+\/update$/, status: 200, action: "update" },
  { request: /^GET \/containers\/.+\/top$/, status: 200, action: "top" },
  { request: /^POST \/commit$/, status: 201, action: "commit", earlier: true },
  { request: /^POST \/containers\/.+\/exec$/, status: 201, action: "exec_create: " },
  { request: /^POST \/containers\/.+\/pause$/, status: 204, action: "pause" },
  { request: /^POST \/containers\/.+\/unpause$/, status: 204, action: "unpause" },
  { request: /^POST \/images\/.+\/tag$/, status: 201, action: "tag", type: "image" },
];

export class EventReplies {
  readonly #asked = new Map<RequestId, string>();
  /** Number of events whose clients have not been answered yet. */
  readonly #before = new Map<Rule, number>();

  stepped({ input, outputs }: Pick<Seen, "input" | "outputs">, events: readonly JournalEvent[]): void {
    if (input?.tag === "request") this.#asked.set(input.val.id, formOf(input.val.method, input.val.target));
    const done = new Map<Rule, number>();
    for (const { request, command } of outputs.replies) {
      const asked = this.#asked.get(request) ?? "";
      this.#asked.delete(request);
      if (command.tag !== "whole") continue;
      const rule = RULES.find((one) => one.status === command.val.head.status && one.request.test(asked));
      if (rule !== undefined) done.set(rule, (done.get(rule) ?? 0) + 1);
    }
    for (const rule of RULES) this.#told(rule, done.get(rule) ?? 0, events);
  }

  #told(rule: Rule, times: number, events: readonly JournalEvent[]): void {
    const { action, type = "container", shared, earlier } = rule;
    const before = this.#before.get(rule) ?? 0;
    const own = events.filter((event) => event.type === type && event.action.startsWith(action));
    const told = before + own.length;
    if (told < (shared ? Math.min(times, 1) : times)) {
      throw new Breach("events", `there are ${times} replies for ${action}, but ${told} events`);
    }
    if (earlier) this.#before.set(rule, told - times);
  }

  crashed(): void {
    this.#asked.clear();
    this.#before.clear();
  }
}

/** Method and path, without version and query. */
function formOf(method: string, target: string): string {
  const [path = ""] = target.split("?");
  return `${method} ${path.replace(/^\/v[\d.]+/, "")}`;
}
