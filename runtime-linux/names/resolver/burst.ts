// Datagrams that wait at a socket while one of its is taken. They are received in one call for all of them together: of a
// single look-up, the calls and Node's own work for a datagram take most of the time.

import { Datagrams } from "../../kernel/datagrams.js";
import { EAGAIN } from "../../kernel/numbers.js";
import { LONGEST_ANSWER } from "./sockets.js";

/** How many are received at once. */
const MOST = 32;
/** How many each socket has in one round of the event loop, so that all get their turn. */
const SHARE = 64;
/** How many datagrams go by until the next look, if none was waiting at the last: a single client has only one at a time. */
const PAUSE = 3;

/** A datagram of a length, and the `sockaddr` of where it comes from. Both are overwritten by the next ones. */
export type Take = (bytes: Buffer, length: number, from: Buffer) => void;

export class Burst {
  #left = SHARE;
  #pause = 0;

  constructor(private readonly fd: number) {}

  /** Takes what waits now. Returns what is wrong with the socket, as a negative errno, or 0. */
  take(take: Take): number {
    if (this.#left === 0) return 0;
    if (this.#pause > 0) {
      this.#pause--;
      return 0;
    }
    room ??= new Datagrams(MOST, LONGEST_ANSWER);
    const count = room.receive(this.fd, Math.min(MOST, this.#left));
    if (count <= 0) {
      this.#pause = PAUSE;
      return count === -EAGAIN ? 0 : count;
    }
    if (this.#left === SHARE) setImmediate(() => (this.#left = SHARE));
    this.#left -= count;
    for (let i = 0; i < count; i++) take(room.bytes[i]!, room.lengthOf(i), room.nameOf(i));
    return 0;
  }
}

/** Shared by all sockets, since one after the other uses it. */
let room: Datagrams | undefined;
