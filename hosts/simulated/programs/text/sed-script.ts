// Parses sed scripts into edits.

import { posixExpression } from "../expressions.js";
import { UsageError } from "../options.js";

export type Address = { line: number } | { last: true } | { matches: RegExp };

export interface Edit {
  from?: Address;
  to?: Address;
  negated: boolean;
  letter: string;
  expression?: RegExp;
  text: string;
  print: boolean;
  global: boolean;
  nth: number;
  /** Whether a range has begun and not yet ended. */
  inside: boolean;
}

export class ScriptParser {
  #at = 0;

  constructor(
    readonly script: string,
    readonly extended: boolean,
  ) {}

  all(): Edit[] {
    const edits: Edit[] = [];
    for (;;) {
      this.#skip(/[\s;]*/y);
      if (this.#at >= this.script.length) return edits;
      edits.push(this.#edit());
    }
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.script)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #edit(): Edit {
    const from = this.#address();
    const to = from && this.#skip(/\s*,\s*/y) ? this.#address() : undefined;
    const negated = this.#skip(/\s*!\s*/y) !== "";
    this.#skip(/\s*/y);
    const letter = this.script[this.#at++] ?? "";
    const edit: Edit = { negated, letter, text: "", print: false, global: false, nth: 1, inside: false };
    if (from) edit.from = from;
    if (to) edit.to = to;
    if (letter === "s") this.#substitute(edit);
    else if (letter === "y") [edit.text] = [JSON.stringify(this.#pair())];
    else if ("aic".includes(letter) && letter)
      edit.text = this.#skip(/\s*\\?\n?\s*[^\n]*/y).replace(/^\s*\\?\n?\s*/, "");
    else if (!"dpqQ=nD".includes(letter) || !letter) throw new UsageError(`unsupported command ${letter}`);
    return edit;
  }

  #address(): Address | undefined {
    const number = this.#skip(/\d+/y);
    if (number) return { line: Number(number) };
    if (this.#skip(/\$/y)) return { last: true };
    if (this.script[this.#at] !== "/") return undefined;
    this.#at++;
    return { matches: posixExpression(this.#until("/"), this.extended) };
  }

  #until(delimiter: string): string {
    let text = "";
    for (; this.#at < this.script.length; this.#at++) {
      const character = this.script[this.#at]!;
      if (character === delimiter) {
        this.#at++;
        return text;
      }
      if (character === "\\" && this.script[this.#at + 1] === delimiter) this.#at++;
      else if (character === "\\") text += this.script[this.#at++];
      text += this.script[this.#at];
    }
    throw new UsageError("unmatched '/'");
  }

  #pair(): [string, string] {
    const delimiter = this.script[this.#at++] ?? "";
    return [this.#until(delimiter), this.#until(delimiter)];
  }

  #substitute(edit: Edit): void {
    const [pattern, replacement] = this.#pair();
    const flags = this.#skip(/[gpiI0-9]*/y);
    edit.expression = posixExpression(pattern, this.extended, `g${/[iI]/.test(flags) ? "i" : ""}`);
    edit.text = replacement;
    edit.global = flags.includes("g");
    edit.print = flags.includes("p");
    edit.nth = Number(/\d+/.exec(flags)?.[0] ?? 1);
  }
}
