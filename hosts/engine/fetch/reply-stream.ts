// The bytes of a reply on their way to the reader. They are passed on only when the reader asks for them.

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

  /** `cancelled` is called if the reader cancels before everything has been passed on. */
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

  /** `sent` is called when the bytes may be overwritten, with whether the reader took them. */
  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    if (this.#over) return sent(false);
    if (bytes.length === 0) return sent(true);
    this.#pending.push({ bytes, sent });
    this.#flow();
  }

  /** Ends the stream; `then` is called when everything has been passed on. */
  end(then: () => void): void {
    this.#atEnd = then;
    this.#flow();
  }

  /** Breaks it off. Bytes that have not been passed on are lost. */
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
