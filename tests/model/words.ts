// The possible states of a container, in Docker's words, and how they change. With concurrent requests there may be
// several.

/** `gone`: removed, or never created. */
export type Word = "created" | "running" | "paused" | "restarting" | "exited" | "removing" | "dead" | "gone";

export const WORDS: readonly Word[] = [
  ...(["created", "running", "paused", "restarting"] as const),
  ...(["exited", "removing", "dead", "gone"] as const),
];

/** A pending request to a container; or one that was cut off and may still continue. */
export type Act = "pause" | "unpause" | "end" | "force" | "remove" | "hold";

/** The state changes of each act. A process starts and ends only by facts. */
const STEPS: Readonly<Record<Act, readonly (readonly [Word, Word])[]>> = {
  pause: [["running", "paused"]],
  unpause: [["paused", "running"]],
  // A signal thaws the container and cancels a restart.
  end: [
    ["paused", "running"],
    ["restarting", "exited"],
  ],
  force: [["paused", "running"], ["restarting", "exited"], ...removal()],
  remove: removal(),
  // It is paused while its files are read.
  hold: [
    ["running", "paused"],
    ["paused", "running"],
  ],
};

function removal(): readonly (readonly [Word, Word])[] {
  return [
    ["created", "removing"],
    ["exited", "removing"],
    ["dead", "removing"],
    ["removing", "gone"],
    ["removing", "dead"],
  ];
}

/** All states that are possible by now. */
export function closure(words: Iterable<Word>, acts: Iterable<Act>): Set<Word> {
  const reached = new Set(words);
  const steps = [...new Set(acts)].flatMap((act) => STEPS[act]);
  for (let before = -1; before < reached.size;) {
    before = reached.size;
    for (const [from, to] of steps) if (reached.has(from)) reached.add(to);
  }
  return reached;
}

/** The possible values over time. */
export class Timeline<Value> {
  readonly #entries: { since: number; values: ReadonlySet<Value> }[];

  constructor(now: number, values: Iterable<Value>) {
    this.#entries = [{ since: now, values: new Set(values) }];
  }

  get now(): ReadonlySet<Value> {
    return this.#entries.at(-1)!.values;
  }

  get since(): number {
    return this.#entries.at(-1)!.since;
  }

  set(now: number, values: Iterable<Value>): void {
    const next = new Set(values);
    if (next.size === this.now.size && [...next].every((value) => this.now.has(value))) return;
    this.#entries.push({ since: now, values: next });
  }

  /** All values that were possible at some time from then on. */
  during(from: number): Set<Value> {
    const all = new Set(this.now);
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at]!;
      for (const value of entry.values) all.add(value);
      if (entry.since <= from) break;
    }
    return all;
  }

  unchangedSince(from: number): boolean {
    return this.since <= from;
  }

  /** Changed at that time, and not since. */
  changedAt(when: number): boolean {
    return this.since === when;
  }
}
