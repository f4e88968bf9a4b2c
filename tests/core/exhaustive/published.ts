// The figures of the search in tests/README.md: exact for three commands; approximate for four, which take minutes.

import { readFileSync, writeFileSync } from "node:fs";

export interface Counts {
  states: number;
  moves: number;
  cuts: number;
}

const SENTENCE =
  "Three commands give N states, N moves between them and N different states after crashes. Four commands gave about " +
  "N states, N moves and N states after crashes when they were last counted.";
/** A line may end at any space. */
const PATTERN = new RegExp(
  SENTENCE.replaceAll(/[().]/g, "\\$&").replaceAll("N", "([\\d,]+)").replaceAll(" ", "\\s+"),
  "d",
);
const FIELDS = ["states", "moves", "cuts"] as const;
/** Largest relative error of the approximate figures. */
const ABOUT = 0.02;

/** The figures for this many commands; null if there are none. Throws if the sentence is missing. */
export function published(page: URL, commands: number): Counts | null {
  const found = sentenceIn(readFileSync(page, "utf8"));
  if (commands !== 3 && commands !== 4) return null;
  const [states, moves, cuts] = FIELDS.map((_, at) => Number(found[placeOf(at, commands)]!.replaceAll(",", "")));
  return { states: states!, moves: moves!, cuts: cuts! };
}

/** Whether the counts match the published ones. */
export function agree(commands: number, found: Counts, said: Counts): boolean {
  return FIELDS.every((field) => Math.abs(found[field] / said[field] - 1) <= (commands === 3 ? 0 : ABOUT));
}

/** Writes the counts into the page. */
export function publish(page: URL, commands: 3 | 4, counts: Counts): void {
  let text = readFileSync(page, "utf8");
  for (const [at, field] of FIELDS.entries()) {
    const [from, to] = sentenceIn(text).indices![placeOf(at, commands)]!;
    text = text.slice(0, from) + counts[field].toLocaleString("en") + text.slice(to);
  }
  writeFileSync(page, text);
}

function placeOf(field: number, commands: 3 | 4): number {
  return 1 + field + (commands === 4 ? FIELDS.length : 0);
}

function sentenceIn(text: string): RegExpExecArray {
  const found = PATTERN.exec(text);
  if (found === null) throw new Error("the page does not contain the sentence about the search");
  return found;
}
