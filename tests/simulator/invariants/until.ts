// Checks requests for events with `until`: they end at that time. A timer is set for it, and is cancelled if the
// client leaves before.

import type { Operation, RequestId, engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

const EVENTS = /^(?:\/v[\d.]+)?\/events\?(?:.*&)?until=(\d{1,11})(?:&|$)/;
const SECOND = 1_000_000_000n;
/** The host may have sent this many bytes without reporting it yet. */
const UNTOLD = 16 * 1024;

interface Reader {
  target: string;
  /** Null if its time has come. */
  timer: Operation | null;
  /** Bytes that were sent, but not reported as drained. */
  unread: number;
}

export class Until implements Invariant {
  readonly #readers = new Map<RequestId, Reader>();

  stepped(seen: Seen): void {
    const { input, outputs, opening } = seen;
    if (opening !== null) this.#readers.clear();
    if (input?.tag === "elapsed") this.#elapsed(input.val);
    if (input?.tag === "drained") this.#sent(input.val.request, -input.val.bytes);
    if (input?.tag === "closed") this.#over(input.val.request, seen);
    if (input?.tag === "request") this.#asked(input.val, seen);
    for (const { request, command } of outputs.replies) {
      if (command.tag === "chunk") this.#sent(request, command.val.length);
      if (command.tag === "end") this.#over(request, seen);
    }
  }

  crashed(): void {
    this.#readers.clear();
  }

  rested(_: AtRest): void {
    for (const { target, timer, unread } of this.#readers.values()) {
      if (timer === null && unread <= UNTOLD) broken(`${target} has not ended, although its time has come`);
    }
  }

  #asked({ id, method, target }: engine.Request, { outputs, now }: Seen): void {
    const until = EVENTS.exec(target)?.[1];
    const isOpen = outputs.replies.some(({ request, command }) => request === id && command.tag === "open");
    if (method !== "GET" || until === undefined || !isOpen) return;
    const left = BigInt(until) * SECOND - now.wall;
    const timer = left <= 0n ? null : timerAt(now.monotonic + left, outputs);
    this.#readers.set(id, { target, timer, unread: 0 });
  }

  #elapsed(timer: Operation): void {
    for (const reader of this.#readers.values()) if (reader.timer === timer) reader.timer = null;
  }

  #over(request: RequestId, { outputs }: Seen): void {
    const reader = this.#readers.get(request);
    if (reader === undefined) return;
    this.#readers.delete(request);
    const { target, timer } = reader;
    if (timer === null) return;
    const isBack = outputs.effects.some(({ to, op, command }) => {
      return to === "timers" && command.tag === "cancel" && op === timer;
    });
    if (!isBack) broken(`${target} is over, but its timer is not cancelled`);
  }

  #sent(request: RequestId, bytes: number): void {
    const reader = this.#readers.get(request);
    if (reader !== undefined) reader.unread += bytes;
  }
}

function timerAt(at: bigint, { effects }: Seen["outputs"]): Operation {
  const set = effects.find(({ to, command }) => to === "timers" && command.tag === "set" && command.val === at);
  return set?.op ?? broken(`no timer ends a request for events at its \`until\``);
}

function broken(message: string): never {
  throw new Breach("until", message);
}
