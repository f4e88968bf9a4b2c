// Follows the files: which ports it listens at, and where they lead.

import type { Service } from "../../followers/follower.js";
import type { Refused } from "../../followers/protocol.js";
import { forwardDatagrams } from "./datagrams.js";
import type { Forward, ForwardFiles } from "./forward-files.js";
import { Room, roomOfProcess, type Forwarder } from "./forwarder.js";
import { Inherited } from "./inherited.js";
import { boundAt } from "./listening.js";
import { forwardStreams } from "./streams.js";

/** Much more than the steps of the clock by which file systems note changes. */
const CLOCK_MS = 1000;

/** Forwarders by their wishes. */
type Open = Map<string, Forwarder>;

export class ForwardService implements Service {
  /** Connections may last: a process that was replaced stays until the last one has ended. */
  readonly patienceMs = Infinity;
  readonly #room = roomOfProcess();
  /** By holder. */
  readonly #open = new Map<string, Open>();
  /** Their ports are another process's, but clients that were here before stay. By holder. */
  readonly #left = new Map<string, [wish: string, forwarder: Forwarder][]>();
  readonly leftBy: string;
  /** When the files were last changed, as of the last look. */
  #lookedAt = 0;

  /** `inherited`: bound sockets of the process that has served them so far. */
  constructor(
    private readonly files: ForwardFiles,
    private readonly inherited = new Inherited(),
  ) {
    this.leftBy = files.of("forwards");
  }

  async followAll(shared: boolean): Promise<void> {
    for (const name of shared ? this.files.names("forwards") : this.#first()) {
      try {
        const refused = await this.follow("forwards", name, shared);
        for (const { at, errno } of refused) console.error(`${name} ${at}: ${errno}`);
      } catch (error) {
        console.error(`${name}: ${String(error)}`);
      }
    }
    this.inherited.close();
  }

  async follow(_kind: string, name: string, shared = false): Promise<readonly Refused[]> {
    const forwards = this.#wishesOf(name);
    this.cut(name, forwards);
    const open: Open = this.#open.get(name) ?? new Map<string, Forwarder>();
    this.#open.set(name, open);
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

  /** Ends what is no longer wished, and begins nothing. */
  cut(name: string, forwards = this.#wishesOf(name)): void {
    const wished = new Set(forwards.map((forward) => JSON.stringify(forward)));
    const open = this.#open.get(name) ?? new Map<string, Forwarder>();
    for (const [wish, forwarder] of [...open]) {
      if (wished.has(wish)) continue;
      forwarder.close();
      open.delete(wish);
    }
    const left = this.#left.get(name) ?? [];
    for (const [wish, forwarder] of left) if (!wished.has(wish)) forwarder.close();
    const staying = left.filter(([wish]) => wished.has(wish));
    if (staying.length > 0) this.#left.set(name, staying);
    else this.#left.delete(name);
  }

  /** No engine tells a process that was replaced which ports are published no more. Looks if any file has changed. */
  cutLeft(): void {
    const changed = this.files.changed("forwards");
    if (changed === this.#lookedAt) return;
    // A file that cannot be read now is read at the next look.
    this.#lookedAt = 0;
    for (const name of [...this.#left.keys()]) this.cut(name);
    // The next change may get the same time as one that was just made.
    if (changed !== undefined && Math.abs(Date.now() - changed) > CLOCK_MS) this.#lookedAt = changed;
  }

  /** Some file wishes a port whose socket was not inherited. */
  get needsShare(): boolean {
    const all = this.files.names("forwards").flatMap((name) => this.#wishesOf(name));
    return all.some((forward) => !this.inherited.has(forward));
  }

  share(isShared: boolean): void {
    for (const forwarder of this.#all()) forwarder.share(isShared);
  }

  handOver(): void {
    for (const [name, open] of this.#open) {
      for (const forwarder of open.values()) forwarder.handOver();
      this.#left.set(name, [...(this.#left.get(name) ?? []), ...open]);
    }
    this.#open.clear();
  }

  /** Ends everything. */
  close(): void {
    for (const forwarder of this.#all()) forwarder.close();
    for (const [, forwarder] of [...this.#left.values()].flat()) forwarder.close();
    this.#open.clear();
    this.#left.clear();
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  get underWay(): number {
    return this.#room.taken;
  }

  /** Whose ports it serves. */
  get holders(): string[] {
    return [...this.#open.keys()];
  }

  /** Its bound sockets by wishes. */
  get sockets(): Map<string, number> {
    const all = [...this.#open.values()].flatMap((open) => [...open]);
    return new Map(all.map(([wish, { fd }]) => [wish, fd]));
  }

  /** Of a process with sockets, theirs alone: an engine is there that binds others, and will ask for them. */
  #first(): string[] {
    const names = this.files.names("forwards");
    if (this.inherited.isEmpty) return names;
    const isInherited = (forward: Forward): boolean => this.inherited.has(forward);
    return names.filter((name) => this.#wishesOf(name).some(isInherited));
  }

  /** None if the file is damaged, or is not what the engine writes. */
  #wishesOf(name: string): Forward[] {
    const forwards: unknown = this.files.read("forwards", name)?.forwards;
    return Array.isArray(forwards) ? (forwards as Forward[]) : [];
  }

  async #begin(wish: Forward, shared: boolean): Promise<Forwarder> {
    const { protocol, from, to } = wish;
    const forward = protocol === "tcp" ? forwardStreams : forwardDatagrams;
    const fd = this.inherited.take(wish) ?? boundAt(protocol, from, shared);
    // So the clients of one port leave others their share.
    return forward(from, to, new Room(this.#room.most / 2, this.#room), fd);
  }

  #all(): Forwarder[] {
    return [...this.#open.values()].flatMap((open) => [...open.values()]);
  }
}
