// Netlink (netlink(7)): requests as bytes in the machine's byte order, and the kernel's answers.

import { close, closeSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import type { Kernel } from "../../kernel.js";

/** One request. */
export interface Request {
  /** What it does, for error messages: `make bridge coracle0`. */
  about: string;
  /** `RTM_…`, or a type of another netlink protocol. */
  type: number;
  /** `NLM_F_…`, in addition to those that every request has. */
  flags: number;
  /** The family's header, then attributes. */
  body: Uint8Array;
  /** Errnos that mean the request is already fulfilled, such as `EEXIST`. */
  settled: string[];
}

const NETLINK_ROUTE = 0;
export const NETLINK_NETFILTER = 12;
export const RTM_NEWLINK = 16;
export const RTM_DELLINK = 17;
export const RTM_GETLINK = 18;
export const RTM_NEWADDR = 20;
export const RTM_DELADDR = 21;
export const RTM_GETADDR = 22;
export const RTM_NEWROUTE = 24;
export const RTM_DELROUTE = 25;
export const NLM_F_EXCL = 0x200;
export const NLM_F_CREATE = 0x400;

/** Sends requests in one network namespace. */
export class Netlink {
  private constructor(
    private readonly kernel: Kernel,
    private readonly fd: number,
  ) {}

  /** Opens a socket in the calling thread's namespace. It stays there even if the thread moves to another one. */
  static open(kernel: Kernel, protocol = NETLINK_ROUTE): Netlink {
    return new Netlink(kernel, kernel.openNetlink(protocol));
  }

  /**
   * Carries out all requests in order. After a failure the kernel still handles the next ones. Throws an
   * `ErrnoException` for the first failure.
   */
  async request(...requests: Request[]): Promise<void> {
    const failures: (Error | undefined)[] = [];
    for (let at = 0; at < requests.length; at += AT_ONCE)
      failures.push(await this.#failureOf(requests.slice(at, at + AT_ONCE)));
    const first = failures.find((failure) => failure !== undefined);
    if (first) throw first;
  }

  /** Carries out all requests as `request` does, but in one call, however many they are: a transaction needs that. */
  async requestTogether(requests: readonly Request[]): Promise<void> {
    const failure = await this.#failureOf(requests);
    if (failure) throw failure;
  }

  /** The first failure. The kernel tells all of them, so that only the last request needs an answer if it succeeds. */
  async #failureOf(requests: readonly Request[]): Promise<Error | undefined> {
    const last = requests.length - 1;
    const all = requests.map((request, at) => encode(request, at === last ? NLM_F_ACK : 0, at));
    const bytes = Buffer.concat(all);
    for (const answer of await this.kernel.netlink(this.fd, bytes)) {
      const errno = errnoOf(answer);
      const request = requests[numberAt(answer, 8)];
      if (errno === 0 || !request) continue;
      if (!request.settled.includes(getSystemErrorName(errno))) return failureFor(request, errno);
    }
    return undefined;
  }

  /** Lists all objects of one kind: the bodies of the kernel's messages. Empty if the kernel does not support that. */
  async list(request: Request): Promise<Uint8Array[]> {
    const answers = await this.kernel.netlink(this.fd, encode(request, NLM_F_DUMP, 0));
    return answers.flatMap((answer) => [...bodies(answer)]);
  }

  /**
   * Asks for one object: the body of the kernel's answer, or undefined if the object does not exist. Throws an
   * `ErrnoException` if the kernel does not answer that question.
   */
  async find(request: Request): Promise<Uint8Array | undefined> {
    return (await this.findEach([request]))[0];
  }

  /** Asks for several objects in one call: see `find`. */
  async findEach(requests: readonly Request[]): Promise<(Uint8Array | undefined)[]> {
    const found: (Uint8Array | undefined)[] = requests.map(() => undefined);
    const all = Buffer.concat(requests.map((request, at) => encode(request, 0, at)));
    for (const answer of await this.kernel.netlink(this.fd, all)) {
      const [errno, at] = [errnoOf(answer), numberAt(answer, 8)];
      if (errno !== 0 && !MISSING.includes(getSystemErrorName(errno))) throw failureFor(requests[at]!, errno);
      found[at] ??= [...bodies(answer)][0];
    }
    return found;
  }

  close(): void {
    closeSync(this.fd);
  }

  /**
   * Closes it off the calling thread. Whoever closes a socket of netfilter waits some 10 ms, until the kernel has freed
   * what the latest transactions removed (nf_tables).
   */
  closeAside(): void {
    close(this.fd, () => {});
  }
}

/** Carries out route requests in the calling thread's network namespace: see `Netlink.request`. */
export async function carryOut(kernel: Kernel, ...requests: Request[]): Promise<void> {
  const netlink = Netlink.open(kernel);
  try {
    await netlink.request(...requests);
  } finally {
    netlink.close();
  }
}

/** An error of a request, negative; 0 for another answer. */
function errnoOf(answer: Uint8Array): number {
  const view = new DataView(answer.buffer, answer.byteOffset, answer.length);
  return view.getUint16(4, LITTLE) === NLMSG_ERROR ? view.getInt32(HEADER, LITTLE) : 0;
}

function failureFor({ about }: Request, errno: number): Error {
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`${code}: ${about}`), { code, errno, syscall: ANSWERED, path: about });
}

/** Whether the kernel has answered so. All of its answers have been read then. */
export function isAnswer(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === ANSWERED;
}

const ANSWERED = "netlink";

/**
 * An attribute. A number is 32 bits wide, a string ends in NUL, and several parts are nested attributes. Throws a
 * `RangeError` if it is too large: its length is a number of 16 bits.
 */
export function attribute(type: number, ...parts: (Uint8Array | string | number)[]): Uint8Array {
  const payload = parts.map(bytesOf);
  const length = payload.reduce((sum, { length }) => sum + length, ATTRIBUTE);
  if (length > MOST_BYTES) throw new RangeError(`attribute ${type} has ${length - ATTRIBUTE} bytes`);
  const made = Buffer.allocUnsafe((length + 3) & ~3);
  put(made, 0, length, 2);
  put(made, 2, type, 2);
  let at = ATTRIBUTE;
  for (const bytes of payload) {
    made.set(bytes, at);
    at += bytes.length;
  }
  return made.fill(0, at);
}

/** The payload of the first attribute of a type, or undefined. */
export function findAttribute(attributes: Uint8Array, type: number): Uint8Array | undefined {
  const view = new DataView(attributes.buffer, attributes.byteOffset, attributes.length);
  for (let at = 0; at + 4 <= attributes.length;) {
    const length = view.getUint16(at, LITTLE);
    if (length < 4) return undefined;
    if ((view.getUint16(at + 2, LITTLE) & NLA_TYPE_MASK) === type) return attributes.subarray(at + 4, at + length);
    at += (length + 3) & ~3;
  }
  return undefined;
}

/** The payloads of attributes in a row. */
export function attributesOf(attributes: Uint8Array): Uint8Array[] {
  const view = new DataView(attributes.buffer, attributes.byteOffset, attributes.length);
  const all: Uint8Array[] = [];
  for (let at = 0; at + 4 <= attributes.length;) {
    const length = view.getUint16(at, LITTLE);
    if (length < 4) break;
    all.push(attributes.subarray(at + 4, at + length));
    at += (length + 3) & ~3;
  }
  return all;
}

/** Numbers of 8, 16 and 32 bits in a row: `[value, bytes]`. */
export function fields(...values: [value: number, bytes: 1 | 2 | 4][]): Uint8Array {
  const made = Buffer.allocUnsafe(values.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of values) {
    put(made, at, value, bytes);
    at += bytes;
  }
  return made;
}

/** The number of 32 bits at an offset. */
export function numberAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(at, LITTLE);
}

/** Requests per call. The socket needs room for the answers to all of them: some 200 by default. */
const AT_ONCE = 64;
/** Bytes of an attribute's header. */
const ATTRIBUTE = 4;
/** Of an attribute, with its header. */
const MOST_BYTES = 0xffff;
/** What the kernel says of an object that does not exist. */
const MISSING: readonly string[] = ["ENOENT", "ENODEV"];
const LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const HEADER = 16;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLM_F_REQUEST = 1;
const NLM_F_ACK = 4;
const NLM_F_DUMP = 0x300;
const NLA_TYPE_MASK = 0x3fff;

function encode(request: Request, mode: number, sequence: number): Uint8Array {
  const length = HEADER + request.body.length;
  const flags = request.flags | NLM_F_REQUEST | mode;
  return Buffer.concat([fields([length, 4], [request.type, 2], [flags, 2], [sequence, 4], [0, 4]), request.body]);
}

/** The messages of one datagram, without headers, and without errors and ends of lists. */
function* bodies(datagram: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(datagram.buffer, datagram.byteOffset, datagram.length);
  for (let at = 0; at + HEADER <= datagram.length;) {
    const length = view.getUint32(at, LITTLE);
    const type = view.getUint16(at + 4, LITTLE);
    if (length < HEADER || type === NLMSG_DONE || type === NLMSG_ERROR) return;
    yield datagram.subarray(at + HEADER, at + length);
    at += (length + 3) & ~3;
  }
}

/** Writes a number byte by byte: a table of rules has some hundred, and a `DataView` for each takes longer than the kernel. */
function put(into: Uint8Array, at: number, value: number, bytes: 1 | 2 | 4): void {
  for (let byte = 0; byte < bytes; byte += 1) into[at + (LITTLE ? byte : bytes - 1 - byte)] = value >>> (8 * byte);
}

function bytesOf(part: Uint8Array | string | number): Uint8Array {
  if (typeof part === "string") return Buffer.from(`${part}\0`);
  return typeof part === "number" ? fields([part, 4]) : part;
}
