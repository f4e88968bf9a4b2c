// Generates ids: a counter hashed with the random bytes given to `open`.

import { sha256Hex } from "./text/sha256";

export class Ids {
  private readonly material: Uint8Array = new Uint8Array(40);
  private counter: u64 = 0;

  seed(bytes: Uint8Array): void {
    for (let i = 0; i < 32 && i < bytes.length; i++) this.material[i] = bytes[i];
    this.counter = 0;
  }

  /** An id of 64 hex digits. */
  next(): string {
    this.counter += 1;
    for (let i = 0; i < 8; i++) this.material[32 + i] = <u8>(this.counter >> (<u64>i * 8));
    return sha256Hex(this.material);
  }

  /** An id whose first 12 digits are not all decimal, since they become a hostname (surface §2.4). */
  nextForContainer(): string {
    let id = this.next();
    while (allDecimal(id, 12)) id = this.next();
    return id;
  }

  /** A random number. */
  draw(): u32 {
    return <u32>parseInt(this.next().slice(0, 8), 16);
  }
}

function allDecimal(text: string, length: i32): bool {
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x30 || c > 0x39) return false;
  }
  return true;
}
