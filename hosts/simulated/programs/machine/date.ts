// date, and formatting of times (strftime(3)). The simulated machine is in UTC.

import { absolute } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import { command, complain, whyNot } from "../command.js";
import { parseOptions } from "../options.js";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");

export const date = command(async (process, args) => {
  const { flags, words } = parseOptions(args.map(withPrecision), "uRI:d:s:r:D:", {
    utc: "u",
    date: "d",
    "rfc-2822": "R",
    rfc: "R",
  });
  const given = flags.get("d");
  let wall = given === undefined ? process.now() : parseTime(given, process.now());
  const file = flags.get("r");
  if (file !== undefined) {
    const modified = modifiedOf(process, file);
    if (typeof modified === "string") return complain(process, `can't stat '${file}': ${modified}`);
    wall = modified;
  }
  if (flags.has("s")) return complain(process, "can't set date: Operation not permitted");
  if (wall === null) return complain(process, `invalid date '${given}'`);
  const [format] = words;
  if (format !== undefined && !format.startsWith("+")) return complain(process, `invalid date '${format}'`);
  const shape = flags.has("R")
    ? "%a, %d %b %Y %H:%M:%S %z"
    : flags.has("I")
      ? isoFormat(flags.get("I")!)
      : "%a %b %e %H:%M:%S %Z %Y";
  await process.stdout.write(`${formatTime(wall, format?.slice(1) ?? shape)}\n`);
  return 0;
});

/** -I may have a value, but only in the same word. */
function withPrecision(arg: string): string {
  return /^-[uR]*I$/.test(arg) ? `${arg}date` : arg;
}

/** The time, or the reason why there is none. */
function modifiedOf(process: ContainerProcess, file: string): bigint | string {
  try {
    return process.files.status(absolute(file, process.cwd)).modified;
  } catch (error) {
    const why = whyNot(error);
    if (why === false) throw error;
    return why;
  }
}

function isoFormat(precision: string): string {
  return (
    { hours: "%Y-%m-%dT%H+00:00", minutes: "%Y-%m-%dT%H:%M+00:00", seconds: "%Y-%m-%dT%H:%M:%S+00:00" }[precision] ??
    "%Y-%m-%d"
  );
}

/**
 * Parses `@SECONDS`, `YYYY-MM-DD hh:mm[:ss]`, `YYYY-MM-DD`, `hh:mm[:ss]`, `YYYY.MM.DD-hh:mm[:ss]` or
 * `YYYYMMDDhhmm[.ss]`; null for anything else.
 */
export function parseTime(text: string, now: bigint): bigint | null {
  const seconds = /^@(-?\d+)$/.exec(text)?.[1];
  if (seconds) return BigInt(seconds) * SECOND_NS;
  const today = new Date(Number(now / 1_000_000n)).toISOString().slice(0, 10);
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(text);
  const dotted = /^(\d{4})\.(\d\d)\.(\d\d)-(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  const [, year, month, date, hour, minute, second = "00"] = digits ?? dotted ?? [];
  if (year !== undefined) return parseTime(`${year}-${month}-${date} ${hour}:${minute}:${second}`, now);
  const parts = /^(\d{4}-\d\d-\d\d)?[T ]?(\d\d:\d\d(?::\d\d)?)?Z?$/.exec(text);
  if (parts === null || text === "") return null;
  const [, day = today, time = "00:00"] = parts;
  const parsed = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(parsed) ? null : BigInt(parsed) * 1_000_000n;
}

const SECOND_NS = 1_000_000_000n;

/** `wall`: nanoseconds since 1970. */
export function formatTime(wall: bigint, format: string): string {
  const at = new Date(Number(wall / 1_000_000n));
  return format.replace(/%[-_0]?([a-zA-Z%])/g, (found, letter: string) => {
    const text = CONVERSIONS[letter]?.(at, wall);
    if (text === undefined) return found;
    return found[1] === "-" ? text.replace(/^[0 ]+(?=.)/, "") : text;
  });
}

const two = (value: number, filling = "0"): string => String(value).padStart(2, filling);
const dayOfYear = (at: Date): number =>
  Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
/** Week of the year, for weeks that begin on this day (0 for Sunday). Days before the first week are in week 0. */
const weekFrom = (at: Date, first: number): number =>
  Math.floor((dayOfYear(at) + 6 - ((at.getUTCDay() - first + 7) % 7)) / 7);
/** The Thursday of the same week. It has the week and year of ISO 8601. */
const thursday = (at: Date): Date => new Date(at.getTime() + (4 - (at.getUTCDay() || 7)) * 86_400_000);
const hour12 = (at: Date): number => at.getUTCHours() % 12 || 12;

const CONVERSIONS: Readonly<Record<string, (at: Date, wall: bigint) => string>> = {
  a: (at) => DAYS[at.getUTCDay()]!.slice(0, 3),
  A: (at) => DAYS[at.getUTCDay()]!,
  b: (at) => MONTHS[at.getUTCMonth()]!.slice(0, 3),
  B: (at) => MONTHS[at.getUTCMonth()]!,
  g: (at) => two(thursday(at).getUTCFullYear() % 100),
  G: (at) => String(thursday(at).getUTCFullYear()),
  h: (at) => MONTHS[at.getUTCMonth()]!.slice(0, 3),
  c: (_, wall) => formatTime(wall, "%a %b %e %H:%M:%S %Y"),
  C: (at) => two(Math.floor(at.getUTCFullYear() / 100)),
  d: (at) => two(at.getUTCDate()),
  D: (_, wall) => formatTime(wall, "%m/%d/%y"),
  e: (at) => two(at.getUTCDate(), " "),
  F: (_, wall) => formatTime(wall, "%Y-%m-%d"),
  H: (at) => two(at.getUTCHours()),
  I: (at) => two(hour12(at)),
  j: (at) => String(dayOfYear(at)).padStart(3, "0"),
  k: (at) => two(at.getUTCHours(), " "),
  l: (at) => two(hour12(at), " "),
  m: (at) => two(at.getUTCMonth() + 1),
  M: (at) => two(at.getUTCMinutes()),
  n: () => "\n",
  N: (_, wall) => String(wall % SECOND_NS).padStart(9, "0"),
  p: (at) => (at.getUTCHours() < 12 ? "AM" : "PM"),
  P: (at) => (at.getUTCHours() < 12 ? "am" : "pm"),
  r: (_, wall) => formatTime(wall, "%I:%M:%S %p"),
  R: (_, wall) => formatTime(wall, "%H:%M"),
  s: (_, wall) => String(wall / SECOND_NS),
  S: (at) => two(at.getUTCSeconds()),
  t: () => "\t",
  T: (_, wall) => formatTime(wall, "%H:%M:%S"),
  u: (at) => String(at.getUTCDay() || 7),
  U: (at) => two(weekFrom(at, 0)),
  V: (at) => two(Math.ceil(dayOfYear(thursday(at)) / 7)),
  w: (at) => String(at.getUTCDay()),
  W: (at) => two(weekFrom(at, 1)),
  x: (_, wall) => formatTime(wall, "%m/%d/%y"),
  X: (_, wall) => formatTime(wall, "%H:%M:%S"),
  y: (at) => two(at.getUTCFullYear() % 100),
  Y: (at) => String(at.getUTCFullYear()),
  z: () => "+0000",
  Z: () => "UTC",
  "%": () => "%",
};
