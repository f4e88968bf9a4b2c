// What tests/README.md says of the search: of three commands to the last state, of four, which take minutes, about.

import { readFileSync, writeFileSync } from "node:fs";

export interface Counts {
  states: number;
  moves: number;
  cuts: number;
}

const SENTENCE =
  "Three commands come to N states, N moves between them and N different remains of crashes. Four commands came to about " +
  "N states, N moves and N remains when they were last counted.";
/** Line ends may stand wherever there are spaces. */
const PATTERN = new RegExp(
  SENTENCE.replaceAll(/[().]/g, "\\$&").replaceAll("N", "([\\d,]+)").replaceAll(" ", "\\s+"),
  "d",
);
const FIELDS = ["states", "moves", "cuts"] as const;
/** How far `about` goes. */
const ABOUT = 0.02;

/** Of so many commands; null where it says nothing. Throws where the sentence is not there. */
export function published(page: URL, commands: number): Counts | null {
  const found = sentenceIn(readFileSync(page, "utf8"));
  if (commands !== 3 && commands !== 4) return null;
  const [states, moves, cuts] = FIELDS.map((_, at) => Number(found[placeOf(at, commands)]!.replaceAll(",", "")));
  return { states: states!, moves: moves!, cuts: cuts! };
}

/** Whether what is found is what is published. */
export function agree(commands: number, found: Counts, said: Counts): boolean {
  return FIELDS.every((field) => Math.abs(found[field] / said[field] - 1) <= (commands === 3 ? 0 : ABOUT));
}

/** Writes it down there. */
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
  if (found === null) throw new Error("the page does not say what the search comes to");
  return found;
}
