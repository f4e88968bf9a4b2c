// Users and passwords of the addresses that a Dockerfile adds files from. What other instructions say goes into images,
// which records hold as well. The lines are joined as the core joins them: what only looks like an ADD, in a
// here-document or in another instruction, becomes a part of an image or of a step's key and stays as it is.

import { withoutUsersIn } from "./addresses-in-text.js";

const LINE = /[^\n]*\n|[^\n]+/g;
const LINE_END = /\r?\n$|\r$/;
const NOTHING = /^\s*(?:#|$)/;
const ESCAPE = /^\s*#\s*escape\s*=\s*(\S)\s*$/i;
const DIRECTIVE = /^\s*#\s*(?:escape|syntax|check)\s*=\s*\S/i;
/** Also behind ONBUILD, whose trigger has the here-documents. */
const TAKES_HEREDOCS = /^\s*(?:ONBUILD\s+)?(?:RUN|COPY|ADD)\s/i;
const ADD = /^\s*ADD\s/i;
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";
/** Words with their quotes. */
const WORDS = /(?:\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*'|[^\s"'\\])+/g;
const HEREDOC = /^[0-9]*<<(-?)([^<]+)$/;

/** `text`: one character per byte. The result has the same length. */
export function withoutUsersInDockerfile(text: string): string {
  if (!text.includes("://") || !text.includes("@")) return text;
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  return mark + new Lines(text.slice(mark.length).match(LINE) ?? []).shown();
}

class Lines {
  readonly #lines: readonly string[];
  #escape = "\\";
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  shown(): string {
    const shown: string[] = [];
    this.#readDirectives();
    for (let from = 0; from < this.#lines.length; from = this.#at) {
      this.#at = from;
      const joined = this.#join();
      const whole = this.#lines.slice(from, this.#at).join("");
      shown.push(ADD.test(joined) ? withoutUsersIn(whole) : whole);
      if (TAKES_HEREDOCS.test(joined)) shown.push(this.#heredocs(joined));
    }
    return shown.join("");
  }

  #readDirectives(): void {
    for (const line of this.#lines) {
      if (!DIRECTIVE.test(line)) return;
      this.#escape = ESCAPE.exec(line)?.[1] ?? this.#escape;
    }
  }

  /** One line with all its continuations, without the comments and empty lines between them. */
  #join(): string {
    let line = this.#next();
    if (NOTHING.test(line)) return "";
    const parts: string[] = [];
    while (this.#continues(line)) {
      parts.push(line.slice(0, line.lastIndexOf(this.#escape)));
      do {
        if (this.#at === this.#lines.length) return parts.join("");
        line = this.#next();
      } while (NOTHING.test(line));
    }
    return parts.join("") + line;
  }

  #next(): string {
    return this.#lines[this.#at++]!.replace(LINE_END, "");
  }

  /** An escape at the end continues the line, unless it is escaped itself. */
  #continues(line: string): boolean {
    let end = line.length;
    while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
    return end > 0 && line[end - 1] === this.#escape && line[end - 2] !== this.#escape;
  }

  /** The here-documents that a line announces; none if one of them does not end, since the core refuses the file. */
  #heredocs(joined: string): string {
    const from = this.#at;
    let to = from;
    for (const word of wordsOf(joined)) {
      const [, dash, raw] = HEREDOC.exec(word) ?? [];
      if (raw === undefined) continue;
      const name = raw.replace(/["']/g, "").replace(/\\([^])/g, "$1");
      if (name === "") continue;
      while (to < this.#lines.length && bare(this.#lines[to]!, dash === "-") !== name) to++;
      if (to++ === this.#lines.length) return "";
    }
    this.#at = to;
    return this.#lines.slice(from, to).join("");
  }
}

/** None if a quote does not end, as in the core. */
function wordsOf(joined: string): readonly string[] {
  return joined.replace(WORDS, "").trim() === "" ? (joined.match(WORDS) ?? []) : [];
}

function bare(line: string, chomps: boolean): string {
  const ended = line.replace(LINE_END, "");
  return chomps ? ended.replace(/^\t+/, "") : ended;
}
