// gRPC's messages on an HTTP/2 stream: a flag, the length in four bytes, then the message (grpc, PROTOCOL-HTTP2.md).

const PREFIX = 5;
/** Bytes of the largest message that is read, as in BuildKit. */
const LARGEST = 16 << 20;

/** The message with its prefix. */
export function framed(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX);
  return bytes;
}

/** The messages in a stream. Throws for one that is compressed, too large or cut off. */
export async function* messagesIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let length = 0;
  let wanted = PREFIX;
  for await (const piece of stream) {
    held.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    length += piece.length;
    while (length >= wanted) {
      const bytes = held.length === 1 ? held[0]! : Buffer.concat(held, length);
      if (wanted === PREFIX) wanted = PREFIX + sizeIn(bytes);
      if (length < wanted) {
        held = [bytes];
        break;
      }
      yield bytes.subarray(PREFIX, wanted);
      held = [bytes.subarray(wanted)];
      length -= wanted;
      wanted = PREFIX;
    }
  }
  if (length > 0) throw new Error("the last message is cut off");
}

function sizeIn(bytes: Buffer): number {
  if (bytes[0] !== 0) throw new Error("the message is compressed");
  const size = bytes.readUInt32BE(1);
  if (size > LARGEST) throw new Error(`the message has ${size} bytes`);
  return size;
}
