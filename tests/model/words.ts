// What a container may be, in Docker's words, and how that changes. Where several things go on at once it may be several.

/** `gone`: it was removed, or never made. */
export type Word = "created" | "running" | "paused" | "restarting" | "exited" | "removing" | "dead" | "gone";

export const WORDS: readonly Word[] = [
  ...(["created", "running", "paused", "restarting"] as const),
  ...(["exited", "removing", "dead", "gone"] as const),
];

/** What is being asked of a container, and has not been answered; or was not, and may still be going on. */
export type Act = "pause" | "unpause" | "end" | "force" | "remove" | "hold";

/** From which word to which an act leads; a process starts and ends by facts alone. */
const STEPS: Readonly<Record<Act, readonly (readonly [Word, Word])[]>> = {
  pause: [["running", "paused"]],
  unpause: [["paused", "running"]],
  // A signal thaws, and calls a restart off.
  end: [
    ["paused", "running"],
    ["restarting", "exited"],
  ],
  force: [["paused", "running"], ["restarting", "exited"], ...removal()],
  remove: removal(),
  // Its files are looked at while it stands still.
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

/** All that may be by now. */
export function closure(words: Iterable<Word>, acts: Iterable<Act>): Set<Word> {
  const reached = new Set(words);
  const steps = [...new Set(acts)].flatMap((act) => STEPS[act]);
  for (let before = -1; before < reached.size;) {
    before = reached.size;
    for (const [from, to] of steps) if (reached.has(from)) reached.add(to);
  }
  return reached;
}

/** What something may have been, from when on. */
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

  /** All that it may have been at some time from then on. */
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

  /** Then, and not since. */
  changedAt(when: number): boolean {
    return this.since === when;
  }
}
