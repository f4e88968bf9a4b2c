import type { Mutant } from "../mutant.js";

export const HOSTS_STREAMS_MUTANTS: readonly Mutant[] = [
  {
    name: "keys that turn out not to be the detach sequence are lost",
    file: "hosts/streams/detach-keys.ts",
    right: `        passed.set(this.#keys.subarray(0, this.#matched), length);\n        length += this.#matched;`,
    wrong: `        if (!WRONG) passed.set(this.#keys.subarray(0, this.#matched), length);\n        if (!WRONG) length += this.#matched;`,
    finder: { test: "tests/streams/attach.test.ts", named: "with detach keys ctrl-p" },
  },
  {
    name: "the header of a frame longer than 64 KiB has a wrong length",
    file: "hosts/streams/frames.ts",
    right: `into[at + 5] = length >>> 16;`,
    wrong: `into[at + 5] = WRONG ? 0 : length >>> 16;`,
    finder: { test: "tests/streams/frames.test.ts", named: "a frame header has stream and length" },
  },
  {
    name: "`until` excludes log lines of its own moment",
    file: "hosts/streams/record-cutter.ts",
    right: `this.#until.isBefore(time)) this.over`,
    wrong: `(WRONG ? !time.isBefore(this.#until) : this.#until.isBefore(time))) this.over`,
    finder: { test: "tests/streams/logs.test.ts", named: "since and until are inclusive" },
  },
];
