// Checks that a wait for a container is answered in the step in which its condition is fulfilled, and not before.

import type { RequestId } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type Ledger, wordOf } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

const WAIT = /^\/v1\.55\/containers\/([^/?]+)\/wait\?condition=([\w-]+)$/;
/** Statuses of containers that have not exited. */
const GOES_ON = ["starting", "running", "paused"];

interface Wait {
  container: string;
  condition: string;
}

export class Waits implements Invariant {
  /** Unanswered waits. */
  readonly #open = new Map<RequestId, Wait>();

  stepped({ input, outputs, opening, ledger }: Seen): void {
    if (opening !== null) this.#open.clear();
    const before = new Set(this.#open.keys());
    if (input?.tag === "request") this.#asked(input.val, outputs, ledger);
    if (input?.tag === "closed") this.#open.delete(input.val.request);
    for (const { request, command } of outputs.replies) {
      if (command.tag === "chunk" && !before.has(request)) this.#toldAtOnce(request, ledger);
      if (command.tag === "end") this.#open.delete(request);
    }
    const ended = new Set(eventsOf(outputs.records).flatMap(({ action, id }) => (action === "die" ? [id] : [])));
    for (const request of before) {
      const wait = this.#open.get(request);
      if (wait?.condition === "next-exit" && ended.has(wait.container))
        broken(`${wait.container} has ended, but a wait for that is not answered`);
    }
  }

  crashed(): void {
    this.#open.clear();
  }

  #asked({ id, target }: { id: RequestId; target: string }, { replies }: Seen["outputs"], ledger: Ledger): void {
    const [, ref = "", condition = ""] = WAIT.exec(target) ?? [];
    const all = [...ledger.containers.values()];
    // A prefix of an id may mean other containers.
    const about = all.find((one) => one.id === ref) ?? all.find(({ name }) => name === ref);
    const isOpen = replies.some(({ request, command }) => request === id && command.tag === "open");
    if (about !== undefined && isOpen) this.#open.set(id, { container: about.id, condition });
  }

  #toldAtOnce(request: RequestId, ledger: Ledger): void {
    const wait = this.#open.get(request);
    const record = wait === undefined ? undefined : ledger.containers.get(wait.container);
    if (record !== undefined && GOES_ON.includes(wordOf(record)))
      broken(`${record.id} is ${wordOf(record)}, but a wait for its end is answered`);
  }
}

function broken(message: string): never {
  throw new Breach("waits", message);
}
