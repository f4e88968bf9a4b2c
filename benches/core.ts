// How big is the core, and how long does everything wait while it collects garbage?
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Core } from "../build/core/core.js";
import { packageCore } from "../hosts/embedding/core.js";
import type { CompiledCore, Engine } from "../hosts/embedding/engine.js";
import { openEngine } from "../hosts/embedding/open.js";
import { simulatedHost } from "../hosts/simulated/index.js";
import { ROOT } from "../tests/support/engines.js";
import { round, under, type Answer, type Sizes } from "./question.js";

/** The first collections are not measured, because the platform compiles code during them. */
const WARMING = 2;
const MEASURED = 5;

export async function core(sizes: Sizes): Promise<Answer[]> {
  return [...sizeOf(sizes), await longestStop(sizes)];
}

function sizeOf({ brotli }: Sizes): Answer[] {
  const wasm = readFileSync(join(ROOT, "build/core/core.core.wasm"));
  const packed = brotliCompressSync(wasm, { params: { [constants.BROTLI_PARAM_QUALITY]: brotli } });
  const goal = under(180, "KB");
  return [
    { question: "core wasm", unit: "KB", figures: { core: wasm.length / 1000 } },
    { question: "core wasm, brotli", unit: "KB", figures: { core: packed.length / 1000 }, goal },
  ];
}

/** Runs on a simulated host in this program, because the host plays no part. */
async function longestStop({ collected }: Sizes): Promise<Answer> {
  const stops = new Stops();
  const engine = await openEngine({ host: simulatedHost(), core: stops.core });
  for (let i = 0; i < collected; i += 1) await create(engine, i);
  await stops.collections(WARMING, () => inspect(engine));
  const { ms } = await stops.collections(MEASURED, () => inspect(engine));
  await engine.close();
  const all = ms.reduce((sum, one) => sum + one, 0) / MEASURED;
  return {
    question: `longest stop of the core to collect garbage, among ${collected} containers`,
    unit: "ms",
    figures: { core: Math.max(...ms) },
    goal: under(5, "ms"),
    note: `${round(ms.length / MEASURED)} stops for each collection, together ${round(all)} ms`,
  };
}

/** Measures the calls in which a core collects garbage, in processor time: other work on the machine must not count. */
class Stops {
  ms: number[] = [];
  /** Collections that are over. */
  #over = 0;

  get core(): CompiledCore {
    return { instantiate: (imports: never) => this.#watched(packageCore().instantiate(imports)) };
  }

  /** Acts until there were so many more collections. */
  async collections(count: number, act: () => Promise<void>): Promise<Stops> {
    this.ms = [];
    const end = this.#over + count;
    while (this.#over < end) await act();
    return this;
  }

  #watched<Instance extends { exports: Core }>(instance: Instance): Instance {
    const { engine } = instance.exports;
    const watched = {
      ...engine,
      collect: () => {
        this.#stop(() => {
          engine.collect();
          return true;
        });
      },
      collectSlice: (most: number) => this.#stop(() => engine.collectSlice(most)),
    };
    return { ...instance, exports: { ...instance.exports, engine: watched } };
  }

  #stop(collect: () => boolean): boolean {
    const before = process.cpuUsage();
    const isOver = collect();
    const { user, system } = process.cpuUsage(before);
    this.ms.push((user + system) / 1000);
    if (isOver) this.#over += 1;
    return isOver;
  }
}

async function create(engine: Engine, number: number): Promise<void> {
  const body = JSON.stringify({ Image: "busybox", Cmd: ["sleep", "1000"], Labels: { number: String(number) } });
  const headers = { "Content-Type": "application/json" };
  await answer(engine.fetch(`/containers/create?name=c${number}`, { method: "POST", headers, body }));
}

async function inspect(engine: Engine): Promise<void> {
  await answer(engine.fetch("/containers/c0/json"));
}

async function answer(asked: Promise<Response>): Promise<void> {
  const response = await asked;
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
}
