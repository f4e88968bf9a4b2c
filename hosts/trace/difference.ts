// Finds the first step in which two traces differ.

import { OUTPUT_KINDS } from "../hashes/index.js";
import type { OutputHashes } from "../hashes/index.js";
import type { types } from "../shared/index.js";
import { encoded } from "./codec.js";
import type { Position, Segment } from "./format.js";
import { input, opening } from "./values.js";

/** Where two traces start to differ, or how long they are the same. */
export interface Comparison {
  /** Steps that are the same in both. */
  same: number;
  /** The first step that differs, and how: sentences without a full stop. Null if none differs. */
  parting: (Position & { what: string[] }) | null;
  /** The trace that continues where the other one ends. Null if both end together. */
  longer: "first" | "second" | null;
}

/** At most this many differences of one input are shown. */
const MOST_TOLD = 5;
/** At most this many characters of a value are shown. */
const MOST_SHOWN = 80;

interface Step extends Position {
  now: types.Instant;
  /** What the core was told, as JSON. */
  told: () => unknown;
  out: OutputHashes | null;
}

/** Compares steps of the same number. Skips the steps of one trace from before the other begins. */
export function compareTraces(first: Iterable<Segment>, second: Iterable<Segment>): Comparison {
  const [ones, others] = [stepsOf(first), stepsOf(second)];
  try {
    return compareSteps(ones, others);
  } finally {
    // Closes the files that they may read from.
    ones.return();
    others.return();
  }
}

function compareSteps(ones: Generator<Step, void>, others: Generator<Step, void>): Comparison {
  let [one, other] = [ones.next(), others.next()];
  while (one.done !== true && other.done !== true && isBefore(one.value, other.value)) one = ones.next();
  while (one.done !== true && other.done !== true && isBefore(other.value, one.value)) other = others.next();
  let same = 0;
  while (one.done !== true && other.done !== true) {
    const what = differencesOf(one.value, other.value);
    const { epoch, step } = one.value;
    if (what.length > 0) return { same, parting: { epoch, step, what }, longer: null };
    same++;
    [one, other] = [ones.next(), others.next()];
  }
  return { same, parting: null, longer: one.done !== true ? "first" : other.done !== true ? "second" : null };
}

function* stepsOf(segments: Iterable<Segment>): Generator<Step, void> {
  for (const { epoch, step, start, calls } of segments) {
    if (start.tag === "open") {
      const { now, out } = start;
      const told = (): unknown => ({ open: JSON.parse(encoded(opening, start.opening)) as unknown });
      yield { epoch, step: 0, now, out, told };
    }
    for (const [at, call] of calls.entries()) {
      const { now, out } = call;
      const told = (): unknown => ({ input: JSON.parse(encoded(input, call.input)) as unknown });
      yield { epoch, step: step + at + 1, now, out, told };
    }
  }
}

function isBefore(one: Position, other: Position): boolean {
  return one.epoch < other.epoch || (one.epoch === other.epoch && one.step < other.step);
}

function differencesOf(one: Step, other: Step): string[] {
  if (isBefore(one, other) || isBefore(other, one)) {
    return [`the second trace continues with step ${other.epoch}:${other.step}`];
  }
  const what = differencesIn(one.told(), other.told(), "");
  const told = what.length > MOST_TOLD ? [...what.slice(0, MOST_TOLD), `${what.length - MOST_TOLD} more`] : what;
  const outputs = OUTPUT_KINDS.filter((kind) => one.out?.[kind] !== other.out?.[kind]).map((kind) => `${kind} differ`);
  if ((one.out === null) !== (other.out === null))
    outputs.push(`the core trapped in the ${one.out ? "second" : "first"}`);
  if (told.length + outputs.length === 0) return [];
  const { wall, monotonic } = one.now;
  const isLater = wall !== other.now.wall || monotonic !== other.now.monotonic;
  return [...told, ...outputs, ...(isLater ? ["the times differ"] : [])];
}

function differencesIn(one: unknown, other: unknown, at: string): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (isNode(one) && isNode(other) && Array.isArray(one) === Array.isArray(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) => differencesIn(one[name], other[name], at === "" ? name : `${at}.${name}`));
  }
  return [`${at}: ${shown(one)} and ${shown(other)}`];
}

function isNode(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null;
}

function shown(json: unknown): string {
  const text = json === undefined ? "nothing" : JSON.stringify(json);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
