// What both forwarders to containers share, and the limit on their connections.

import { readFileSync } from "node:fs";

/** An address and a port. */
export interface Place {
  readonly address: string;
  readonly port: number;
}

/** Forwards traffic until it is closed, which also ends open connections. */
export interface Forwarder {
  /** The socket at the port. */
  readonly fd: number;
  close(): void;
  /** Whether another process may bind the same port. */
  share(isShared: boolean): void;
  /** Leaves new clients to another process that has bound the same port. */
  handOver(): void;
}

/** A limit on connections and on clients that send datagrams: strangers must not use up descriptors and memory. */
export class Room {
  #taken = 0;

  /** `around`: a room for several that has to have a place, too. */
  constructor(
    readonly most: number,
    private readonly around?: Room,
  ) {}

  get taken(): number {
    return this.#taken;
  }

  /** False if the limit is reached. */
  enter(): boolean {
    if (this.#taken >= this.most || this.around?.enter() === false) return false;
    this.#taken++;
    return true;
  }

  leave(): void {
    this.#taken--;
    this.around?.leave();
  }
}

/** A quiet connection takes some 10 KB, and one whose receiver is slow hardly more (see `way.ts`). */
const MOST = 4096;

/** A connection takes two descriptors. Half of the process's descriptors stay free for everything else. */
export function roomOfProcess(): Room {
  const [, most = "1024"] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return new Room(Math.min(MOST, Math.floor(Number(most) / 4)));
}
