// The bytes of a reply on their way to whoever reads them: handed over as they are asked for, and no sooner.

interface Pending {
  bytes: Uint8Array;
  sent: (wentOut: boolean) => void;
}

export class ReplyStream {
  readonly readable: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #pending: Pending[] = [];
  /** The reader waits for bytes. */
  #wanted = false;
  #atEnd: (() => void) | null = null;
  #over = false;

  /** `cancelled` is called when the reader wants no more before all has been handed over. */
  constructor(cancelled: () => void) {
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => void (this.#controller = controller),
      pull: () => {
        this.#wanted = true;
        this.#flow();
      },
      cancel: () => {
        this.#drop();
        cancelled();
      },
    };
    this.readable = new ReadableStream(source, { highWaterMark: 0 });
  }

  /** `sent` is told whether the reader took the bytes, and when they may be overwritten. */
  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    if (this.#over) return sent(false);
    if (bytes.length === 0) return sent(true);
    this.#pending.push({ bytes, sent });
    this.#flow();
  }

  /** Nothing comes any more; `then` is called when all has been handed over. */
  end(then: () => void): void {
    this.#atEnd = then;
    this.#flow();
  }

  /** Breaks it off: what has not been handed over is lost. */
  fail(error: unknown): void {
    if (this.#over) return;
    this.#drop();
    this.#controller.error(error);
  }

  #flow(): void {
    while (this.#wanted && this.#pending.length > 0) {
      const { bytes, sent } = this.#pending.shift()!;
      this.#wanted = false;
      this.#controller.enqueue(bytes.slice());
      sent(true);
    }
    if (this.#atEnd === null || this.#pending.length > 0 || this.#over) return;
    this.#over = true;
    this.#controller.close();
    this.#atEnd();
  }

  #drop(): void {
    this.#over = true;
    const pending = this.#pending;
    this.#pending = [];
    for (const { sent } of pending) sent(false);
  }
}
