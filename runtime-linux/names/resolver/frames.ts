// DNS by TCP: each message comes after its length in two bytes (RFC 1035, 4.2.2).

/** A message with its length. */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.alloc(2 + message.length);
  framed.writeUInt16BE(message.length, 0);
  framed.set(message, 2);
  return framed;
}

/** What comes before a message. */
export function lengthOf(message: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return length;
}

/** The message at the front of so many bytes, which it shares; undefined: it has not all come. */
export function firstIn(bytes: Buffer, length: number): Buffer | undefined {
  if (length < 2 || length < 2 + bytes.readUInt16BE(0)) return undefined;
  return bytes.subarray(2, 2 + bytes.readUInt16BE(0));
}

/** Cuts a stream into messages. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0);

  /** Holds a copy of these bytes until they are taken. */
  add(bytes: Uint8Array): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
  }

  /** Takes the next message; undefined: it has not all come. */
  next(): Buffer | undefined {
    const message = firstIn(this.#rest, this.#rest.length);
    if (message !== undefined) this.#rest = this.#rest.subarray(2 + message.length);
    return message;
  }

  /** How many are held. */
  get bytes(): number {
    return this.#rest.length;
  }

  /** As far as it is known: else 0. */
  get nextLength(): number {
    return this.#rest.length < 2 ? 0 : this.#rest.readUInt16BE(0);
  }
}
