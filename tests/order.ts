// The order of test files: long ones first, so that a run does not end with waiting for a long one; files that share a
// process (sharing.ts) are next to each other.

import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take half a minute or more in CI, the longest first. The simulator's own runs have lower priority than the
 * others and use idle time.
 */
const LONG: readonly string[] = [
  "tests/simulator/simulator.test.ts",
  "tests/http/fuzz.test.ts",
  "tests/mutants.test.ts",
  "tests/simulator/planted.test.ts",
  "tests/http/many-execs.test.ts",
  "tests/simulator/equal-seeds.test.ts",
  "tests/clients/docker-compose.test.ts",
  "tests/benches/quick.test.ts",
  "tests/linux/power/cuts.test.ts",
  "tests/check.test.ts",
  "tests/trace/chain.test.ts",
  "tests/linux/killed-moments.test.ts",
  "tests/http/swagger.test.ts",
  "tests/core/api/large-requests.test.ts",
  "tests/linux/bursts.test.ts",
  "tests/clients/go-sdk.test.ts",
  "tests/http/unread.test.ts",
  "tests/clients/trace-canaries.test.ts",
  "tests/core/crash/crash.test.ts",
  "tests/clients/docker-events.test.ts",
  "tests/http/builds/both-doors.test.ts",
  "tests/http/builds/kit-reference.test.ts",
  "tests/linux/load-cuts.test.ts",
  "tests/core/exhaustive/exhaustive.test.ts",
  "tests/simulated/shell-like-busybox.test.ts",
  "tests/native/native.test.ts",
  "tests/clients/docker-cli.test.ts",
  "tests/simulator/stories.test.ts",
  "tests/core/snapshot/snapshot.test.ts",
  "tests/http/tars.test.ts",
  "tests/node/power-loss.test.ts",
  "tests/browser/page-faults.test.ts",
  "tests/browser/page-time.test.ts",
  "tests/browser/page-lessons.test.ts",
  "tests/browser/page-looks.test.ts",
  "tests/clients/docker-run.test.ts",
  "tests/clients/coracle-trace.test.ts",
  "tests/browser/console.test.ts",
  "tests/browser/long-trace.test.ts",
  "tests/clients/docker-py.test.ts",
  "tests/core/event/large.test.ts",
  "tests/http/builds/reference.test.ts",
  "tests/http/load.test.ts",
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONG.indexOf(relative(this.ctx.config.root, moduleId));
      return place < 0 ? LONG.length : place;
    };
    // A process is kept for another file if the next one shares it.
    const isShared = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b) || isShared(a) - isShared(b));
  }
}
