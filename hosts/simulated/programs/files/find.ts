// find: by name, type, size and depth; prints, deletes or runs a command for what it finds.

import { absolute } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import type { FileStatus } from "../../files/file-system.js";
import { patternExpression } from "../../shell/pattern.js";
import { command, complain, whyNot, Writer } from "../command.js";
import { UsageError } from "../options.js";
import { join } from "../paths.js";

interface Found {
  path: string;
  at: string;
  name: string;
  status: FileStatus;
}

type Test = (found: Found) => boolean | Promise<boolean>;

export const find = command(async (process, args) => {
  const first = args.findIndex((arg) => /^[-!(]/.test(arg));
  const words = first < 0 ? [...args] : args.slice(0, first);
  const search = new Search(process, first < 0 ? [] : args.slice(first));
  for (const word of words.length > 0 ? words : ["."]) await search.walk(word, absolute(word, process.cwd), 0);
  await search.finish();
  return search.code;
});

const KINDS: Readonly<Record<string, FileStatus["kind"]>> = {
  f: "file",
  d: "directory",
  l: "symlink",
  c: "character",
  b: "block",
  p: "fifo",
  s: "socket",
};

class Search {
  code = 0;
  #most = Infinity;
  #least = 0;
  #acts = false;
  readonly #writer: Writer;
  readonly #test: Test;
  readonly #collected: { argv: string[]; paths: string[] }[] = [];
  #at = 0;

  constructor(
    readonly process: ContainerProcess,
    readonly words: readonly string[],
  ) {
    this.#writer = new Writer(process);
    this.#test = words.length > 0 ? this.#or() : () => true;
  }

  async walk(path: string, at: string, depth: number): Promise<void> {
    await this.process.work(10_000);
    let status: FileStatus;
    let names: string[] = [];
    try {
      status = this.process.files.linkStatus(at);
      if (status.kind === "directory" && depth < this.#most) names = this.process.files.list(at);
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      this.code = await complain(this.process, `${path}: ${why}`);
      return;
    }
    const found = { path, at, name: path.replace(/\/+$/, "").split("/").pop() || "/", status };
    const removes = this.words.includes("-delete");
    if (!removes) await this.#visit(found, depth);
    for (const name of names) await this.walk(join(path, name), join(at, name), depth + 1);
    if (removes) await this.#visit(found, depth);
  }

  async finish(): Promise<void> {
    await this.#writer.flush();
    for (const { argv, paths } of this.#collected)
      if (paths.length > 0) await this.process.spawn({ argv: [...argv, ...paths] }).exited;
  }

  async #visit(found: Found, depth: number): Promise<void> {
    if (depth < this.#least || !(await this.#test(found)) || this.#acts) return;
    await this.#writer.write(`${found.path}\n`);
  }

  #or(): Test {
    let left = this.#and();
    while (this.words[this.#at] === "-o") {
      this.#at++;
      const [before, right] = [left, this.#and()];
      left = async (found) => (await before(found)) || right(found);
    }
    return left;
  }

  #and(): Test {
    let left: Test = () => true;
    while (this.#at < this.words.length && this.words[this.#at] !== "-o" && this.words[this.#at] !== ")") {
      if (this.words[this.#at] === "-a") this.#at++;
      const [before, right] = [left, this.#primary()];
      left = async (found) => (await before(found)) && right(found);
    }
    return left;
  }

  #primary(): Test {
    const word = this.words[this.#at++];
    if (word === "!" || word === "-not") {
      const inner = this.#primary();
      return async (found) => !(await inner(found));
    }
    if (word === "(") {
      const inner = this.#or();
      this.#at++;
      return inner;
    }
    const test = this.#tests[word ?? ""];
    if (!test) throw new UsageError(`unrecognized: ${word}`);
    return test();
  }

  #next(): string {
    const word = this.words[this.#at++];
    if (word === undefined) throw new UsageError("missing argument");
    return word;
  }

  #named(field: "name" | "path", ignoreCase: boolean): Test {
    const { source } = patternExpression(this.#next());
    const expression = new RegExp(source, ignoreCase ? "sui" : "su");
    return (found) => expression.test(found[field]);
  }

  readonly #tests: Readonly<Record<string, () => Test>> = {
    "-name": () => this.#named("name", false),
    "-iname": () => this.#named("name", true),
    "-path": () => this.#named("path", false),
    "-type": () => {
      const kind = KINDS[this.#next()];
      return ({ status }) => status.kind === kind;
    },
    "-maxdepth": () => this.#depth((value) => (this.#most = value)),
    "-mindepth": () => this.#depth((value) => (this.#least = value)),
    "-empty": () => (found) =>
      found.status.kind === "directory" ? this.process.files.list(found.at).length === 0 : found.status.size === 0,
    "-size": () => this.#size(),
    "-newer": () => {
      const { modified } = this.process.files.status(absolute(this.#next(), this.process.cwd));
      return ({ status }) => status.modified > modified;
    },
    "-perm": () => {
      const mode = Number.parseInt(this.#next().replace(/^-/, ""), 8);
      return ({ status }) => (status.mode & mode) === mode;
    },
    "-xdev": () => () => true,
    "-print": () => this.#acting(async ({ path }) => this.#writer.write(`${path}\n`)),
    "-print0": () => this.#acting(async ({ path }) => this.#writer.write(`${path}\0`)),
    "-delete": () =>
      this.#acting(async ({ at, status }) => {
        if (status.kind === "directory") this.process.files.removeDirectory(at);
        else this.process.files.remove(at);
      }),
    "-exec": () => this.#exec(),
  };

  #depth(set: (value: number) => void): Test {
    set(Number(this.#next()));
    return () => true;
  }

  #size(): Test {
    const [, sign = "", number = "0", unit = "b"] = /^([+-]?)(\d+)([cwbkM]?)$/.exec(this.#next()) ?? [];
    const size = { c: 1, w: 2, b: 512, k: 1024, M: 1024 ** 2 }[unit || "b"] ?? 512;
    return ({ status }) => {
      const units = Math.ceil(status.size / size);
      return sign === "+" ? units > Number(number) : sign === "-" ? units < Number(number) : units === Number(number);
    };
  }

  #acting(act: (found: Found) => Promise<void>): Test {
    this.#acts = true;
    return async (found) => {
      await act(found);
      return true;
    };
  }

  #exec(): Test {
    this.#acts = true;
    const argv: string[] = [];
    while (this.words[this.#at] !== ";" && this.words[this.#at] !== "+") argv.push(this.#next());
    const isOnce = this.words[this.#at++] === "+";
    if (isOnce) {
      const collected = { argv: argv.filter((word) => word !== "{}"), paths: [] as string[] };
      this.#collected.push(collected);
      return ({ path }) => collected.paths.push(path) > 0;
    }
    return async ({ path }) => {
      await this.#writer.flush();
      return (await this.process.spawn({ argv: argv.map((word) => word.replaceAll("{}", path)) }).exited) === 0;
    };
  }
}
