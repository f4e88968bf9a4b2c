// grep, egrep and fgrep.

import { FileError } from "../../files/file-system.js";
import { absolute } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import { chomp, complain, command, lines, open, whyNot, Writer } from "../command.js";
import { escapeExpression, posixExpression } from "../expressions.js";
import { parseOptions, UsageError, type Options } from "../options.js";
import { join } from "../paths.js";

const LETTERS = "HhnclLqivwxsrREFoe:f:m:A:B:C:";
const LONG = { color: "s", colour: "s" };

export const grep = command(
  async (process, args) =>
    run(
      process,
      args.filter((arg) => !/^--colou?r/.test(arg)),
      "",
    ),
  2,
);
export const egrep = command(async (process, args) => run(process, args, "E"), 2);
export const fgrep = command(async (process, args) => run(process, args, "F"), 2);

async function run(process: ContainerProcess, args: readonly string[], kind: string): Promise<number> {
  const { flags, words } = parseOptions(everyPattern(args), LETTERS, LONG);
  const listed = flags.get("f");
  const patterns = [flags.get("e"), listed === undefined ? undefined : patternsIn(process, listed)];
  const named = patterns.filter((one) => one !== undefined);
  const given = named.length > 0 ? named.join("\n") : words.shift();
  if (given === undefined) throw new UsageError("no pattern");
  const search = new Search(process, flags, expressionOf(given, flags, kind), isNamed(words, flags));
  let failed = false;
  for (const path of words.length > 0 ? words : ["-"]) {
    if (!(await search.path(path))) failed = true;
    if (search.found && flags.has("q")) return 0;
  }
  await search.writer.flush();
  return failed && !search.found ? 2 : search.found ? (failed ? 2 : 0) : 1;
}

/** One pattern per line. A final newline adds no pattern. Throws `FileError`. */
function patternsIn(process: ContainerProcess, path: string): string {
  return new TextDecoder().decode(process.files.read(absolute(path, process.cwd))).replace(/\n$/, "");
}

/** Whether file names precede the lines. */
function isNamed(words: readonly string[], flags: Options["flags"]): boolean {
  return words.length > 1 || (isRecursive(flags) && words.length > 0);
}

/** Several -e form one pattern of several lines. */
function everyPattern(args: readonly string[]): string[] {
  const patterns: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    if (args[at] === "-e") patterns.push(args[++at] ?? "");
    else rest.push(args[at]!);
  }
  return patterns.length > 0 ? ["-e", patterns.join("\n"), ...rest] : rest;
}

function isRecursive(flags: Options["flags"]): boolean {
  return flags.has("r") || flags.has("R");
}

function expressionOf(pattern: string, flags: Options["flags"], kind: string): RegExp {
  const fixed = kind === "F" || flags.has("F");
  const extended = kind === "E" || flags.has("E");
  const sources = pattern.split("\n").map((line) => {
    try {
      return fixed ? escapeExpression(line) : posixExpression(line, extended).source.replace(/^\(\?:\)$/, "");
    } catch {
      throw new UsageError(`bad regex '${line}'`);
    }
  });
  const either = sources.map((source) => `(?:${source})`).join("|");
  const bounded = flags.has("x") ? `^(?:${either})$` : flags.has("w") ? `(?<!\\w)(?:${either})(?!\\w)` : either;
  return new RegExp(bounded, `g${flags.has("i") ? "i" : ""}`);
}

class Search {
  found = false;
  readonly writer: Writer;

  constructor(
    readonly process: ContainerProcess,
    readonly flags: Options["flags"],
    readonly expression: RegExp,
    readonly isNamed: boolean,
  ) {
    this.writer = new Writer(process);
  }

  /** False if it could not be read. */
  async path(path: string): Promise<boolean> {
    const { process } = this;
    try {
      const isDirectory = path !== "-" && process.files.status(absolute(path, process.cwd)).kind === "directory";
      if (!isDirectory) return await this.#input(path);
      if (!isRecursive(this.flags)) throw new FileError("EISDIR", path);
      let whole = true;
      for (const name of process.files.list(absolute(path, process.cwd)))
        whole = (await this.path(join(path, name))) && whole;
      return whole;
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      if (!this.flags.has("s")) await complain(process, `${path}: ${why}`);
      return false;
    }
  }

  async #input(path: string): Promise<boolean> {
    const { flags } = this;
    const most = Number(flags.get("m") ?? Infinity);
    const name = (this.isNamed || flags.has("H")) && !flags.has("h") ? (path === "-" ? "(standard input)" : path) : "";
    const after = Number(flags.get("A") ?? flags.get("C") ?? 0);
    const before = Number(flags.get("B") ?? flags.get("C") ?? 0);
    let [number, count, following] = [0, 0, 0];
    const held: [number, string][] = [];
    for await (const raw of lines(open(this.process, path))) {
      const line = chomp(raw);
      number++;
      this.expression.lastIndex = 0;
      if (this.expression.test(line) === flags.has("v")) {
        if (following-- > 0) await this.#show(line, name, number, "-");
        else if (before > 0) held.push([number, line]);
        if (held.length > before) held.shift();
        continue;
      }
      this.found = true;
      count++;
      if (flags.has("q")) return true;
      if (flags.has("l") || flags.has("L")) break;
      if (!flags.has("c")) {
        for (const [index, text] of held.splice(0)) await this.#show(text, name, index, "-");
        await this.#match(line, name, number);
        following = after;
      }
      if (count >= most) break;
    }
    await this.#summary(path, name, count);
    return true;
  }

  async #match(line: string, name: string, number: number): Promise<void> {
    if (!this.flags.has("o")) return this.#show(line, name, number, ":");
    this.expression.lastIndex = 0;
    for (const [part] of line.matchAll(this.expression)) if (part) await this.#show(part, name, number, ":");
  }

  async #show(line: string, name: string, number: number, mark: string): Promise<void> {
    const place = `${name && name + mark}${this.flags.has("n") ? number + mark : ""}`;
    await this.writer.write(`${place}${line}\n`);
  }

  async #summary(path: string, name: string, count: number): Promise<void> {
    const { flags } = this;
    if (flags.has("c")) await this.writer.write(`${name && `${name}:`}${count}\n`);
    if ((flags.has("l") && count > 0) || (flags.has("L") && count === 0)) await this.writer.write(`${path}\n`);
  }
}
