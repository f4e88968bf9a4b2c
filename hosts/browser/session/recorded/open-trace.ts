// Opens a trace file. It is replayed on the core of this page; if its values are hidden, only the recorded text is
// shown.

import { Instance } from "../../../driver/index.js";
import type { engine } from "../../../shared/index.js";
import { Timeline } from "../../../timeline/index.js";
import type { Step } from "../../../timeline/index.js";
import { decodeSegments, isShared, listening, telling } from "../../../trace/index.js";
import { RecordedSession } from "./recorded-session.js";
import { RecordedSteps } from "./recorded-steps.js";
import type { NamedCore, Session } from "../session.js";

/**
 * Yields to other tasks from time to time. `share` of the trace has been read, 0 to 1. Resolves to whether to continue.
 */
export type Pause = (share: number) => Promise<boolean>;

/** A trace of an hour takes almost a minute to open. */
const PAUSE_MS = 50;

/**
 * Resolves to null if it was told to stop. Rejects with `TraceError` for a file that is not a trace, or one of another
 * core.
 */
export async function openTrace(name: string, text: string, core: NamedCore, pause: Pause): Promise<Session | null> {
  const steps = new RecordedSteps();
  const lines = new Lines(text);
  const listener = { claim: claims(), added: (step: Step) => steps.add(step) };
  const shared = isShared(text.slice(0, 64));
  const work = shared ? told(lines, listener) : replayed(lines, core, listener);
  let paused = performance.now();
  for (;;) {
    const { done, value: remark } = work.next();
    if (done === true) {
      const rules = new Instance(core.compiled).rules();
      return new RecordedSession({ core, rules, steps: steps.all, recording: { name, shared, remark } });
    }
    if (performance.now() - paused < PAUSE_MS) continue;
    if (!(await pause(lines.shareOf(steps.all.length)))) return null;
    paused = performance.now();
  }
}

interface Listener {
  claim: (request: engine.Request) => number;
  added: (step: Step) => void;
}

/**
 * Returns remarks for the visitor. Works segment by segment, because all snapshots together would take hundreds of
 * megabytes.
 */
function* replayed(lines: Lines, core: NamedCore, listener: Listener): Generator<void, string> {
  let cut = "";
  const cutShort = (line: number): void => void (cut = ` It has no end: it is cut off after line ${line}.`);
  const segments = decodeSegments(lines.whole(), { unfinished: true, cutShort });
  const { difference, leftOut } = yield* telling(segments, core.compiled, { ...listener, identity: core.hash });
  const others = leftOut === 0 ? "" : ` Segments of another core are left out: ${leftOut}.`;
  if (difference === null) return `Every step matches the recording.${others}${cut}`;
  const { epoch, step, what } = difference;
  return `It ends at the first difference from the recording: step ${epoch}:${step}, ${what.join(", ")}.`;
}

function* told(lines: Lines, { claim, added }: Listener): Generator<void, string> {
  let now = { wall: 0n, monotonic: 0n };
  const timeline = new Timeline({
    ...{ claim, preparing: () => false, hashOf: () => "", forgets: true, readsJournal: true, now: () => now },
    added: (step) => {
      now = { wall: step.wall, monotonic: step.at };
      added(step);
    },
  });
  yield* listening(lines.all(), timeline);
  return "Values of variables and labels are hidden in it, so nothing can be verified.";
}

/** Reads the lines of a text one after the other, without their LF. */
class Lines {
  readonly #text: string;
  #at = 0;
  #taken = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The approximate share of the text that this many steps make up, 0 to 1. A segment's lines are read before its steps
   * are made.
   */
  shareOf(steps: number): number {
    return (Math.min(1, steps / this.#taken) * this.#at) / this.#text.length;
  }

  /** Skips a last line that was cut off: the writer may have been killed. */
  *whole(): Generator<string, void> {
    for (let end = this.#end(); end >= 0; end = this.#end()) {
      const line = this.#text.slice(this.#at, end);
      this.#at = end + 1;
      this.#taken++;
      yield line;
    }
  }

  *all(): Generator<string, void> {
    yield* this.whole();
    if (this.#at < this.#text.length) yield this.#text.slice(this.#at);
  }

  #end(): number {
    return this.#text.indexOf("\n", this.#at);
  }
}

/** Numbers requests as they arrive. */
function claims(): Listener["claim"] {
  let number = 0;
  return () => ++number;
}
