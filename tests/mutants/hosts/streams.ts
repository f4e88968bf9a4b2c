import type { Mutant } from "../mutant.js";

export const HOSTS_STREAMS_MUTANTS: readonly Mutant[] = [
  {
    name: "keys that turn out to be no sequence are lost",
    file: "hosts/streams/detach-keys.ts",
    right: `        passed.set(this.#keys.subarray(0, this.#matched), length);\n        length += this.#matched;`,
    wrong: `        if (!WRONG) passed.set(this.#keys.subarray(0, this.#matched), length);\n        if (!WRONG) length += this.#matched;`,
    finder: { test: "tests/streams/attach.test.ts", named: "with detach keys ctrl-p" },
  },
  {
    name: "the head of a frame longer than 64 KiB says too little",
    file: "hosts/streams/frames.ts",
    right: `into[at + 5] = length >>> 16;`,
    wrong: `into[at + 5] = WRONG ? 0 : length >>> 16;`,
    finder: { test: "tests/streams/frames.test.ts", named: "a frame header says stream and length" },
  },
  {
    name: "a line of just the moment `until` is not shown",
    file: "hosts/streams/record-cutter.ts",
    right: `this.#until.isBefore(time)) this.over`,
    wrong: `(WRONG ? !time.isBefore(this.#until) : this.#until.isBefore(time))) this.over`,
    finder: { test: "tests/streams/logs.test.ts", named: "since and until are inclusive" },
  },
];
