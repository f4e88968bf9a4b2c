// DNS by TCP: each message comes after its length in two bytes (RFC 1035, 4.2.2).

/** A message with its length. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.alloc(2 + message.length);
  framed.writeUInt16BE(message.length, 0);
  framed.set(message, 2);
  return framed;
}

/** Cuts a stream into messages. Holds at most one incomplete message. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0);

  *read(bytes: Buffer): Generator<Buffer> {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const end = 2 + rest.readUInt16BE(0);
      yield rest.subarray(2, end);
      rest = rest.subarray(end);
    }
    this.#rest = Buffer.from(rest);
  }
}
