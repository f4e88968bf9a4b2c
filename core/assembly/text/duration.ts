// Durations in nanoseconds: Go's notation (`1h2m3.5s`), and Docker's words for people.

import { quoteText } from "./go-quote";

export const NANOSECOND: i64 = 1;
export const MICROSECOND: i64 = 1_000;
export const MILLISECOND: i64 = 1_000_000;
export const SECOND: i64 = 1_000_000_000;
export const MINUTE: i64 = 60 * SECOND;
export const HOUR: i64 = 60 * MINUTE;
/** Result of `parseDuration` for an invalid text. */
export const BAD_DURATION: i64 = i64.MIN_VALUE;

/** Reads Go's notation: signed decimals, each with a unit of `ns us µs ms s m h`; or `0`. */
export function parseDuration(text: string): i64 {
  const negative = text.startsWith("-");
  let at = negative || text.startsWith("+") ? 1 : 0;
  if (text.length - at == 1 && text.charCodeAt(at) == 0x30) return 0;
  if (at == text.length) return BAD_DURATION;
  let total: i64 = 0;
  while (at < text.length) {
    const part = new DurationPart(text, at);
    if (part.value < 0 || total > i64.MAX_VALUE - part.value) return BAD_DURATION;
    total += part.value;
    at = part.end;
  }
  return negative ? -total : total;
}

/** Go's sentence for a text that `parseDuration` does not take. */
export function durationProblem(text: string): string {
  let at = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  while (isDigit(text, at) || (at < text.length && text.charCodeAt(at) == 0x2e)) {
    while (isDigit(text, at) || (at < text.length && text.charCodeAt(at) == 0x2e)) at++;
    const from = at;
    while (at < text.length && !isDigit(text, at) && text.charCodeAt(at) != 0x2e) at++;
    const unit = text.substring(from, at);
    if (unit.length == 0) return `time: missing unit in duration ${quoteText(text)}`;
    if (unitOf(unit) == 0) return `time: unknown unit ${quoteText(unit)} in duration ${quoteText(text)}`;
  }
  return `time: invalid duration ${quoteText(text)}`;
}

/** Writes Go's notation: `1h2m3.5s`, `1.5ms`, `0s`. */
export function formatDuration(duration: i64): string {
  if (duration == 0) return "0s";
  const sign = duration < 0 ? "-" : "";
  const value = duration < 0 ? 0 - <u64>duration : <u64>duration;
  if (value < <u64>MICROSECOND) return sign + value.toString() + "ns";
  if (value < <u64>MILLISECOND) return sign + decimal(value, <u64>MICROSECOND) + "µs";
  if (value < <u64>SECOND) return sign + decimal(value, <u64>MILLISECOND) + "ms";
  const minutes = value / <u64>MINUTE;
  let text = decimal(value % <u64>MINUTE, <u64>SECOND) + "s";
  if (minutes > 0) text = (minutes % 60).toString() + "m" + text;
  if (minutes >= 60) text = (minutes / 60).toString() + "h" + text;
  return sign + text;
}

/** Docker's words: `Less than a second`, `About a minute`, `3 weeks`. Used in `Up …` and `Exited (0) … ago`. */
export function humanDuration(duration: i64): string {
  const seconds = duration / SECOND;
  if (seconds < 1) return "Less than a second";
  if (seconds == 1) return "1 second";
  if (seconds < 60) return seconds.toString() + " seconds";
  const minutes = seconds / 60;
  if (minutes == 1) return "About a minute";
  if (minutes < 60) return minutes.toString() + " minutes";
  // Rounded to the nearest hour.
  const hours = (duration + HOUR / 2) / HOUR;
  if (hours == 1) return "About an hour";
  if (hours < 48) return hours.toString() + " hours";
  if (hours < 24 * 7 * 2) return (hours / 24).toString() + " days";
  if (hours < 24 * 30 * 2) return (hours / 24 / 7).toString() + " weeks";
  if (hours < 24 * 365 * 2) return (hours / 24 / 30).toString() + " months";
  return (duration / HOUR / 24 / 365).toString() + " years";
}

// One number with its unit. `value` is -1 if there is none, or if it is too large.
class DurationPart {
  value: i64 = -1;
  end: i32 = 0;

  constructor(text: string, from: i32) {
    this.read(text, from);
  }

  private read(text: string, from: i32): void {
    let at = from;
    let whole: u64 = 0;
    while (isDigit(text, at)) {
      if (whole > <u64>i64.MAX_VALUE / 10 - 1) return;
      whole = whole * 10 + (text.charCodeAt(at++) - 0x30);
    }
    let digits = at - from;
    let fraction: u64 = 0;
    let scale: u64 = 1;
    if (at < text.length && text.charCodeAt(at) == 0x2e) {
      for (at++; isDigit(text, at); at++, digits++) {
        // Digits beyond the nanoseconds of an hour make no difference.
        if (scale >= 100_000_000_000_000) continue;
        fraction = fraction * 10 + (text.charCodeAt(at) - 0x30);
        scale *= 10;
      }
    }
    if (digits == 0) return;
    const unitFrom = at;
    while (at < text.length && text.charCodeAt(at) != 0x2e && !isDigit(text, at)) at++;
    const unit = unitOf(text.substring(unitFrom, at));
    if (unit == 0 || whole > <u64>i64.MAX_VALUE / unit) return;
    const value = whole * unit + <u64>((<f64>fraction * <f64>unit) / <f64>scale);
    if (value > <u64>i64.MAX_VALUE) return;
    this.end = at;
    this.value = <i64>value;
  }
}

function unitOf(name: string): u64 {
  if (name == "ns") return NANOSECOND;
  if (name == "us" || name == "µs" || name == "μs") return MICROSECOND;
  if (name == "ms") return MILLISECOND;
  if (name == "s") return SECOND;
  if (name == "m") return MINUTE;
  return name == "h" ? HOUR : 0;
}

// `value / unit` as a decimal with as many digits after the point as needed.
function decimal(value: u64, unit: u64): string {
  const rest = value % unit;
  const whole = (value / unit).toString();
  if (rest == 0) return whole;
  let digits = (unit + rest).toString().substring(1);
  while (digits.endsWith("0")) digits = digits.substring(0, digits.length - 1);
  return whole + "." + digits;
}

function isDigit(text: string, at: i32): bool {
  return at < text.length && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39;
}
