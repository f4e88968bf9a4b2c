// Splits an expanded word at IFS, and expands file names in it (POSIX 2.6.5, 2.6.6).

import { escapePattern, hasPattern, matchFiles, unescapePattern } from "./pattern.js";
import { BREAK, type Piece } from "./pieces.js";
import type { Shell } from "./shell.js";

const DEFAULT_IFS = " \t\n";

export function toFields(pieces: readonly Piece[], shell: Shell): string[] {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined && only !== BREAK && only.quoted) return [only.text];
  const splitter = new Splitter(shell.variables.value("IFS") ?? DEFAULT_IFS);
  for (const piece of pieces) {
    if (piece === BREAK) splitter.end();
    else if (piece.split) splitter.split(piece.text);
    else splitter.add(piece.quoted ? escapePattern(piece.text) : piece.text);
  }
  splitter.finish();
  return splitter.fields.flatMap((pattern) => namesOf(pattern, shell));
}

function namesOf(pattern: string, shell: Shell): string[] {
  if (!hasPattern(pattern) || shell.options.has("f")) return [unescapePattern(pattern)];
  const found = matchFiles(pattern, shell.process.cwd, shell.process.files);
  return found.length > 0 ? found : [unescapePattern(pattern)];
}

/** Fields as patterns, with quoted characters escaped (POSIX 2.6.5). */
class Splitter {
  readonly fields: string[] = [];
  readonly #ifs: string;
  #field: string | null = null;
  /** White space ended the last field. A delimiter right after it belongs to that white space. */
  #afterSpace = false;

  constructor(ifs: string) {
    this.#ifs = ifs;
  }

  add(text: string): void {
    this.#field = (this.#field ?? "") + text;
    this.#afterSpace = false;
  }

  /** Ends the field, even if it is empty. */
  end(): void {
    this.fields.push(this.#field ?? "");
    this.#field = null;
  }

  finish(): void {
    if (this.#field !== null) this.end();
  }

  split(text: string): void {
    for (const character of text) {
      if (!this.#ifs.includes(character)) this.add(character === "\\" ? "\\\\" : character);
      else if (DEFAULT_IFS.includes(character)) this.#space();
      else this.#delimiter();
    }
  }

  #space(): void {
    if (this.#field === null) return;
    this.end();
    this.#afterSpace = true;
  }

  #delimiter(): void {
    if (this.#field !== null || !this.#afterSpace) this.end();
    this.#afterSpace = false;
  }
}
