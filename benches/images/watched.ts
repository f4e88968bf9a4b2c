// What an engine needs while it moves an image: time, processor time, memory; and how late its pings are meanwhile.
import { writeFileSync } from "node:fs";
import type { RunningEngine } from "../../tests/support/engines.js";
import { probePings } from "../../tests/support/measured/ping-probe.js";
import { readFor } from "../../tests/support/processes.js";
import { atRest } from "../at-rest.js";
import { processorSecondsOfAll } from "../processes-of.js";
import { round, Rounds, timed, under, type Answer, type Goal, type Sizes } from "../question.js";
import { flush } from "./disk.js";

/** The measurements of one kind of move, for each engine round by round. */
export class Watched {
  readonly #ms = new Rounds();
  readonly #seconds = new Rounds();
  readonly #worst = new Rounds();
  readonly #own = new Rounds();
  readonly #memory = new Rounds();
  readonly #restMs: number;

  constructor({ restMs }: Pick<Sizes, "restMs">) {
    this.#restMs = restMs;
  }

  /** Begins when engine and disk are at rest. */
  async move(engine: RunningEngine, act: () => Promise<unknown>): Promise<void> {
    if (this.#restMs > 0) await this.#rest(engine);
    const pid = engine.daemon.pid();
    const [seconds, memory] = [processorSecondsOfAll(engine), kibibytes(pid, "VmRSS")];
    forgetPeak(pid);
    const probe = probePings(engine.daemon);
    await probe.begun;
    this.#ms.add(engine.kind, await timed(act));
    const pings = await probe.end();
    this.#worst.add(engine.kind, pings.worst);
    this.#own.add(engine.kind, pings.worstShare);
    this.#memory.add(engine.kind, Math.max(0, kibibytes(pid, "VmHWM") - memory) / 1024);
    this.#seconds.add(engine.kind, processorSecondsOfAll(engine) - seconds);
  }

  answers(what: string, goal: Goal, note: string): Answer[] {
    const own = Object.entries(this.#own.medians()).filter(([kind]) => kind !== "reference");
    const alone = own.map(([, ms]) => `its own work in that time: ${round(ms)} ms`).join();
    return [
      { question: what, unit: "ms", figures: this.#ms.medians(), goal, note },
      { question: `${what}: processor`, unit: "s", figures: this.#seconds.medians() },
      {
        question: `${what}: slowest ping`,
        unit: "ms",
        figures: this.#worst.medians(),
        goal: under(50, "ms"),
        note: alone,
      },
      { question: `${what}: memory`, unit: "MiB", figures: this.#memory.medians(), goal: under(150, "MiB") },
    ];
  }

  /**
   * Neither what is left of an earlier removal counts, nor what others have written: an engine that flushes would flush
   * that too.
   */
  async #rest(engine: RunningEngine): Promise<void> {
    await atRest(engine, this.#restMs);
    await flush(engine.daemon.directories.root);
  }
}

/** The peak of resident memory counts from now on (proc_pid_clear_refs(5)). */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function kibibytes(pid: number, field: "VmRSS" | "VmHWM"): number {
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(readFor(pid, "status"))?.[1]);
}
