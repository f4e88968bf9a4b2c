// How much processor time does an engine use? Unlike elapsed time, this depends little on other work on the machine. A
// cgroup counts the engine's processes and all their descendants, even after their parents have ended. Processes in
// containers are in cgroups of their own.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../tests/support/commands.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { processesOf } from "./processes-of.js";

/** Where the cgroups are made: in cgroup v1's controller, by either of its usual names, or in v2's single tree. */
const PLACES = ["/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup"];
const COUNTS = ["cpuacct.usage", "cpu.stat"];

export class Processor {
  readonly #group: string;
  readonly #count: string;

  private constructor(group: string, count: string) {
    this.#group = group;
    this.#count = count;
  }

  /**
   * Counts a freshly started engine from now on, in a cgroup with a unique name. Null if the machine has no such
   * cgroup.
   */
  static of(engine: RunningEngine, name: string = engine.kind): Processor | null {
    const place = PLACES.find((path) => COUNTS.some((name) => existsSync(join(path, name))));
    if (place === undefined) return null;
    const group = join(place, `coracle-bench-${process.pid}-${name}`);
    mkdirSync(group);
    for (const pid of processesOf(engine)) writeFileSync(join(group, "cgroup.procs"), String(pid));
    const count = COUNTS.map((name) => join(group, name)).find((path) => existsSync(path));
    return count === undefined ? null : new Processor(group, count);
  }

  /** Seconds of all processors together. */
  seconds(): number {
    const text = readFileSync(this.#count, "utf8");
    const micros = /^usage_usec (\d+)/m.exec(text)?.[1];
    return micros === undefined ? Number(text) / 1e9 : Number(micros) / 1e6;
  }

  /** Call after the engine is closed. */
  async close(): Promise<void> {
    await until(`${this.#group} to be empty`, () => {
      try {
        rmdirSync(this.#group);
        return true;
      } catch {
        return false;
      }
    });
  }
}
