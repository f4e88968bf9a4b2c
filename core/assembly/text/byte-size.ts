// Sizes for people, in Docker's form.

const UNITS: string[] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

/** Four significant digits in powers of 1000, trailing zeros left out: `196.6kB`, `17.96MB`, `0B`. */
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
