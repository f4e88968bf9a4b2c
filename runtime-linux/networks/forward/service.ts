// Follows the files: which ports it listens at, and where they lead.

import type { Service } from "../../followers/follower.js";
import type { Refused } from "../../followers/protocol.js";
import { forwardDatagrams } from "./datagrams.js";
import type { Forward, ForwardFiles } from "./forward-files.js";
import { Room, roomOfProcess, type Forwarder } from "./forwarder.js";
import { forwardStreams } from "./streams.js";

export class ForwardService implements Service {
  /** Connections may last: a process that was replaced stays until the last one has ended. */
  readonly patienceMs = Infinity;
  readonly #room = roomOfProcess();
  /** By holder, and then by their wishes. */
  readonly #open = new Map<string, Map<string, Forwarder>>();

  constructor(private readonly files: ForwardFiles) {}

  async followAll(shared: boolean): Promise<void> {
    for (const name of this.files.names("forwards")) {
      for (const { at, errno } of await this.follow("forwards", name, shared)) console.error(`${name} ${at}: ${errno}`);
    }
  }

  async follow(_kind: string, name: string, shared = false): Promise<readonly Refused[]> {
    const forwards = this.files.read("forwards", name)?.forwards ?? [];
    const wished = new Set(forwards.map((forward) => JSON.stringify(forward)));
    const open = this.#open.get(name) ?? new Map<string, Forwarder>();
    this.#open.set(name, open);
    for (const [wish, forwarder] of [...open]) {
      if (wished.has(wish)) continue;
      forwarder.close();
      open.delete(wish);
    }
    const refused: Refused[] = [];
    for (const [at, forward] of forwards.entries()) {
      const wish = JSON.stringify(forward);
      if (open.has(wish)) continue;
      try {
        open.set(wish, await this.#begin(forward, shared));
      } catch (error) {
        refused.push({ at, errno: (error as NodeJS.ErrnoException).code ?? "EIO" });
      }
    }
    if (open.size === 0) this.#open.delete(name);
    return refused;
  }

  share(isShared: boolean): void {
    for (const forwarder of this.#all()) forwarder.share(isShared);
  }

  handOver(): void {
    for (const forwarder of this.#all()) forwarder.handOver();
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  get underWay(): number {
    return this.#room.taken;
  }

  async #begin({ protocol, from, to }: Forward, shared: boolean): Promise<Forwarder> {
    const forward = protocol === "tcp" ? forwardStreams : forwardDatagrams;
    // So the clients of one port leave others their share.
    return forward(from, to, new Room(this.#room.most / 2, this.#room), shared);
  }

  #all(): Forwarder[] {
    return [...this.#open.values()].flatMap((open) => [...open.values()]);
  }
}
