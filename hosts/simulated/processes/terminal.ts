// A terminal: the line discipline (termios(3)) between the client's keyboard and screen and the processes' input and
// output.

import { Waiting, type Sink, type Source } from "./streams.js";
import { SIGINT, SIGQUIT, SIGTSTP } from "./signals.js";

/** Settings as stty(1) calls them. */
export interface TerminalSettings {
  icanon: boolean;
  echo: boolean;
  isig: boolean;
  icrnl: boolean;
  opost: boolean;
  onlcr: boolean;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const DELETE = 0x7f;
const control = (letter: string) => letter.charCodeAt(0) & 0x1f;
const SIGNALS: ReadonlyMap<number, number> = new Map([
  [control("C"), SIGINT],
  [0x1c, SIGQUIT],
  [control("Z"), SIGTSTP],
]);
const NOTHING = new Uint8Array(0);

export class Terminal {
  settings: TerminalSettings = { icanon: true, echo: true, isig: true, icrnl: true, opost: true, onlcr: true };
  /** The process group that receives signals from keys. */
  foreground = 1;
  /** Delivers the signal of a key. */
  signalGroup: (group: number, signal: number) => void = () => {};
  readonly source: Source;
  readonly sink: Sink;
  readonly #shown: Sink;
  /** The line being typed. */
  #line: number[] = [];
  /** Input that can be read. An empty piece is an end of file, once. */
  readonly #pieces: Uint8Array[] = [];
  readonly #waiting = new Waiting();

  /** `shown` receives what the client sees. */
  constructor(
    shown: Sink,
    public rows: number,
    public columns: number,
  ) {
    this.#shown = shown;
    this.source = {
      tty: true,
      take: () => this.#take(),
      unread: (bytes) => void (bytes.length > 0 && this.#pieces.unshift(bytes)),
      wake: (more) => this.#waiting.add(more),
      retain() {},
      release() {},
    };
    const { byteNs = 0 } = shown;
    // A writer waits if the client reads slowly. Typed characters are echoed anyway.
    const put = (bytes: Uint8Array) => (shown.isFull?.() ? 0 : this.#put(bytes));
    const wake = (room: () => void) => shown.wake(room);
    this.sink = { tty: true, byteNs, put, wake, retain() {}, release() {} };
  }

  /** Handles bytes that the client types. */
  type(bytes: Uint8Array): void {
    for (const byte of bytes) this.#key(byte);
    if (!this.settings.icanon) this.#commit();
  }

  #key(typed: number): void {
    const { icanon, isig, icrnl } = this.settings;
    const byte = typed === RETURN && icrnl ? NEWLINE : typed;
    const signal = isig ? SIGNALS.get(byte) : undefined;
    if (signal !== undefined) return this.#interrupt(byte, signal);
    if (!icanon) return this.#add(byte);
    if (byte === DELETE || byte === control("H")) return this.#erase();
    if (byte === control("U")) return this.#eraseLine();
    if (byte === control("D")) return this.#endOfFile();
    this.#add(byte);
    if (byte === NEWLINE) this.#commit();
  }

  #add(byte: number): void {
    this.#line.push(byte);
    this.#echo(byte);
  }

  #interrupt(byte: number, signal: number): void {
    this.#line = [];
    this.#echo(byte);
    this.signalGroup(this.foreground, signal);
  }

  #erase(): void {
    if (this.#line.pop() !== undefined && this.settings.echo) this.#show(0x08, 0x20, 0x08);
  }

  #eraseLine(): void {
    while (this.#line.length > 0) this.#erase();
  }

  #endOfFile(): void {
    if (this.#line.length > 0) return this.#commit();
    this.#pieces.push(NOTHING);
    this.#waiting.stir();
  }

  #commit(): void {
    if (this.#line.length === 0) return;
    this.#pieces.push(Uint8Array.from(this.#line));
    this.#line = [];
    this.#waiting.stir();
  }

  /** Control characters are shown as `^C`. */
  #echo(byte: number): void {
    if (!this.settings.echo) return;
    if (byte >= 0x20 || byte === NEWLINE || byte === 0x09) this.#show(byte);
    else this.#show(0x5e, byte + 0x40);
  }

  #show(...bytes: number[]): void {
    this.#put(Uint8Array.from(bytes));
  }

  #take(): Uint8Array | null | undefined {
    const piece = this.#pieces.shift();
    return piece?.length === 0 ? null : piece;
  }

  #put(bytes: Uint8Array): number {
    const { opost, onlcr } = this.settings;
    this.#shown.put(opost && onlcr ? withReturns(bytes) : bytes);
    return bytes.length;
  }
}

function withReturns(bytes: Uint8Array): Uint8Array {
  let lines = 0;
  for (const byte of bytes) if (byte === NEWLINE) lines++;
  const result = new Uint8Array(bytes.length + lines);
  let at = 0;
  for (const byte of bytes) {
    if (byte === NEWLINE) result[at++] = RETURN;
    result[at++] = byte;
  }
  return result;
}
