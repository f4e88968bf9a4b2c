// Programs on lines of text: sort, uniq, cut, tr and similar ones.

import { chomp, command, eachInput, lines, Writer } from "../command.js";
import { unescapeBytes } from "../escapes.js";
import { parseOptions, UsageError } from "../options.js";
import type { ContainerProcess } from "../../processes/process.js";

async function linesOf(process: ContainerProcess, paths: readonly string[]): Promise<{ all: string[]; code: number }> {
  const all: string[] = [];
  const code = await eachInput(process, paths, async (input) => {
    for await (const line of lines(input)) {
      process.allocate(line.length);
      all.push(chomp(line));
    }
  });
  return { all, code };
}

export const sort = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "nruk:t:fbcso:zghVM");
  const { all, code } = await linesOf(process, words);
  const key = keyOf(flags.get("k"), flags.get("t"));
  const isNumeric = flags.has("n") || /n/.test(flags.get("k") ?? "") || flags.has("g");
  const fold = (text: string): string => (flags.has("f") ? text.toUpperCase() : text);
  const compareKeys = (a: string, b: string): number =>
    isNumeric ? numeric(key(a)) - numeric(key(b)) : order(fold(key(a)), fold(key(b)));
  const isBackward = flags.has("r") || /r/.test(flags.get("k") ?? "");
  const compare = (a: string, b: string): number =>
    (isBackward ? -1 : 1) * (compareKeys(a, b) || (flags.has("u") || flags.has("s") ? 0 : order(a, b)));
  all.sort(compare);
  const kept = flags.has("u")
    ? all.filter((line, index) => index === 0 || compareKeys(line, all[index - 1]!) !== 0)
    : all;
  await process.stdout.write(kept.map((line) => `${line}\n`).join(""));
  return code;
});

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function numeric(text: string): number {
  return Number(/^\s*(-?\d*\.?\d*)/.exec(text)?.[1] || 0) || 0;
}

/** A key such as `2`, `2,3` or `2n`: fields are counted from 1 and extend to the end of the line unless given. */
function keyOf(spec: string | undefined, separator: string | undefined): (line: string) => string {
  if (spec === undefined) return (line) => line;
  const [, first, last] = /^(\d+)(?:\.\d+)?[a-z]*(?:,(\d+)(?:\.\d+)?[a-z]*)?$/.exec(spec) ?? [];
  if (first === undefined) throw new UsageError("bad sort key");
  return (line) => {
    const fields = separator === undefined ? (line.match(/\s*\S+/g) ?? []) : line.split(separator);
    return fields.slice(Number(first) - 1, last === undefined ? undefined : Number(last)).join(separator ?? "");
  };
}

export const uniq = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "cduif:s:w:");
  const writer = new Writer(process);
  let [held, count]: [string | null, number] = [null, 0];
  const flush = async (): Promise<void> => {
    if (held === null || (flags.has("d") && count < 2) || (flags.has("u") && count > 1)) return;
    await writer.write(`${flags.has("c") ? `${String(count).padStart(7)} ` : ""}${held}\n`);
  };
  const key = (line: string): string => {
    const fields = Number(flags.get("f") ?? 0);
    const rest = line.replace(new RegExp(`^(\\s*\\S+){0,${fields}}`), (found) => (fields > 0 ? "" : found));
    return flags.has("i") ? rest.toLowerCase() : rest;
  };
  const code = await eachInput(process, words.slice(0, 1), async (input) => {
    for await (const raw of lines(input)) {
      const line = chomp(raw);
      if (held !== null && key(line) === key(held)) count++;
      else {
        await flush();
        [held, count] = [line, 1];
      }
    }
  });
  await flush();
  await writer.flush();
  return code;
});

export const cut = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "b:c:d:f:ns");
  const spec = flags.get("f") ?? flags.get("c") ?? flags.get("b");
  if (spec === undefined) throw new UsageError("expected a list of bytes, characters, or fields");
  const isIn = membership(spec);
  const separator = flags.get("d") ?? "\t";
  const writer = new Writer(process);
  const cutLine = (line: string): string | null => {
    if (!flags.has("f")) return [...line].filter((_, index) => isIn(index + 1)).join("");
    if (!line.includes(separator)) return flags.has("s") ? null : line;
    return line
      .split(separator)
      .filter((_, index) => isIn(index + 1))
      .join(separator);
  };
  const code = await eachInput(process, words, async (input) => {
    for await (const line of lines(input)) {
      const kept = cutLine(chomp(line));
      if (kept !== null) await writer.write(`${kept}\n`);
    }
  });
  await writer.flush();
  return code;
});

/** A list such as `1,3-5,7-`. */
function membership(spec: string): (number: number) => boolean {
  const ranges = spec.split(",").map((part) => {
    const [, from = "", dash, to = ""] = /^(\d*)(-?)(\d*)$/.exec(part) ?? [];
    if (from === "" && to === "") throw new UsageError(`invalid range '${part}'`);
    return [Number(from || 1), dash ? Number(to || Infinity) : Number(from)] as const;
  });
  return (number) => ranges.some(([from, to]) => number >= from && number <= to);
}

export const tr = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "cCds", {}, true);
  const [first, second] = words;
  if (first === undefined) throw new UsageError("missing operand");
  const complements = flags.has("c") || flags.has("C");
  const listed = charactersOf(first);
  const from = complements ? all().filter((byte) => !listed.includes(byte)) : listed;
  const to = second === undefined ? [] : charactersOf(second);
  const squeezed = new Set(
    flags.has("s") ? (second === undefined || (flags.has("d") && to.length === 0) ? from : to) : [],
  );
  const map = new Map(from.map((byte, index) => [byte, to[Math.min(index, to.length - 1)]] as const));
  let last = -1;
  for (let piece = await process.stdin.read(); piece; piece = await process.stdin.read()) {
    const kept: number[] = [];
    for (const byte of piece) {
      if (flags.has("d") && map.has(byte)) continue;
      const changed = flags.has("d") ? byte : (map.get(byte) ?? byte);
      if (changed === last && squeezed.has(changed)) continue;
      kept.push(changed);
      last = changed;
    }
    await process.stdout.write(Uint8Array.from(kept));
  }
  return 0;
});

function all(): number[] {
  return Array.from({ length: 256 }, (_, byte) => byte);
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alpha: /[A-Za-z]/,
  digit: /[0-9]/,
  alnum: /[A-Za-z0-9]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /[ \t-\r]/,
  blank: /[ \t]/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[0-9A-Fa-f]/,
  cntrl: /[^ -~\x80-\xff]/,
};

function charactersOf(set: string): number[] {
  const bytes: number[] = [];
  const pattern = /\[:(\w+):\]|(\\[0-7]{1,3}|\\.|[^])-(\\[0-7]{1,3}|\\.|[^])|(\\[0-7]{1,3}|\\.|[^])/gu;
  for (const [, name, from, to, single] of set.matchAll(pattern)) {
    if (name !== undefined) bytes.push(...all().filter((byte) => CLASSES[name]?.test(String.fromCharCode(byte))));
    else if (from !== undefined && to !== undefined) bytes.push(...range(byteOf(from), byteOf(to)));
    else bytes.push(...unescapeBytes(single!, "printf").bytes);
  }
  return bytes;
}

function byteOf(text: string): number {
  return unescapeBytes(text, "printf").bytes[0] ?? 0;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
