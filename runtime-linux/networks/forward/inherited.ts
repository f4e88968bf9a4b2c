// The sockets that a process has from the engine, or from the process that it replaces, when it starts. Each one tells
// itself which port it is for, so nothing depends on their order, nor on a descriptor's still being what it was when
// somebody looked.

import { closeSync } from "node:fs";
import { attempt } from "../../kernel/calls.js";
import { SO_ACCEPTCONN, SO_TYPE, SOCK_DGRAM, SOCK_STREAM, SOL_SOCKET } from "../../kernel/numbers.js";
import { inetAddress, int } from "../../kernel/structures.js";
import { addressBytes } from "../addresses.js";
import type { Forward } from "./forward-files.js";

/** After those that every follower has. */
const FIRST = 4;
/** Of `sockaddr_in6`. `sockaddr_in` is shorter. */
const NAME_BYTES = 28;

/** Bound sockets by the ports that they are for. */
export class Inherited {
  readonly #sockets = new Map<string, number>();

  /** `count`: how many descriptors, from `first` on. One that is not a port's, or whose port another one has, is closed. */
  constructor(count = 0, first = FIRST) {
    for (let fd = first; fd < first + count; fd++) {
      const port = portOf(fd);
      if (port === undefined || this.#sockets.has(port)) closeSync(fd);
      else this.#sockets.set(port, fd);
    }
  }

  get isEmpty(): boolean {
    return this.#sockets.size === 0;
  }

  has(forward: Forward): boolean {
    return this.#sockets.has(wished(forward));
  }

  /** From now on the caller's. Undefined if there is none. */
  take(forward: Forward): number | undefined {
    const port = wished(forward);
    const fd = this.#sockets.get(port);
    this.#sockets.delete(port);
    return fd;
  }

  /** Closes what nobody has taken. */
  close(): void {
    for (const fd of this.#sockets.values()) closeSync(fd);
    this.#sockets.clear();
  }
}

/** Empty if it is not what an engine writes: the file may be damaged. */
function wished(forward: Forward): string {
  try {
    const { address, port } = forward.from;
    return key(forward.protocol === "tcp" ? SOCK_STREAM : SOCK_DGRAM, inetAddress(addressBytes(address), port));
  } catch {
    return "";
  }
}

/** Undefined if it is not a socket that clients reach: a connection has its listener's address, too. */
function portOf(fd: number): string | undefined {
  const [name, length] = [Buffer.alloc(NAME_BYTES), Buffer.from(int(NAME_BYTES))];
  if (attempt("getsockname", fd, name, length) < 0) return undefined;
  const type = option(fd, SO_TYPE);
  if (type === SOCK_STREAM && option(fd, SO_ACCEPTCONN) !== 1) return undefined;
  return key(type, name.subarray(0, length.readInt32LE()));
}

function option(fd: number, which: number): number {
  const value = Buffer.alloc(4);
  return attempt("getsockopt", fd, SOL_SOCKET, which, value, int(value.length)) < 0 ? -1 : value.readInt32LE();
}

function key(type: number, name: Uint8Array): string {
  return `${type} ${Buffer.from(name).toString("hex")}`;
}
