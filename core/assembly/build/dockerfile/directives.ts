// Parser directives: comments `# name=value` before everything else in the file (Dockerfile reference).

import { afterSpace, trimSpace } from "../../text/space";

export const BACKSLASH: i32 = 0x5c;
const BACKQUOTE: i32 = 0x60;
const HASH: i32 = 0x23;

const KNOWN: string[] = ["escape", "syntax", "check"];

export class Directives {
  /** The character that escapes others, and continues a line. */
  escape: i32 = BACKSLASH;
  /** What `check` says of the rules that the file shall keep. */
  check: string = "";
  /** The frontend that shall read the file. */
  syntax: string = "";
  private done: bool = false;
  private readonly seen: string[] = [];

  /** Each is one of the first lines. */
  get count(): i32 {
    return this.seen.length;
  }

  /** Looks at the next line, without white space in front; returns what is wrong with it. */
  read(line: string): string {
    if (this.done) return "";
    const name = nameIn(line);
    if (!KNOWN.includes(name)) {
      this.done = true;
      return "";
    }
    if (this.seen.includes(name)) return `only one ${name} parser directive can be used`;
    this.seen.push(name);
    const value = trimSpace(line.slice(line.indexOf("=") + 1));
    if (name == "check") this.check = value;
    if (name == "syntax") this.syntax = value;
    return name == "escape" ? this.setEscape(value) : "";
  }

  private setEscape(value: string): string {
    if (value != "\\" && value != "`") return `invalid escape token '${value}' does not match \` or \\`;
    this.escape = value == "`" ? BACKQUOTE : BACKSLASH;
    return "";
  }
}

/** The name in lower case; empty if the line is no directive. */
function nameIn(line: string): string {
  if (line.length == 0 || line.charCodeAt(0) != HASH) return "";
  const equals = line.indexOf("=");
  if (equals < 0 || afterSpace(line, equals + 1) == line.length) return "";
  return trimSpace(line.slice(1, equals)).toLowerCase();
}
