// `xargs`: makes commands from its input.

import { Wrong } from "../docker/wrong.js";
import { wordsByLine } from "./quotes.js";

interface Wishes {
  /** Run nothing if the input is empty; otherwise run the command once without extra words. */
  readonly onlyIfAny: boolean;
  /** Whether only NUL ends words. */
  readonly isNul: boolean;
  /** Largest number of words or lines per command; null for all at once. */
  readonly words: number | null;
  readonly lines: number | null;
  /** The marker that is replaced by a line in the command's own words. */
  readonly mark: string | null;
}

/** `all`: its own words, options first. */
export function invocations(all: readonly string[], input: string): string[][] {
  const { wishes, command } = read(all);
  const { mark } = wishes;
  if (mark !== null) {
    return itemsOf(wishes, input).map((item) => command.map((word) => word.replaceAll(mark, () => item)));
  }
  const groups = groupsOf(wishes, input);
  if (groups.length === 0) return wishes.onlyIfAny ? [] : [command];
  return groups.map((words) => [...command, ...words]);
}

/** Whole lines, as used for the marker. */
function itemsOf({ isNul }: Wishes, input: string): string[] {
  if (isNul) return endedByNul(input);
  return wordsByLine(input, false).map(([line = ""]) => line);
}

function groupsOf({ isNul, words, lines }: Wishes, input: string): string[][] {
  const byLine = isNul ? endedByNul(input).map((word) => [word]) : wordsByLine(input, true);
  if (lines !== null) return inGroups(byLine, lines).map((group) => group.flat());
  const all = byLine.flat();
  return inGroups(all, words ?? all.length);
}

/** A word may be empty or contain newlines. */
function endedByNul(input: string): string[] {
  return input === "" ? [] : input.replace(/\0$/, "").split("\0");
}

function inGroups<T>(all: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < all.length; at += size) groups.push(all.slice(at, at + size));
  return groups;
}

const LONG: Readonly<Record<string, string>> = {
  "--no-run-if-empty": "-r",
  "--verbose": "-t",
  "--null": "-0",
  "--max-args": "-n",
  "--max-lines": "-L",
  "--max-procs": "-P",
  "--replace": "-I",
};

function read(all: readonly string[]): { wishes: Wishes; command: string[] } {
  const left = [...all];
  const said = new Map<string, string>();
  while (left[0]?.startsWith("-") && left[0].length > 1 && left[0] !== "--") option(left.shift()!, left, said);
  if (left[0] === "--") left.shift();
  const number = (name: string): number | null => (said.has(name) ? countOf(said.get(name)!) : null);
  const wishes = { onlyIfAny: said.has("r"), isNul: said.has("0"), words: number("n"), lines: number("L") };
  return { wishes: { ...wishes, mark: said.get("I") ?? null }, command: left.length > 0 ? left : ["echo"] };
}

/** Parses `-r`, `-rn1`, `-n 1`, `--max-args=1`. */
function option(word: string, left: string[], said: Map<string, string>): void {
  const [name = "", value] = word.split(/=(.*)/s);
  const letters = word.startsWith("--") ? LONG[name] : word;
  if (letters === undefined) throw new Wrong(`xargs does not support ${name} here`, name);
  for (let at = 1; at < letters.length; at++) {
    const letter = letters[at]!;
    if (!"rt0nLPI".includes(letter)) throw new Wrong(`xargs does not support -${letter} here`, `-${letter}`);
    if ("rt0".includes(letter)) {
      said.set(letter, "");
      continue;
    }
    const given = value ?? (letters.slice(at + 1) || left.shift());
    if (given === undefined) throw new Wrong(`xargs: -${letter} needs a value`, `-${letter}`);
    return void said.set(letter, given);
  }
}

function countOf(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Wrong(`xargs: ${text} is not a number of words or lines`, text);
  return Number(text);
}
