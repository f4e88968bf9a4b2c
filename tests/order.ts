// In which order files are run: long ones first, so that in the end nobody waits for one that was begun last.

import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than a minute in CI, the longest first. The simulator gives way to all the others, and takes what they leave. */
const LONG: readonly string[] = [
  "tests/simulator/simulator.test.ts",
  "tests/linux/healing.test.ts",
  "tests/linux/load-cuts.test.ts",
  "tests/http/many-execs.test.ts",
  "tests/mutants.test.ts",
  "tests/http/fuzz.test.ts",
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONG.indexOf(relative(this.ctx.config.root, moduleId));
      return place < 0 ? LONG.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
