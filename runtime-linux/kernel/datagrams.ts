// Several datagrams in one call: recvmmsg(2) and sendmmsg(2). Their arguments are structures with pointers, which are
// written once, for memory that stays where it is.

import { attempt, loaded } from "./calls.js";
import { MSG_DONTWAIT } from "./numbers.js";

/** A message's structures: `sockaddr_in6`, `iovec`, `mmsghdr`. */
const NAME_BYTES = 28;
const INET_BYTES = 16;
const IOVEC_BYTES = 16;
const HEAD_BYTES = 64;
/** Offsets in `iovec` and in `mmsghdr`. */
const IOVEC_LENGTH = 8;
const NAME_LENGTH = 8;
const IOVEC = 16;
const IOVECS = 24;
const RECEIVED = 56;

/** Room for some datagrams, each with the address of its other end. */
export class Datagrams {
  /** What was received, or is to be sent. A received one that is larger is cut off. */
  readonly bytes: Buffer[] = [];
  /** Where each goes to: `sockaddr_in` or `sockaddr_in6`. */
  readonly names: Buffer[] = [];
  /** The same as long as those of IPv4 are: a view takes time to make. */
  readonly #inetNames: Buffer[] = [];
  readonly #heads: Buffer;
  readonly #iovecs: Buffer;

  constructor(
    private readonly most: number,
    private readonly size: number,
  ) {
    const at = HEAD_BYTES + IOVEC_BYTES + NAME_BYTES + size;
    // Not from Node's pool, whose memory others use.
    const memory = Buffer.from(new ArrayBuffer(at * most));
    this.#heads = memory.subarray(0, HEAD_BYTES * most);
    this.#iovecs = memory.subarray(HEAD_BYTES * most, (HEAD_BYTES + IOVEC_BYTES) * most);
    const begin = loaded()[0].address(memory);
    for (let i = 0; i < most; i++) {
      const name = (HEAD_BYTES + IOVEC_BYTES) * most + NAME_BYTES * i;
      const bytes = (HEAD_BYTES + IOVEC_BYTES + NAME_BYTES) * most + size * i;
      this.names.push(memory.subarray(name, name + NAME_BYTES));
      this.#inetNames.push(memory.subarray(name, name + INET_BYTES));
      this.bytes.push(memory.subarray(bytes, bytes + size));
      this.#iovecs.writeBigUInt64LE(begin + BigInt(bytes), IOVEC_BYTES * i);
      this.#heads.writeBigUInt64LE(begin + BigInt(name), HEAD_BYTES * i);
      this.#heads.writeBigUInt64LE(begin + BigInt(HEAD_BYTES * most + IOVEC_BYTES * i), HEAD_BYTES * i + IOVEC);
      this.#heads.writeUInt32LE(1, HEAD_BYTES * i + IOVECS);
    }
  }

  /** How many were received; a negative number is an errno: there, EAGAIN tells that none waits. */
  receive(fd: number, most = this.most): number {
    for (let i = 0; i < most; i++) {
      this.#heads.writeUInt32LE(NAME_BYTES, HEAD_BYTES * i + NAME_LENGTH);
      this.#iovecs.writeUInt32LE(this.size, IOVEC_BYTES * i + IOVEC_LENGTH);
    }
    return attempt("recvmmsg", fd, this.#heads, most, MSG_DONTWAIT, 0);
  }

  /** Length of a received one. */
  lengthOf(index: number): number {
    return this.#heads.readUInt32LE(HEAD_BYTES * index + RECEIVED);
  }

  /** Where a received one comes from. */
  nameOf(index: number): Buffer {
    const length = this.#heads.readUInt32LE(HEAD_BYTES * index + NAME_LENGTH);
    return length === INET_BYTES ? this.#inetNames[index]! : this.names[index]!.subarray(0, length);
  }

  /** How many bytes of one are sent, and of the address that it goes to. */
  setLengths(index: number, bytes: number, name: number): void {
    this.#iovecs.writeUInt32LE(bytes, IOVEC_BYTES * index + IOVEC_LENGTH);
    this.#heads.writeUInt32LE(name, HEAD_BYTES * index + NAME_LENGTH);
  }

  /** Sends those from `begin` up to `end`. `failed` is told of each that the kernel does not take, with a negative errno. */
  send(fd: number, begin: number, end: number, failed: (index: number, errno: number) => void): void {
    for (let at = begin; at < end;) {
      const sent = attempt("sendmmsg", fd, this.#heads.subarray(HEAD_BYTES * at), end - at, MSG_DONTWAIT);
      if (sent < 0) failed(at, sent);
      at += Math.max(1, sent);
    }
  }
}
