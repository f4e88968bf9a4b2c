// Times of log lines, parsed from and written to bytes, because a log has millions of them.

/** Length of `2006-01-02T15:04:05.000000000Z`. */
export const TIMESTAMP_LENGTH = 30;

/** Length of `2006-01-02T15:04:05`. */
const SECONDS_LENGTH = 19;

/** A moment: whole seconds since 1970, and nanoseconds. One object is reused from line to line. */
export class Moment {
  seconds = 0;
  nanos = 0;
  // What was parsed last and written last, up to the seconds.
  readonly #parsed = new Uint8Array(SECONDS_LENGTH);
  #parsedSeconds = 0;
  readonly #written = new Uint8Array(SECONDS_LENGTH);
  #writtenSeconds = NaN;

  static of(wall: bigint): Moment {
    const moment = new Moment();
    moment.seconds = Number(wall / 1_000_000_000n);
    moment.nanos = Number(wall % 1_000_000_000n);
    return moment;
  }

  isBefore(other: Moment): boolean {
    return this.seconds < other.seconds || (this.seconds === other.seconds && this.nanos < other.nanos);
  }

  set(other: Moment): void {
    this.seconds = other.seconds;
    this.nanos = other.nanos;
  }

  /** Parses RFC 3339 with any fraction and offset, from `at` up to `end`. */
  parse(bytes: Uint8Array, at: number, end: number): void {
    let next = at + SECONDS_LENGTH;
    let nanos = 0;
    if (bytes[next] === POINT) {
      let scale = 100_000_000;
      for (next++; next < end && isDigit(bytes[next]!); next++, scale /= 10) nanos += (bytes[next]! - ZERO) * scale;
    }
    this.nanos = nanos;
    this.seconds = this.#secondsAt(bytes, at) - offsetSeconds(bytes, next);
  }

  /** Without the offset. Most lines of a log are from the same second as the line before. */
  #secondsAt(bytes: Uint8Array, at: number): number {
    const last = this.#parsed;
    let same = 0;
    while (same < SECONDS_LENGTH && bytes[at + same] === last[same]) same++;
    if (same < SECONDS_LENGTH) {
      const days = daysSince1970(digits(bytes, at, 4), digits(bytes, at + 5, 2), digits(bytes, at + 8, 2));
      const clock = digits(bytes, at + 11, 2) * 3600 + digits(bytes, at + 14, 2) * 60 + digits(bytes, at + 17, 2);
      this.#parsedSeconds = days * 86_400 + clock;
      for (let index = same; index < SECONDS_LENGTH; index++) last[index] = bytes[at + index]!;
    }
    return this.#parsedSeconds;
  }

  /** Writes it in UTC with nine digits, as Docker does before log lines. */
  write(into: Uint8Array, at: number): void {
    const written = this.#written;
    if (this.#writtenSeconds !== this.seconds) writeSeconds(written, (this.#writtenSeconds = this.seconds));
    for (let index = 0; index < SECONDS_LENGTH; index++) into[at + index] = written[index]!;
    into[at + 19] = POINT;
    writeDigits(into, at + 20, 9, this.nanos);
    into[at + 29] = LETTER_Z;
  }
}

const ZERO = 0x30;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) value = value * 10 + bytes[index]! - ZERO;
  return value;
}

function writeSeconds(into: Uint8Array, seconds: number): void {
  const days = Math.floor(seconds / 86_400);
  const clock = seconds - days * 86_400;
  writeDate(into, 0, days);
  into[10] = LETTER_T;
  writeDigits(into, 11, 2, Math.floor(clock / 3600));
  into[13] = COLON;
  writeDigits(into, 14, 2, Math.floor(clock / 60) % 60);
  into[16] = COLON;
  writeDigits(into, 17, 2, clock % 60);
}

function writeDigits(into: Uint8Array, at: number, count: number, value: number): void {
  for (let index = at + count - 1; index >= at; index--) {
    const rest = Math.floor(value / 10);
    into[index] = ZERO + value - rest * 10;
    value = rest;
  }
}

/** `Z`, `+02:00` or `-0330`. */
function offsetSeconds(bytes: Uint8Array, at: number): number {
  const sign = bytes[at];
  if (sign !== PLUS && sign !== MINUS) return 0;
  const minutes = bytes[at + 3] === COLON ? at + 4 : at + 3;
  const seconds = digits(bytes, at + 1, 2) * 3600 + digits(bytes, minutes, 2) * 60;
  return sign === PLUS ? seconds : -seconds;
}

// The two below are the usual arithmetic of the proleptic Gregorian calendar with years that begin in March.

function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

function writeDate(into: Uint8Array, at: number, daysSinceEpoch: number): void {
  const days = daysSinceEpoch + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  writeDigits(into, at, 4, era * 400 + yearOfEra + (month <= 2 ? 1 : 0));
  into[at + 4] = MINUS;
  writeDigits(into, at + 5, 2, month);
  into[at + 7] = MINUS;
  writeDigits(into, at + 8, 2, dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1);
}
