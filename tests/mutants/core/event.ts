import type { Mutant } from "../mutant.js";

export const EVENT_MUTANTS: readonly Mutant[] = [
  {
    name: "a start has no event",
    file: "event/emit.ts",
    right: `  emitContainer(container, "start");`,
    wrong: `  if (!WRONG) emitContainer(container, "start");`,
    finder: { story: "events-of-volumes" },
  },
  {
    name: "when a reader of events leaves, the next one is dropped, too",
    file: "event/ring.ts",
    right: `this.readers.splice(at, 1);`,
    wrong: `this.readers.splice(at, WRONG ? 2 : 1);`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "`since` excludes its own moment",
    file: "event/wanted-events.ts",
    right: `at >= this.since)`,
    wrong: `(WRONG ? at > this.since : at >= this.since))`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "the search for `since` skips its own moment",
    file: "event/ring.ts",
    right: `if (kept[i].stamp >= moment) return`,
    wrong: `if (WRONG ? kept[i].stamp > moment : kept[i].stamp >= moment) return`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "`until` excludes its own moment",
    file: "event/wanted-events.ts",
    right: `at <= this.until);`,
    wrong: `(WRONG ? at < this.until : at <= this.until));`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "the timer of `until` outlives its reader",
    file: "event/reading.ts",
    right: `if (timer !== null) timer.forget();`,
    wrong: `if (!WRONG && timer !== null) timer.forget();`,
    finder: { story: "events-by-name" },
  },
  {
    name: "filters of events match only whole names",
    file: "event/match.ts",
    right: `name.startsWith(wanted[i])`,
    wrong: `(WRONG ? name == wanted[i] : name.startsWith(wanted[i]))`,
    finder: { story: "events-by-name" },
  },
  {
    name: "joining a network has no event",
    file: "event/emit.ts",
    right: `  emitNetworks(container, "connect");`,
    wrong: `  if (!WRONG) emitNetworks(container, "connect");`,
    finder: { story: "events-of-volumes" },
  },
  {
    name: "a request for events does not end at `until`",
    file: "event/reading.ts",
    right: `else this.wait(<u64>(until - engine.now.wall));`,
    wrong: `else if (!WRONG) this.wait(<u64>(until - engine.now.wall));`,
    finder: { story: "events-at-their-times" },
  },
];
