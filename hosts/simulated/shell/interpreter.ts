// Commands contain words, and words may contain commands. Files that handle only a part call the whole through this.

import type { Statement, Word, WordPart } from "unbash";
import type { Piece } from "./pieces.js";

/** Runs and expands what one shell meets. */
export interface Interpreter {
  /** `last`: nothing comes after it in this process, so its last command may replace the process. */
  runList(statements: readonly Statement[], last: boolean): Promise<number>;
  /** `quoted`: within double quotes. */
  expand(word: Word, quoted?: boolean): Promise<Piece[]>;
  /** Expands parts to one text, for arithmetic. */
  expandText(parts: readonly WordPart[]): Promise<string>;
}
