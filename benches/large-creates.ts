// What does a create of several megabytes cost: how long does it take, how long do others wait, and how much memory
// does it use?
import { writeFileSync } from "node:fs";
import { probePings } from "../tests/support/measured/ping-probe.js";
import { readFor } from "../tests/support/processes.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { atMost, Rounds, timed, under, type Answer, type Sizes } from "./question.js";
import { expectStatus, idOf, onWire, requestBytes } from "./wire.js";

/** On a quiet machine, no other client waits longer than this. */
const LONGEST_WAIT_MS = 150;

export async function largeCreates(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [name, config] of bodiesOf(sizes)) {
    const create = requestBytes("POST", "/containers/create", { Image: "busybox", ...config });
    const [took, slowest, memory] = [new Rounds(), new Rounds(), new Rounds()];
    for (let i = 0; i < sizes.longRounds; i += 1) {
      for (const engine of engines) {
        const seen = await once(engine, create);
        took.add(engine.kind, seen.ms);
        slowest.add(engine.kind, seen.slowestPing);
        memory.add(engine.kind, seen.mebibytes);
      }
    }
    const question = `create with ${name}`;
    const note = `${(create.length / 2 ** 20).toFixed(1)} MiB`;
    const late = under(LONGEST_WAIT_MS, "ms");
    answers.push({ question, unit: "ms", figures: took.medians(), goal: atMost(1), note });
    answers.push({ question: `${question}: slowest ping`, unit: "ms", figures: slowest.medians(), goal: late });
    const most = "at most, above what was there before";
    answers.push({ question: `${question}: memory`, unit: "MiB", figures: memory.medians(), note: most });
  }
  return answers;
}

function bodiesOf({ labels, publishedPorts }: Sizes): [string, object][] {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
  const named = numbers(labels).map((at) => [`label.${at}`, `v${at}`]);
  const bound = numbers(publishedPorts).map((port) => [`${port}/tcp`, [{ HostPort: String(port) }]]);
  return [
    [`${labels} labels`, { Labels: Object.fromEntries(named) }],
    [`${publishedPorts} published ports`, { HostConfig: { PortBindings: Object.fromEntries(bound) } }],
  ];
}

interface Seen {
  readonly ms: number;
  readonly slowestPing: number;
  readonly mebibytes: number;
}

/** Measures the daemon's own process, because only that process reads requests. */
async function once(engine: RunningEngine, create: Buffer): Promise<Seen> {
  const pid = engine.daemon.pid();
  writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  const before = mebibytes(pid, "VmRSS");
  const probe = probePings(engine.daemon);
  await probe.begun;
  const ms = await onWire(engine, async (wire) => {
    const took = await timed(() => expectStatus(wire, create, 201));
    await expectStatus(wire, requestBytes("DELETE", `/containers/${idOf(wire)}`), 204);
    return took;
  });
  const { worst } = await probe.end();
  return { ms, slowestPing: worst, mebibytes: mebibytes(pid, "VmHWM") - before };
}

/** proc_pid_clear_refs(5): resets the peak to the current size. */
const RESET_PEAK = "5";

function mebibytes(pid: number, what: "VmRSS" | "VmHWM"): number {
  return Number(new RegExp(`^${what}:\\s+(\\d+)`, "m").exec(readFor(pid, "status"))?.[1] ?? 0) / 1024;
}
