// The bytes that a program writes to a connection, on their way to a container's stdin.

export class SentStream {
  readonly writable: WritableStream<Uint8Array>;
  #controller!: WritableStreamDefaultController;
  #waiting: { bytes: Uint8Array; taken: () => void; lost: (error: unknown) => void } | null = null;
  #ended = false;
  #moved: () => void = () => {};

  /** `aborted` is called if the program aborts the stream. */
  constructor(aborted: () => void) {
    this.writable = new WritableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        // The stream itself calls `abort` only after the current write, which may never be taken.
        const { signal } = controller;
        signal.addEventListener("abort", () => this.#lose(signal.reason));
      },
      write: (bytes) => this.#write(bytes),
      close: () => this.#end(),
      abort: () => {
        this.#end();
        aborted();
      },
    });
  }

  /** To be called once. Ends at the program's half-close. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting?.taken();
      if (waiting !== null) yield waiting.bytes;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#moved = resolve));
    }
  }

  /** Writing fails from now on. */
  fail(error: unknown): void {
    this.#end();
    this.#lose(error);
    this.#controller.error(error);
  }

  #write(bytes: Uint8Array): Promise<void> {
    if (!(bytes instanceof Uint8Array)) return Promise.reject(new TypeError("a connection takes Uint8Arrays"));
    return new Promise((taken, lost) => {
      this.#waiting = { bytes: bytes.slice(), taken, lost };
      this.#moved();
    });
  }

  #lose(error: unknown): void {
    this.#waiting?.lost(error);
    this.#waiting = null;
  }

  #end(): void {
    this.#ended = true;
    this.#moved();
  }
}
