// head, tail and wc.

import type { ContainerProcess } from "../../processes/process.js";
import type { ProcessInput } from "../../processes/descriptors.js";
import { absolute } from "../../processes/executable.js";
import { byteLines, command, complain, eachInput, Writer } from "../command.js";
import { concat } from "../escapes.js";
import { parseOptions, UsageError } from "../options.js";

/** A number such as `10`, `4k`, `1M`. */
export function amount(text: string): number {
  const [, number, unit = ""] = /^(\d+)([bkKmMgG]?)B?$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`invalid number '${text}'`);
  return Number(number) * ({ b: 512, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[unit.toLowerCase()] ?? 1);
}

/** `-5` is an old form of `-n 5`. */
function modern(args: readonly string[]): string[] {
  return args.map((arg, index) =>
    /^-\d+$/.test(arg) && !/^-[nc]$/.test(args[index - 1] ?? "") ? `-n${arg.slice(1)}` : arg,
  );
}

/** `+5` as the first argument is an old form of `-n +5`. */
function fromLine([first = "", ...rest]: readonly string[]): string[] {
  return /^\+\d/.test(first) ? [`-n${first}`, ...rest] : first === "" && rest.length === 0 ? [] : [first, ...rest];
}

export const head = command(async (process, args) => {
  const { flags, words } = parseOptions(modern(args), "n:c:qv", { lines: "n", bytes: "c" });
  const [bytes, count] = [flags.get("c"), flags.get("n") ?? "10"];
  amount((bytes ?? count).replace(/^-/, ""));
  const titled = flags.has("v") || (words.length > 1 && !flags.has("q"));
  const writer = new Writer(process);
  let isFirst = true;
  const code = await eachInput(process, words, async (input, path) => {
    if (titled) await writer.write(`${isFirst ? "" : "\n"}==> ${path === "-" ? "standard input" : path} <==\n`);
    isFirst = false;
    if (bytes !== undefined) await headBytes(input, bytes, writer);
    else await headLines(input, count, writer);
  });
  await writer.flush();
  return code;
});

async function headBytes(input: ProcessInput, count: string, writer: Writer): Promise<void> {
  if (count.startsWith("-")) return allButBytes(input, amount(count.slice(1)), writer);
  let left = amount(count);
  while (left > 0) {
    const piece = await input.read();
    if (!piece) return;
    const taken = piece.subarray(0, left);
    left -= taken.length;
    await writer.write(taken);
  }
}

/** A negative count means all but that many lines. */
async function headLines(input: ProcessInput, count: string, writer: Writer): Promise<void> {
  const wanted = amount(count.replace(/^-/, ""));
  if (count.startsWith("-")) return allBut(input, wanted, writer);
  if (wanted === 0) return;
  let seen = 0;
  for await (const line of byteLines(input)) {
    await writer.write(line);
    if (++seen >= wanted) return;
  }
}

async function allBut(input: ProcessInput, count: number, writer: Writer): Promise<void> {
  const held: Uint8Array[] = [];
  for await (const line of byteLines(input)) {
    held.push(line);
    if (held.length > count) await writer.write(held.shift()!);
  }
}

async function allButBytes(input: ProcessInput, count: number, writer: Writer): Promise<void> {
  let held: Uint8Array = new Uint8Array(0);
  for (let piece = await input.read(); piece; piece = await input.read()) {
    const all = concat([held, piece]);
    const over = Math.max(0, all.length - count);
    await writer.write(all.slice(0, over));
    held = all.slice(over);
  }
}

const FOLLOW_NS = 1_000_000_000n;

export const tail = command(async (process, args) => {
  const { flags, words } = parseOptions(modern(fromLine(args)), "n:c:fFqvs:", { lines: "n", bytes: "c", follow: "f" });
  const titled = flags.has("v") || (words.length > 1 && !flags.has("q"));
  const writer = new Writer(process);
  let [isFirst, opened] = [true, 0];
  const code = await eachInput(
    process,
    words,
    async (input, path) => {
      if (titled) await writer.write(`${isFirst ? "" : "\n"}==> ${path === "-" ? "standard input" : path} <==\n`);
      isFirst = false;
      const bytes = flags.get("c");
      if (bytes !== undefined) await tailBytes(input, bytes, writer);
      else await tailLines(input, flags.get("n") ?? "10", writer);
      opened++;
    },
    (path, why) => `can't open '${path}': ${why}`,
  );
  await writer.flush();
  if (opened === 0) return complain(process, "no files");
  if ((flags.has("f") || flags.has("F")) && !endsFor(process, words)) await follow(process, words);
  return code;
});

/** A pipe that has ended is not followed (POSIX). */
function endsFor({ stdin }: ContainerProcess, words: readonly string[]): boolean {
  return words.every((word) => word === "-") && stdin.source.isPipe === true;
}

async function tailLines(input: ProcessInput, count: string, writer: Writer): Promise<void> {
  const wanted = amount(count.replace(/^[-+]/, ""));
  const held: Uint8Array[] = [];
  let seen = 0;
  for await (const line of byteLines(input)) {
    seen++;
    if (count.startsWith("+")) {
      if (seen >= wanted) await writer.write(line);
      continue;
    }
    held.push(line.slice());
    if (held.length > wanted) held.shift();
  }
  for (const line of held) await writer.write(line);
}

async function tailBytes(input: ProcessInput, count: string, writer: Writer): Promise<void> {
  const wanted = amount(count.replace(/^[-+]/, ""));
  const pieces: Uint8Array[] = [];
  for (let piece = await input.read(); piece; piece = await input.read()) {
    input.process.allocate(piece.length);
    pieces.push(piece);
  }
  const whole = concat(pieces);
  const start = count.startsWith("+") ? Math.max(0, wanted - 1) : Math.max(0, whole.length - wanted);
  await writer.write(whole.subarray(start));
}

/** Checks for more once a second, as busybox does. */
async function follow(process: ContainerProcess, paths: readonly string[]): Promise<never> {
  const sizes = new Map(paths.map((path) => [path, sizeOf(process, path)]));
  for (;;) {
    await process.sleep(FOLLOW_NS);
    for (const [path, before] of sizes) {
      const size = sizeOf(process, path);
      if (size === before) continue;
      sizes.set(path, size);
      if (size === 0) continue;
      const bytes = process.files.read(absolute(path, process.cwd));
      await process.stdout.write(bytes.subarray(size > before ? before : 0));
    }
  }
}

function sizeOf(process: ContainerProcess, path: string): number {
  try {
    const status = process.files.status(absolute(path, process.cwd));
    return status.kind === "file" ? status.size : 0;
  } catch {
    return 0;
  }
}

export const wc = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "lwcmL");
  const letters = [..."lwmcL"].filter((letter) => flags.has(letter));
  const wanted = letters.length > 0 ? letters : ["l", "w", "c"];
  const total = new Counts();
  const row = (counts: Counts, name: string): string => {
    const numbers = wanted.map((letter) => String(counts.of(letter)));
    const isAlone = wanted.length === 1 && words.length < 2;
    const shown = isAlone ? numbers[0]! : numbers.map((number) => number.padStart(9)).join(" ");
    return `${shown}${name && ` ${name}`}\n`;
  };
  const code = await eachInput(process, words, async (input, path) => {
    const counts = new Counts();
    for (let piece = await input.read(); piece; piece = await input.read()) counts.add(piece);
    total.sum(counts);
    await process.stdout.write(row(counts, words.length > 0 ? path : ""));
  });
  if (words.length > 1) await process.stdout.write(row(total, "total"));
  return code;
});

class Counts {
  #lines = 0;
  #words = 0;
  #bytes = 0;
  #characters = 0;
  #longest = 0;
  #inWord = false;
  #column = 0;

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    for (const byte of piece) {
      if ((byte & 0xc0) !== 0x80) this.#characters++;
      const isSpace = byte === 0x20 || (byte >= 9 && byte <= 13);
      if (!isSpace && !this.#inWord) this.#words++;
      this.#inWord = !isSpace;
      this.#column = byte === 0x0a ? 0 : this.#column + 1;
      this.#longest = Math.max(this.#longest, this.#column);
      if (byte === 0x0a) this.#lines++;
    }
  }

  sum(other: Counts): void {
    this.#lines += other.#lines;
    this.#words += other.#words;
    this.#bytes += other.#bytes;
    this.#characters += other.#characters;
    this.#longest = Math.max(this.#longest, other.#longest);
  }

  of(letter: string): number {
    const all: Record<string, number> = {
      l: this.#lines,
      w: this.#words,
      c: this.#bytes,
      m: this.#characters,
      L: this.#longest,
    };
    return all[letter] ?? 0;
  }
}
