// Times as nanoseconds since 1970-01-01T00:00:00Z, and the notations that clients use.

import { TextBuilder } from "./builder";
import { BAD_DURATION, parseDuration, SECOND } from "./duration";

/** Stands for no time; written as Go's zero time. */
export const NO_TIME: i64 = i64.MIN_VALUE;
/** Result of the parsers for an invalid text. */
export const BAD_TIME: i64 = i64.MIN_VALUE + 1;

/** RFC 3339 in UTC, with as many digits after the point as needed; `NO_TIME` is `0001-01-01T00:00:00Z`. */
export function formatTime(time: i64): string {
  if (time == NO_TIME) return "0001-01-01T00:00:00Z";
  const seconds = floorDiv(time, SECOND);
  const text = writtenSeconds(seconds);
  let fraction = time - seconds * SECOND;
  if (fraction == 0) return text.unit(ZULU).toString();
  let digits = 9;
  for (; fraction % 10 == 0; fraction /= 10) digits--;
  return padded(text.unit(POINT), fraction, digits).unit(ZULU).toString();
}

/** The same without a fraction: `CreatedAt` of volumes. */
export function formatTimeInSeconds(time: i64): string {
  if (time == NO_TIME) return "0001-01-01T00:00:00Z";
  return writtenSeconds(floorDiv(time, SECOND)).unit(ZULU).toString();
}

/** Whole seconds since 1970, rounded down. `NO_TIME` gives Go's value: -62135596800. */
export function unixSeconds(time: i64): i64 {
  return time == NO_TIME ? ZERO_SECONDS : floorDiv(time, SECOND);
}

/**
 * Reads RFC 3339. The zone may be missing (UTC), and so may the seconds, minutes, and hours with their `T`. Go's zero
 * time gives `NO_TIME`; times outside 1678…2262 give the earliest or latest possible time.
 */
export function parseTime(text: string): i64 {
  const reader = new TimeReader(text);
  const time = reader.read();
  return reader.failed ? BAD_TIME : time;
}

/** Whether a text is complete RFC 3339, as Go reads times in JSON. */
export function isFullTime(text: string): bool {
  if (parseTime(text) == BAD_TIME || text.charAt(10) != "T" || text.charAt(16) != ":") return false;
  const zone = text.charAt(text.length - 6);
  return text.endsWith("Z") || zone == "+" || zone == "-";
}

/**
 * Reads Unix time as `seconds[.fraction]`: up to twenty digits are allowed in the fraction, of which nine count (surface §2.7).
 */
export function parseUnixTime(text: string): i64 {
  const point = text.indexOf(".");
  const whole = point < 0 ? text : text.substring(0, point);
  const seconds = parseSeconds(whole);
  if (seconds == BAD_TIME) return BAD_TIME;
  if (point < 0) return saturated(seconds, 0);
  const fraction = text.substring(point + 1);
  if (fraction.length == 0 || fraction.length > 20 || !allDigits(fraction)) return BAD_TIME;
  const nanoseconds = I64.parseInt(fraction.substring(0, 9).padEnd(9, "0"), 10);
  return saturated(seconds, nanoseconds);
}

/** Reads the time of a filter (surface §2.5): a Go duration before `now`, RFC 3339 (also shortened), or Unix seconds. */
export function parseFilterTime(text: string, now: i64): i64 {
  const duration = text == "0" ? BAD_DURATION : parseDuration(text);
  if (duration != BAD_DURATION) return before(now, duration);
  const unix = parseUnixTime(text);
  return unix == BAD_TIME ? parseTime(text) : unix;
}

/** A negative duration leads into the future, up to the latest possible time. */
function before(now: i64, duration: i64): i64 {
  return duration < 0 && now > i64.MAX_VALUE + duration ? i64.MAX_VALUE : now - duration;
}

const ZERO_SECONDS: i64 = -62135596800;
const DAY_SECONDS: i64 = 86400;
const LIMIT_SECONDS: i64 = i64.MAX_VALUE / SECOND - 1;

/** Units of a time's text: with nine digits after the point. */
const WIDEST: i32 = 30;
const HYPHEN: i32 = 0x2d;
const POINT: i32 = 0x2e;
const COLON: i32 = 0x3a;
const DATE_END: i32 = 0x54;
const ZULU: i32 = 0x5a;

class TimeReader {
  failed: bool = false;
  private at: i32 = 0;

  constructor(private text: string) {}

  read(): i64 {
    const year = this.number(4);
    this.expect(0x2d);
    const month = this.number(2);
    this.expect(0x2d);
    const day = this.number(2);
    if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) this.failed = true;
    if (this.failed) return BAD_TIME;
    let seconds = daysFrom1970(year, month, day) * DAY_SECONDS;
    let fraction: i64 = 0;
    if (this.take(0x54) || this.take(0x74)) {
      seconds += this.below(24) * 3600;
      if (this.take(0x3a)) {
        seconds += this.below(60) * 60;
        if (this.take(0x3a)) {
          seconds += this.below(60);
          if (this.take(0x2e)) fraction = this.fraction();
        }
      }
    }
    seconds -= this.zone();
    if (this.at != this.text.length) this.failed = true;
    if (seconds == ZERO_SECONDS && fraction == 0) return NO_TIME;
    return saturated(seconds, fraction);
  }

  // Offset from UTC in seconds, positive to the east.
  private zone(): i64 {
    if (this.at == this.text.length || this.take(0x5a) || this.take(0x7a)) return 0;
    const west = this.take(0x2d);
    if (!west) this.expect(0x2b);
    const hours = this.below(24);
    this.expect(0x3a);
    const seconds = hours * 3600 + this.below(60) * 60;
    return west ? -seconds : seconds;
  }

  private fraction(): i64 {
    let value: i64 = 0;
    let digits = 0;
    for (; this.digit() >= 0; this.at++, digits++) {
      if (digits < 9) value = value * 10 + this.digit();
    }
    if (digits == 0) this.failed = true;
    for (; digits < 9; digits++) value *= 10;
    return value;
  }

  private below(limit: i64): i64 {
    const value = this.number(2);
    if (value >= limit) this.failed = true;
    return value;
  }

  private number(digits: i32): i64 {
    let value: i64 = 0;
    for (let i = 0; i < digits; i++, this.at++) {
      if (this.digit() < 0) {
        this.failed = true;
        return 0;
      }
      value = value * 10 + this.digit();
    }
    return value;
  }

  private digit(): i32 {
    if (this.at >= this.text.length) return -1;
    const digit = this.text.charCodeAt(this.at) - 0x30;
    return digit > 9 ? -1 : digit;
  }

  private take(unit: i32): bool {
    if (this.at >= this.text.length || this.text.charCodeAt(this.at) != unit) return false;
    this.at++;
    return true;
  }

  private expect(unit: i32): void {
    if (!this.take(unit)) this.failed = true;
  }
}

function writtenSeconds(seconds: i64): TextBuilder {
  const days = floorDiv(seconds, DAY_SECONDS);
  const rest = seconds - days * DAY_SECONDS;
  const text = new TextBuilder(WIDEST);
  writeDate(text, days);
  padded(text.unit(DATE_END), rest / 3600, 2);
  padded(text.unit(COLON), (rest / 60) % 60, 2);
  return padded(text.unit(COLON), rest % 60, 2);
}

// The Gregorian date of a number of days since 1970, computed with years that begin on the first of March.
function writeDate(text: TextBuilder, days: i64): void {
  const shifted = days + 719468;
  const era = floorDiv(shifted, 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  padded(text, year, 4);
  padded(text.unit(HYPHEN), month, 2);
  padded(text.unit(HYPHEN), day, 2);
}

function daysFrom1970(year: i64, month: i64, day: i64): i64 {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = floorDiv(marchYear, 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

function daysIn(year: i64, month: i64): i64 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

function saturated(seconds: i64, fraction: i64): i64 {
  if (seconds > LIMIT_SECONDS) return i64.MAX_VALUE;
  if (seconds < -LIMIT_SECONDS) return -i64.MAX_VALUE + 1;
  return seconds * SECOND + fraction;
}

function parseSeconds(text: string): i64 {
  const digits = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
  if (!allDigits(digits) || digits.length > 18) return BAD_TIME;
  const value = I64.parseInt(digits, 10);
  return text.startsWith("-") ? -value : value;
}

function allDigits(text: string): bool {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return false;
  }
  return text.length > 0;
}

function floorDiv(value: i64, by: i64): i64 {
  const quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}

function padded(text: TextBuilder, value: i64, digits: i32): TextBuilder {
  let place: i64 = 1;
  for (let i = 1; i < digits; i++) place *= 10;
  for (; place > 0; place /= 10) text.unit(<i32>(0x30 + ((value / place) % 10)));
  return text;
}
