// What both forwarders to containers share, and the limit on their connections.

import { readFileSync } from "node:fs";

/** An address and a port. */
export interface Place {
  readonly address: string;
  readonly port: number;
}

/** Forwards traffic until it is closed, which also ends open connections. */
export interface Forwarder {
  close(): void;
}

/** A limit on connections and on clients that send datagrams: strangers must not use up the engine's descriptors. */
export class Room {
  #taken = 0;

  constructor(private readonly most: number) {}

  /** False if the limit is reached. */
  enter(): boolean {
    if (this.#taken >= this.most) return false;
    this.#taken++;
    return true;
  }

  leave(): void {
    this.#taken--;
  }
}

/** A connection takes two descriptors. Half of the process's descriptors stay free for everything else. */
export function roomOfProcess(): Room {
  const [, most = "1024"] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return new Room(Math.floor(Number(most) / 4));
}
