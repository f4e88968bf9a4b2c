// `test` and `[` (POSIX test): conditions on texts, numbers and files.

import type { FileStatus } from "../files/file-system.js";
import { absolute } from "../processes/executable.js";
import type { ContainerProcess } from "../processes/process.js";

/** An invalid expression. Its message names no program. */
export class TestError extends Error {}

/** Returns 0 for true and 1 for false. `terminal`: whether a descriptor is a terminal. Throws `TestError`. */
export function evaluateTest(
  words: readonly string[],
  process: ContainerProcess,
  terminal: (descriptor: number) => boolean = () => false,
): number {
  const reader = new Reader(words, process, terminal);
  return reader.whole() ? 0 : 1;
}

class Reader {
  #at = 0;

  constructor(
    readonly words: readonly string[],
    readonly process: ContainerProcess,
    readonly terminal: (descriptor: number) => boolean,
  ) {}

  whole(): boolean {
    const { words } = this;
    if (words.length === 0) return false;
    if (words.length === 1) return words[0] !== "";
    if (words.length === 3 && BINARY[words[1]!]) return this.#binary(words[0]!, words[1]!, words[2]!);
    const value = this.#or();
    const rest = words[this.#at];
    if (rest !== undefined) throw new TestError(`${rest}: unknown operand`);
    return value;
  }

  #or(): boolean {
    let value = this.#and();
    while (this.words[this.#at] === "-o") {
      this.#at++;
      value = this.#and() || value;
    }
    return value;
  }

  #and(): boolean {
    let value = this.#not();
    while (this.words[this.#at] === "-a") {
      this.#at++;
      value = this.#not() && value;
    }
    return value;
  }

  #not(): boolean {
    if (this.words[this.#at] !== "!" || this.words.length - this.#at < 2) return this.#primary();
    this.#at++;
    return !this.#not();
  }

  #primary(): boolean {
    const [first, second, third] = this.words.slice(this.#at);
    if (first === undefined) throw new TestError("argument expected");
    if (second !== undefined && third !== undefined && BINARY[second]) {
      this.#at += 3;
      return this.#binary(first, second, third);
    }
    if (first === "(") return this.#group();
    if (second !== undefined && UNARY.test(first)) {
      this.#at += 2;
      return this.#unary(first, second);
    }
    this.#at++;
    return first !== "";
  }

  #group(): boolean {
    this.#at++;
    const value = this.#or();
    if (this.words[this.#at] !== ")") throw new TestError("closing paren expected");
    this.#at++;
    return value;
  }

  #binary(left: string, operator: string, right: string): boolean {
    return BINARY[operator]!(left, right, (path) => this.#status(path, true));
  }

  #unary(operator: string, operand: string): boolean {
    if (operator === "-n") return operand !== "";
    if (operator === "-z") return operand === "";
    if (operator === "-t") return this.terminal(number(operand));
    const status = this.#status(operand, operator !== "-h" && operator !== "-L");
    if (!status) return false;
    const check = FILE[operator];
    return check ? check(status) : this.#permits(status, operator);
  }

  #permits({ mode, uid, gid, kind }: FileStatus, operator: string): boolean {
    const bit = operator === "-r" ? 4 : operator === "-w" ? 2 : 1;
    if (this.process.uid === 0) return bit !== 1 || kind === "directory" || (mode & 0o111) !== 0;
    const shift = this.process.uid === uid ? 6 : [this.process.gid, ...this.process.groups].includes(gid) ? 3 : 0;
    return ((mode >> shift) & bit) !== 0;
  }

  #status(path: string, follow: boolean): FileStatus | null {
    const { files, cwd } = this.process;
    if (path === "") return null;
    try {
      return follow ? files.status(absolute(path, cwd)) : files.linkStatus(absolute(path, cwd));
    } catch {
      return null;
    }
  }
}

const UNARY = /^-[bcdefghkLnOGprsStuwxz]$/;

const FILE: Readonly<Record<string, (status: FileStatus) => boolean>> = {
  "-e": () => true,
  "-f": ({ kind }) => kind === "file",
  "-d": ({ kind }) => kind === "directory",
  "-h": ({ kind }) => kind === "symlink",
  "-L": ({ kind }) => kind === "symlink",
  "-c": ({ kind }) => kind === "character",
  "-b": ({ kind }) => kind === "block",
  "-p": ({ kind }) => kind === "fifo",
  "-S": ({ kind }) => kind === "socket",
  "-s": ({ size }) => size > 0,
  "-u": ({ mode }) => (mode & 0o4000) !== 0,
  "-g": ({ mode }) => (mode & 0o2000) !== 0,
  "-k": ({ mode }) => (mode & 0o1000) !== 0,
  "-O": ({ uid }) => uid === 0,
  "-G": ({ gid }) => gid === 0,
};

type Compare = (left: string, right: string, status: (path: string) => FileStatus | null) => boolean;

const BINARY: Readonly<Record<string, Compare>> = {
  "=": (a, b) => a === b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "-eq": (a, b) => number(a) === number(b),
  "-ne": (a, b) => number(a) !== number(b),
  "-lt": (a, b) => number(a) < number(b),
  "-le": (a, b) => number(a) <= number(b),
  "-gt": (a, b) => number(a) > number(b),
  "-ge": (a, b) => number(a) >= number(b),
  "-nt": (a, b, status) => isNewer(status(a), status(b)),
  "-ot": (a, b, status) => isNewer(status(b), status(a)),
  "-ef": (a, b, status) => a === b && status(a) !== null,
};

function isNewer(a: FileStatus | null, b: FileStatus | null): boolean {
  return a !== null && b !== null && a.modified > b.modified;
}

function number(text: string): number {
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new TestError(`${text}: bad number`);
  return Number(text);
}
