// Sizes in Docker's notation for people.

const UNITS: string[] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

/** Four significant digits in powers of 1000, without trailing zeros: `196.6kB`, `17.96MB`, `0B`. */
export function byteSize(bytes: u64): string {
  let value = <f64>bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return fourDigits(value) + UNITS[unit];
}

function fourDigits(value: f64): string {
  const decimals = value >= 100 ? 1 : value >= 10 ? 2 : 3;
  const scale: i64 = decimals == 1 ? 10 : decimals == 2 ? 100 : 1000;
  const scaled = <i64>nearest(value * <f64>scale);
  const whole = (scaled / scale).toString();
  if (scaled % scale == 0) return whole;
  let fraction = (scale + (scaled % scale)).toString().substring(1);
  while (fraction.endsWith("0")) fraction = fraction.substring(0, fraction.length - 1);
  return whole + "." + fraction;
}

const LETTERS: string = "kmgtp";
/** Limit of digits: more would not fit 64 bits with the largest unit. */
const MAX_DIGITS: i32 = 15;

/** Bytes for `10m`, `1.5 GiB`, `100`. `unit` is the step between units, 1000 or 1024. -1 for an invalid text. */
export function byteCount(text: string, unit: f64): i64 {
  let digits = 0;
  while (digits < text.length && isOfNumber(text.charCodeAt(digits))) digits++;
  const number = numberOf(text.substring(0, digits));
  if (number < 0) return -1;
  const suffix = text.substring(digits).trim().toLowerCase();
  const power = suffix.length == 0 ? 0 : LETTERS.indexOf(suffix.charAt(0)) + 1;
  const rest = suffix.substring(power > 0 ? 1 : 0);
  if (rest != "" && rest != "b" && !(power > 0 && rest == "ib")) return -1;
  let bytes = number;
  for (let i = 0; i < power; i++) bytes *= unit;
  return bytes < 4e18 ? <i64>bytes : -1;
}

function isOfNumber(c: i32): bool {
  return (c >= 0x30 && c <= 0x39) || c == 0x2e;
}

/** Value of digits with an optional point; negative for an invalid text. */
function numberOf(text: string): f64 {
  const point = text.indexOf(".");
  const digits = text.replace(".", "");
  if (digits.length == 0 || digits.length > MAX_DIGITS || digits.includes(".")) return -1;
  let number: f64 = 0;
  for (let i = 0; i < digits.length; i++) number = number * 10 + <f64>(digits.charCodeAt(i) - 0x30);
  const decimals = point < 0 ? 0 : text.length - point - 1;
  for (let i = 0; i < decimals; i++) number /= 10;
  return number;
}
