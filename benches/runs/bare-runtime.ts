// How much longer does a run of `true` on a bridge take than the OCI runtime alone takes for the same container: the same
// bundle, without a network, log or record? Only for our engine, beside each other in alternating rounds.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { RunningEngine } from "../../tests/support/engines.js";
import { runOnce } from "../containers.js";
import { median, timed, under, type Answer, type Sizes } from "../question.js";
import { withSleepers } from "../running-sleepers.js";
import { onWire, requestBytes } from "../wire.js";

const RUN = requestBytes("POST", "/containers/create", { Image: "busybox", Cmd: ["true"] });

export async function bareRuntime(engines: readonly RunningEngine[], { bareRuns }: Sizes): Promise<Answer[]> {
  const engine = engines.find(({ kind }) => kind === "linux")!;
  const [whole, bare]: [number[], number[]] = [[], []];
  await withSleepers([engine], async (sleeperOf) => {
    const runtime = new BareRuntime(engine, sleeperOf(engine));
    try {
      for (let i = 0; i < bareRuns; i += 1) {
        whole.push(await onWire(engine, (wire) => timed(() => runOnce(wire, RUN))));
        bare.push(await timed(() => runtime.run()));
      }
    } finally {
      await runtime.close();
    }
  });
  const alone = median(bare);
  const note = `the runtime alone takes ${alone.toFixed(1)} ms`;
  const question = "run of true on a bridge, over the bare OCI runtime";
  return [
    { question, unit: "×", figures: { linux: median(whole) / alone }, goal: under(1.3, "×"), note },
    { question: `${question}, 95 of 100`, unit: "×", figures: { linux: most(whole) / alone }, goal: under(1.8, "×") },
  ];
}

/** No more than five in a hundred take longer. */
function most(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}

/** The runtime that has made a running container, with that one's bundle and files. */
class BareRuntime {
  readonly #directory = mkdtempSync(join(tmpdir(), "coracle-bare-"));
  /** Waits for a line, runs the container, and answers with its exit code. */
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #codes: AsyncIterator<string>;

  constructor({ daemon }: RunningEngine, container: string) {
    const run = join(daemon.directories.execRoot, "containers", container, "runs", "1");
    const { runtime } = JSON.parse(readFileSync(join(run, "launch.json"), "utf8")) as { runtime: { path: string } };
    writeFileSync(join(this.#directory, "config.json"), bundleOf(readFileSync(join(run, "config.json"), "utf8")));
    const call = `"${runtime.path}" --root "${this.#directory}/state" run --bundle "${this.#directory}" bare`;
    // crun refuses to run where it sees both versions of control groups.
    const hide = "umount /sys/fs/cgroup/unified 2>/dev/null";
    const script = `${hide}; while read -r line; do ${call} </dev/null >&2; echo $?; done`;
    this.#shell = spawn("unshare", ["--mount", "sh", "-c", script]);
    this.#shell.stderr.pipe(process.stderr);
    this.#codes = createInterface(this.#shell.stdout)[Symbol.asyncIterator]();
  }

  async run(): Promise<void> {
    this.#shell.stdin.write("\n");
    const { value } = (await this.#codes.next()) as { value: string | undefined };
    if (value !== "0") throw new Error(`the bare runtime ended with ${value}`);
  }

  async close(): Promise<void> {
    this.#shell.stdin.end();
    await this.#codes.next();
    rmSync(this.#directory, { recursive: true });
  }
}

interface Bundle {
  process: { args: string[] };
  linux: { cgroupsPath: string; namespaces: { type: string; path?: string }[] };
}

/** In namespaces and a control group of its own. */
function bundleOf(text: string): string {
  const bundle = JSON.parse(text) as Bundle;
  bundle.process.args = ["true"];
  bundle.linux.cgroupsPath = `/coracle-bare-${process.pid}`;
  for (const namespace of bundle.linux.namespaces) delete namespace.path;
  return JSON.stringify(bundle);
}
