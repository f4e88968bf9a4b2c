// Programs of a few lines: true, false, echo, printf, test, sleep, seq, pwd, basename, dirname, readlink, realpath,
// sync.

import { absolute, baseName } from "../processes/executable.js";
import { evaluateTest, TestError } from "../shell/test.js";
import { command, complain, Writer } from "./command.js";
import { echoed } from "./text/echo.js";
import { parseOptions, UsageError } from "./options.js";
import { directoryOf, normalize } from "./paths.js";
import { printed } from "./text/printf.js";

export const yesAlways = command(async () => 0);
export const noAlways = command(async () => 1);

export const echo = command(async (process, args) => {
  await process.stdout.write(echoed(args));
  return 0;
});

export const printf = command(async (process, args) => {
  const [format, ...rest] = args;
  if (format === undefined) throw new UsageError("usage: printf FORMAT [ARG]...");
  const { bytes, errors } = printed(format, rest);
  for (const error of errors) await complain(process, error);
  await process.stdout.write(bytes);
  return errors.length > 0 ? 1 : 0;
});

export const test = command(async (process, args) => {
  const isBracket = baseName(process.argv[0] ?? "") === "[";
  if (isBracket && args.at(-1) !== "]") return complain(process, "missing ]", 2);
  const words = isBracket ? args.slice(0, -1) : args;
  const isTerminal = (number: number): boolean => [process.stdin, process.stdout, process.stderr][number]?.tty ?? false;
  try {
    return evaluateTest(words, process, isTerminal);
  } catch (error) {
    if (error instanceof TestError) return complain(process, error.message, 2);
    throw error;
  }
});

const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds for a text such as `1.5`, `2m` or `infinity`; null if it is invalid. */
export function duration(text: string): number | null {
  if (/^inf(inity)?$/.test(text)) return Infinity;
  const [, number, unit = ""] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * UNITS[unit]!;
}

export const sleep = command(async (process, args) => {
  if (args.length === 0) throw new UsageError("missing operand");
  let seconds = 0;
  for (const arg of args) {
    const more = duration(arg);
    if (more === null) throw new UsageError(`invalid number '${arg}'`);
    seconds += more;
  }
  if (!Number.isFinite(seconds)) await process.wait(() => () => {});
  await process.sleep(BigInt(Math.round(seconds * 1e9)));
  return 0;
});

export const seq = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "ws:", {}, true);
  const [separator, isPadded] = [flags.get("s") ?? "\n", flags.has("w")];
  if (words.length > 3) throw new UsageError(`extra operand '${words[3]}'`);
  const bad = words.find((word) => word.trim() === "" || Number.isNaN(Number(word)));
  if (bad !== undefined) throw new UsageError(`invalid number '${bad}'`);
  const [first, step, last] =
    words.length >= 3 ? words : words.length === 2 ? [words[0], "1", words[1]] : ["1", "1", words[0]];
  if (last === undefined) throw new UsageError("missing operand");
  const [from, by, to] = [Number(first), Number(step), Number(last)];
  const digits = Math.max(...[first!, step!].map((word) => /\.(\d+)/.exec(word)?.[1]?.length ?? 0));
  const width = isPadded ? Math.max(from.toFixed(digits).length, to.toFixed(digits).length) : 0;
  const writer = new Writer(process);
  let any = false;
  for (let index = 0; by !== 0; index++) {
    const value = from + index * by;
    if (by > 0 ? value > to + 1e-9 : value < to - 1e-9) break;
    await writer.write(`${any ? separator : ""}${value.toFixed(digits).padStart(width, "0")}`);
    any = true;
  }
  if (any) await writer.write("\n");
  await writer.flush();
  return 0;
});

export const pwd = command(async (process) => {
  await process.stdout.write(`${process.files.resolve(process.cwd)}\n`);
  return 0;
});

export const basename = command(async (process, args) => {
  const [path, suffix = ""] = args[0] === "--" ? args.slice(1) : args;
  if (path === undefined) throw new UsageError("missing operand");
  const name = /^\/+$/.test(path) ? "/" : baseName(path);
  const stem = suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  await process.stdout.write(`${stem}\n`);
  return 0;
});

export const dirname = command(async (process, args) => {
  if (args[0] === undefined) throw new UsageError("missing operand");
  await process.stdout.write(`${directoryOf(args[0])}\n`);
  return 0;
});

export const readlink = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "fnvsqem");
  const [path] = words;
  if (path === undefined) throw new UsageError("missing operand");
  const at = absolute(path, process.cwd);
  try {
    const status = process.files.linkStatus(at);
    if (!flags.has("f") && status.kind !== "symlink") return 1;
    const text = flags.has("f") ? process.files.resolve(at) : status.target;
    await process.stdout.write(flags.has("n") ? text : `${text}\n`);
    return 0;
  } catch {
    if (!flags.has("f")) return 1;
    await process.stdout.write(`${normalize(at)}\n`);
    return 0;
  }
});

export const realpath = command(async (process, args) => {
  for (const path of args) await process.stdout.write(`${process.files.resolve(absolute(path, process.cwd))}\n`);
  return 0;
});
