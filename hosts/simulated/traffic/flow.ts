// One direction of a stream: bytes are on their way for a while, and then wait until they are read. What gets lost is
// sent again, as TCP does (RFC 9293, RFC 6298).

import type { Clock } from "../../shared/index.js";
import { Waiting, type Sink, type Source } from "../processes/streams.js";

/** How many bytes may be on their way or unread: the window. */
const WINDOW_BYTES = 65_536;
/** How long to wait for an acknowledgement at first; each further time twice as long. */
const FIRST_RETRY_NS = 200_000_000n;
const LONGEST_RETRY_NS = 120_000_000_000n;
/** tcp_retries2 (tcp(7)). */
const MOST_RETRIES = 15;

/** Sends bytes to the other side. Returns the time until they arrive; null if they are lost. */
export type Carry = (bytes: number) => bigint | null;

export class Flow {
  readonly source: Source;
  readonly sink: Sink;
  readonly #clock: Clock;
  readonly #carry: Carry;
  readonly #onBreak: () => void;
  /** Null: the end. */
  readonly #sending: (Uint8Array | null)[] = [];
  readonly #arrived: Uint8Array[] = [];
  readonly #waiting = new Waiting();
  #held = 0;
  #writers = 1;
  #readers = 1;
  #isMoving = false;
  #state: "open" | "ended" | "broken" = "open";

  /** `onBreak`: called when the other side does not answer any more. */
  constructor(clock: Clock, carry: Carry, onBreak: () => void) {
    this.#clock = clock;
    this.#carry = carry;
    this.#onBreak = onBreak;
    const wake = (call: () => void): (() => void) => this.#waiting.add(call);
    this.source = {
      ...{ tty: false, isPipe: true, wake },
      take: () => this.#take(),
      unread: (bytes) => this.#unread(bytes),
      retain: () => void this.#readers++,
      release: () => this.#left(),
    };
    this.sink = {
      ...{ tty: false, wake },
      put: (bytes) => this.#put(bytes),
      isFull: () => this.#held >= WINDOW_BYTES,
      retain: () => void this.#writers++,
      release: () => this.#released(),
    };
  }

  /** Whether nothing will arrive any more, and all that arrived is read. */
  get isOver(): boolean {
    return this.#state !== "open" && this.#arrived.length === 0;
  }

  /** Nothing passes any more. What has arrived can still be read. */
  break(): void {
    if (this.#state !== "open") return;
    this.#state = "broken";
    this.#sending.length = 0;
    this.#waiting.stir();
  }

  #take(): Uint8Array | null | undefined {
    const piece = this.#arrived.shift();
    if (!piece) return this.#state === "open" ? undefined : null;
    this.#held -= piece.length;
    this.#waiting.stir();
    return piece;
  }

  #unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#arrived.unshift(bytes);
    this.#held += bytes.length;
  }

  #put(bytes: Uint8Array): number | null {
    if (this.#state !== "open") return null;
    const piece = bytes.slice(0, Math.max(0, WINDOW_BYTES - this.#held));
    if (piece.length === 0) return 0;
    this.#held += piece.length;
    this.#sending.push(piece);
    this.#move();
    return piece.length;
  }

  /** When the last reader leaves, a writer that waits for room learns with its next bytes that nobody reads. */
  #left(): void {
    if (--this.#readers !== 0) return;
    for (const piece of this.#arrived.splice(0)) this.#held -= piece.length;
    this.#waiting.stir();
  }

  #released(): void {
    if (--this.#writers !== 0 || this.#state !== "open") return;
    this.#sending.push(null);
    this.#move();
  }

  #move(): void {
    if (this.#isMoving || this.#sending.length === 0) return;
    this.#isMoving = true;
    this.#send(0);
  }

  #send(retries: number): void {
    if (this.#state !== "open") return;
    const ns = this.#carry(this.#sending[0]?.length ?? 0);
    if (ns !== null) return this.#after(ns, () => this.#arrive());
    if (retries === MOST_RETRIES) return this.#onBreak();
    const pause = FIRST_RETRY_NS << BigInt(retries);
    this.#after(pause < LONGEST_RETRY_NS ? pause : LONGEST_RETRY_NS, () => this.#send(retries + 1));
  }

  #arrive(): void {
    if (this.#state !== "open") return;
    this.#isMoving = false;
    const piece = this.#sending.shift();
    // Nobody reads any more: the other side answers with a reset.
    if (piece && this.#readers <= 0) return this.#onBreak();
    if (piece) this.#arrived.push(piece);
    else this.#state = "ended";
    this.#waiting.stir();
    this.#move();
  }

  #after(ns: bigint, act: () => void): void {
    this.#clock.at(this.#clock.now().monotonic + ns, act);
  }
}
