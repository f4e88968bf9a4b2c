// Programs that read from a pipe: grep, wc, sort and others, taken from the simulated world. They see only their input.

import {
  Disk,
  EngineSocket,
  PROGRAMS,
  PidNamespace,
  loopbackOnly,
  WorldTime,
  seededRandom,
} from "../../../simulated/index.js";
import type { Kernel, MountedFiles, Program, Sink, Source } from "../../../simulated/index.js";
import { Printed } from "./printed.js";

export const FILTERS: readonly string[] =
  "awk cat cut egrep fgrep grep head nl rev sed sort tac tail tee tr uniq wc".split(" ");

export interface Filtered {
  readonly code: number;
  /** Its error messages. */
  readonly problem: string;
}

/** Each filter runs on a small machine of its own, so nothing carries over to the next. Aborting `stopped` kills it. */
export async function filtered(
  words: readonly string[],
  input: Source,
  output: Sink,
  stopped: AbortSignal,
): Promise<Filtered> {
  const problem = new Printed(null);
  const here = machine();
  const first = here.start({
    argv: ["init", ...words],
    env: new Map([["PATH", "/bin"]]),
    ...{ cwd: "/", uid: 0, gid: 0, groups: [0], umask: 0o022, terminal: null, group: 0, ignored: new Set<number>() },
    stdin: input,
    stdout: output,
    stderr: problem,
  });
  const kill = (): void => here.kill();
  stopped.addEventListener("abort", kill);
  if (stopped.aborted) kill();
  const code = await first.exited;
  stopped.removeEventListener("abort", kill);
  return { code, problem: problem.rest().trimEnd() };
}

const ROOM = 2 ** 30;
/** Memory limit: a filter that stores its input is killed before the page runs out of memory. */
const MEMORY = 2 ** 28;

function machine(): PidNamespace {
  const time = new WorldTime({ pace: "fast" });
  const disk = new Disk({ size: ROOM, faults: { strike: () => null }, now: () => time.now().wall });
  disk.mount("pipe", null);
  const files = disk.mountView("pipe", { mounts: [{ destination: "/dev", type: "tmpfs", source: "tmpfs" }] });
  putPrograms(files);
  const random = seededRandom(1, "pipe");
  const kernel: Kernel = {
    time,
    random: () => random.next(),
    program: (name) => (name === "init" ? init : PROGRAMS.get(name)),
    files: ({ uid, gid, groups }) => files.as({ uid, groups: [gid, ...groups] }),
    swallows: () => false,
    network: loopbackOnly(time),
    engine: new EngineSocket(time),
    machine: { release: "", architecture: "x86_64", cpus: 1, memory: ROOM, disk: ROOM },
  };
  return new PidNamespace(kernel, { memory: MEMORY, pids: Infinity, resources: new Map() }, "pipe");
}

/** The first process of a machine has special rules, so the program runs as its child. */
const init: Program = (process) => process.spawn({ argv: process.argv.slice(1) }).exited;

function putPrograms(files: MountedFiles): void {
  if (!files.list("/").includes("bin")) files.makeDirectory("/bin");
  for (const name of ["init", ...FILTERS]) {
    files.write(`/bin/${name}`, new TextEncoder().encode(`#!coracle ${name}\n`), 0o755);
  }
}
