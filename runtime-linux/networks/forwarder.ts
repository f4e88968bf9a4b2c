// What those that pass traffic on from IPv6 to a container have in common, and how much of it there may be.

import { readFileSync } from "node:fs";

/** An address and a port. */
export interface Place {
  readonly address: string;
  readonly port: number;
}

/** Passes traffic on until it is closed, which ends what is under way. */
export interface Forwarder {
  close(): void;
}

/** Room for connections, and for clients that send datagrams: strangers must not use up the engine's descriptors. */
export class Room {
  #taken = 0;

  constructor(private readonly most: number) {}

  /** False when there is no more. */
  enter(): boolean {
    if (this.#taken >= this.most) return false;
    this.#taken++;
    return true;
  }

  leave(): void {
    this.#taken--;
  }
}

/** A connection takes two descriptors: half of all that this process may have is left for everything else. */
export function roomOfProcess(): Room {
  const [, most = "1024"] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return new Room(Math.floor(Number(most) / 4));
}
