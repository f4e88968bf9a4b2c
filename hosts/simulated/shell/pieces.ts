// The result of expanding a word, and the patterns and texts made from it.

import { escapePattern } from "./pattern.js";

/** `quoted`: matches only itself. `split`: is split at IFS. `bare`: was written without quotes. */
export type Piece = { text: string; quoted: boolean; split?: boolean; bare?: boolean } | typeof BREAK;

/** Separates the fields of `"$@"`. */
export const BREAK = Symbol("break");

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (piece === BREAK ? " " : piece.text)).join("");
}

export function toPattern(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (piece === BREAK ? " " : piece.quoted ? escapePattern(piece.text) : piece.text))
    .join("");
}
