import type { Mutant } from "../mutant.js";

export const EVENT_MUTANTS: readonly Mutant[] = [
  {
    name: "nobody is told of a start",
    file: "event/emit.ts",
    right: `  emitContainer(container, "start");`,
    wrong: `  if (!WRONG) emitContainer(container, "start");`,
    finder: { story: "events-of-volumes" },
  },
  {
    name: "with a reader of events that leaves the next one goes, too",
    file: "event/ring.ts",
    right: `this.readers.splice(at, 1);`,
    wrong: `this.readers.splice(at, WRONG ? 2 : 1);`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "an event of just the moment `since` is not shown",
    file: "event/reading.ts",
    right: `at >= this.since)`,
    wrong: `(WRONG ? at > this.since : at >= this.since))`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "an event of just the moment `since` is not looked for",
    file: "event/ring.ts",
    right: `if (kept[i].stamp >= moment) return`,
    wrong: `if (WRONG ? kept[i].stamp > moment : kept[i].stamp >= moment) return`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "an event of just the moment `until` is not shown",
    file: "event/reading.ts",
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
    name: "events are chosen by whole names only",
    file: "event/match.ts",
    right: `name.startsWith(wanted[i])`,
    wrong: `(WRONG ? name == wanted[i] : name.startsWith(wanted[i]))`,
    finder: { story: "events-by-name" },
  },
  {
    name: "nobody is told that a network is joined",
    file: "event/emit.ts",
    right: `  emitNetwork(container, "connect");`,
    wrong: `  if (!WRONG) emitNetwork(container, "connect");`,
    finder: { story: "events-of-volumes" },
  },
  {
    name: "the moment until which events are read never comes",
    file: "event/reading.ts",
    right: `else this.wait(<u64>(until - engine.now.wall));`,
    wrong: `else if (!WRONG) this.wait(<u64>(until - engine.now.wall));`,
    finder: { story: "events-at-their-times" },
  },
];
