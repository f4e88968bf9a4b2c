// The key sequence with which a client leaves a terminal without ending its process.

export interface Typed {
  /** Input for the process. */
  bytes: Uint8Array;
  /** The complete sequence has arrived; anything after it is dropped. */
  detached: boolean;
}

/** Searches for the sequence across reads. Keys that may start it are held back until that is decided. */
export class DetachKeys {
  readonly #keys: Uint8Array;
  #matched = 0;

  /** `keys`: empty for none. */
  constructor(keys: Uint8Array) {
    this.#keys = keys;
  }

  take(bytes: Uint8Array): Typed {
    if (this.#keys.length === 0) return { bytes, detached: false };
    const passed = new Uint8Array(this.#matched + bytes.length);
    let length = 0;
    for (const byte of bytes) {
      if (byte !== this.#keys[this.#matched]) {
        passed.set(this.#keys.subarray(0, this.#matched), length);
        length += this.#matched;
        this.#matched = 0;
      }
      if (byte === this.#keys[this.#matched]) this.#matched++;
      else passed[length++] = byte;
      if (this.#matched === this.#keys.length) return { bytes: passed.subarray(0, length), detached: true };
    }
    return { bytes: passed.subarray(0, length), detached: false };
  }

  /** The client sends no more, so the keys that were held back are input. */
  rest(): Uint8Array {
    const held = this.#keys.slice(0, this.#matched);
    this.#matched = 0;
    return held;
  }
}
