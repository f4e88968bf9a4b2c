// Reads the string literals of a source file, and its text without comments.

/**
 * The string literals of AssemblyScript source, which has no regular expressions. Of a template it returns the parts
 * between the values. Imports are left out.
 */
export function literalsOf(source: string): string[] {
  return new Scanner(source.replace(/^(?:import|export)\b[^;"]*?\bfrom "[^"]*";$/gms, "")).literals();
}

/** Removes comment lines, and comments at the ends of lines, as Prettier formats them. */
export function withoutComments(source: string): string {
  const lines = source.split("\n").filter((line) => !/^\s*(?:\/\/|\/\*|\*)/.test(line));
  return lines.map((line) => line.replace(/\s\/\/ .*$/, "")).join("\n");
}

class Scanner {
  readonly #source: string;
  readonly #found: string[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  literals(): string[] {
    this.#code("");
    return this.#found;
  }

  /** Reads to the closing brace within a template, otherwise to the end. */
  #code(end: string): void {
    for (let depth = 0; this.#at < this.#source.length;) {
      const c = this.#source[this.#at]!;
      if (c === end && depth === 0) return;
      if (c === "{") depth++;
      if (c === "}") depth--;
      if (c === '"' || c === "'") this.#string(c);
      else if (c === "`") this.#template();
      else this.#at = this.#behind(c);
    }
  }

  /** The position after a comment, or after one character of code. */
  #behind(c: string): number {
    const next = this.#source[this.#at + 1];
    if (c !== "/" || (next !== "/" && next !== "*")) return this.#at + 1;
    const end = this.#source.indexOf(next === "/" ? "\n" : "*/", this.#at + 2);
    return end < 0 ? this.#source.length : end + (next === "/" ? 1 : 2);
  }

  #string(quote: string): void {
    let text = "";
    for (this.#at++; this.#source[this.#at] !== quote;) text += this.#character();
    this.#at++;
    this.#found.push(text);
  }

  #template(): void {
    let text = "";
    for (this.#at++; this.#source[this.#at] !== "`";) {
      if (!this.#source.startsWith("${", this.#at)) {
        text += this.#character();
        continue;
      }
      this.#found.push(text);
      text = "";
      this.#at += 2;
      this.#code("}");
      this.#at++;
    }
    this.#at++;
    this.#found.push(text);
  }

  #character(): string {
    const c = this.#source[this.#at++];
    if (c === undefined) throw new Error("a literal that does not end");
    if (c !== "\\") return c;
    const escaped = this.#source[this.#at++]!;
    return ESCAPED[escaped] ?? escaped;
  }
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
