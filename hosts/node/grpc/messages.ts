// gRPC's messages on an HTTP/2 stream: a flag, the length in four bytes, then the message (grpc, PROTOCOL-HTTP2.md).

import { TooLarge } from "../../buildkit/index.js";

const PREFIX = 5;
/** Headers of every call that the engine makes, besides its path. */
export const CALL = { ":method": "POST", ":scheme": "http", "content-type": "application/grpc", te: "trailers" };
/** Bytes of the largest message that is read, as in BuildKit. */
const LARGEST = 16 << 20;

/** Bytes of the headers that go out with a call or its end: long lists of patterns, what failed and where. */
export const MOST_HEADERS = 8 << 20;

/** Codes of gRPC (grpc, statuscodes.md) for what no message is made of. */
export const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;
export const INTERNAL = 13;

/** Bytes that are no message. */
export class Unreadable extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** What one connection may make us keep. */
export interface Limits {
  /** Bytes of the largest message. */
  largest: number;
  /** Bytes of messages of all its streams that have not come whole, and the most of them. */
  partial: number;
  mostPartial: number;
  /** Bytes of answers that the client has not read, and the most of them. */
  unread: number;
  mostUnread: number;
}

export function limitsOf(largest: number): Limits {
  return { largest, partial: 0, mostPartial: 2 * LARGEST, unread: 0, mostUnread: 8 * LARGEST };
}

/** The message with its prefix. */
export function framed(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX);
  return bytes;
}

/** The messages in a stream. Throws `TooLarge`, or `Unreadable` for one that is compressed or cut off. */
export async function* messagesIn(
  stream: AsyncIterable<Uint8Array>,
  limits = limitsOf(LARGEST),
): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let length = 0;
  let wanted = PREFIX;
  try {
    for await (const piece of stream) {
      held.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
      length += piece.length;
      limits.partial += piece.length;
      while (length >= wanted) {
        const bytes = held.length === 1 ? held[0]! : Buffer.concat(held, length);
        if (wanted === PREFIX) wanted = PREFIX + sizeIn(bytes, limits.largest);
        if (length < wanted) {
          held = [bytes];
          break;
        }
        yield bytes.subarray(PREFIX, wanted);
        held = [bytes.subarray(wanted)];
        length -= wanted;
        limits.partial -= wanted;
        wanted = PREFIX;
      }
      if (limits.partial > limits.mostPartial) throw new Unreadable(RESOURCE_EXHAUSTED, "too much is not whole");
    }
  } finally {
    limits.partial -= length;
  }
  if (length > 0) throw new Unreadable(INTERNAL, "the last message is cut off");
}

function sizeIn(bytes: Buffer, largest: number): number {
  if (bytes[0] !== 0) throw new Unreadable(UNIMPLEMENTED, "the message is compressed");
  const size = bytes.readUInt32BE(1);
  if (size > largest) throw new TooLarge(`the message has ${size} bytes`);
  return size;
}
