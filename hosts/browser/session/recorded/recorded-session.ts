// A session recorded elsewhere. Every moment can be viewed, but it cannot be continued.

import { computed, signal } from "@preact/signals-core";
import { EMPTY_WORLD } from "../../../timeline/index.js";
import type { Rule, Step, World } from "../../../timeline/index.js";
import { recordedExchange } from "./recorded-exchange.js";
import type { RecordedExchange } from "./recorded-exchange.js";
import type { EngineState, LogEntry, NamedCore, Recording, Session } from "../session.js";

export interface Recorded {
  core: NamedCore;
  rules: readonly Rule[];
  steps: readonly Step[];
  recording: Omit<Recording, "exchangeOf">;
}

/** The images of a new session, for a visitor who starts over from here. */
const IMAGES = ["busybox:latest"];

export class RecordedSession implements Session {
  readonly core: NamedCore;
  readonly rules: readonly Rule[];
  readonly recording: Recording;
  readonly seed = 0;
  readonly images = IMAGES;
  readonly cells = signal([]);
  readonly exchanges = signal([]);
  readonly actions = signal([]);
  readonly faults = signal([]);
  readonly visits = signal<Session["visits"]["value"]>([]);
  readonly engine = signal<EngineState>("closed");
  readonly pace = signal("stopped" as const);
  readonly next = null;
  readonly changes = signal(0);
  readonly steps;
  readonly looking = signal<number | null>(null);
  readonly lit = computed((): Step | null => this.#shown);
  readonly world = computed((): World => this.#shown?.world ?? EMPTY_WORLD);
  readonly #byExchange = new Map<number, Step[]>();

  constructor({ core, rules, steps, recording }: Recorded) {
    this.core = core;
    this.rules = rules;
    this.steps = signal(steps);
    this.recording = { ...recording, exchangeOf: (step) => this.#exchangeOf(step) };
    for (const step of steps) {
      for (const number of new Set([step.exchange, ...step.answers])) {
        if (number !== null) listOf(this.#byExchange, number).push(step);
      }
    }
  }

  goTo(step: number | null): void {
    this.looking.value = step;
  }

  now(): { monotonic: bigint; wall: bigint } {
    const last = this.steps.value.at(-1);
    return { monotonic: last?.at ?? 0n, wall: last?.wall ?? 0n };
  }

  async logs(): Promise<readonly LogEntry[]> {
    return [];
  }

  files(): null {
    return null;
  }

  async step(): Promise<boolean> {
    return false;
  }

  setPace(): void {}

  async close(): Promise<void> {}

  readonly add = only;
  readonly edit = only;
  readonly duplicate = only;
  readonly remove = only;
  readonly move = only;
  readonly send = nothing;
  readonly type = nothing;
  readonly endInput = nothing;
  readonly cancel = nothing;
  readonly inject = nothing;
  readonly visit = nothing;
  readonly lift = nothing;
  readonly crash = nothing;
  readonly reopen = nothing;
  readonly advance = nothing;
  readonly branch = nothing;
  readonly branchWith = nothing;

  get #shown(): Step | null {
    const steps = this.steps.value;
    return (this.looking.value === null ? steps.at(-1) : steps[this.looking.value]) ?? null;
  }

  #exchangeOf({ number: at, exchange, answers }: Step): RecordedExchange | null {
    const number = exchange ?? answers[0];
    return number === undefined ? null : recordedExchange(number, this.#byExchange.get(number) ?? [], at);
  }
}

function only(): never {
  throw new Error("this is a recording: you can only look at it");
}

async function nothing(): Promise<never> {
  return only();
}

/** The list under the key; made if it is missing. */
function listOf<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}
