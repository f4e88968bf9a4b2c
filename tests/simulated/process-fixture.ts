// A simulated container's processes without an engine: a small image, with time running as fast as possible.

import { EngineSocket } from "../../hosts/simulated/engine-socket.js";
import { Disk } from "../../hosts/simulated/files/disk.js";
import type { MountedFiles } from "../../hosts/simulated/files/mounted-files.js";
import type { Kernel, Limits } from "../../hosts/simulated/processes/kernel.js";
import { loopbackOnly } from "../../hosts/simulated/networks.js";
import { PidNamespace } from "../../hosts/simulated/processes/pid-namespace.js";
import { Bytes, never, type Sink, type Source } from "../../hosts/simulated/processes/streams.js";
import type { ContainerProcess } from "../../hosts/simulated/processes/process.js";
import { PROGRAMS } from "../../hosts/simulated/programs/table.js";
import type { Program } from "../../hosts/simulated/program.js";
import { seededRandom } from "../../hosts/simulated/random.js";
import { WorldTime } from "../../hosts/simulated/world-time.js";

export const PASSWD = "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n";
export const GROUP = "root:x:0:\nalice:x:1000:\nwheel:x:10:alice\n";

export interface Ran {
  stdout: string;
  stderr: string;
  code: number;
}

export interface Sandbox {
  time: WorldTime;
  files: MountedFiles;
  namespace: PidNamespace;
  /** Starts the first process. */
  start(argv: readonly string[], given?: Given): { first: ContainerProcess; stdout: Collected; stderr: Collected };
  /** Runs a script to its end with `sh -c`, not as the first process. */
  run(script: string, given?: Given): Promise<Ran>;
}

export interface Given {
  stdin?: string | Source;
  env?: Record<string, string>;
  cwd?: string;
  uid?: number;
}

/** A sink that collects its bytes. */
export class Collected implements Sink {
  readonly tty = false;
  readonly pieces: Uint8Array[] = [];
  wake = never;

  put(bytes: Uint8Array): number {
    this.pieces.push(bytes.slice());
    return bytes.length;
  }

  retain(): void {}
  release(): void {}

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }
}

export function sandbox({
  limits = {},
  programs = {},
  seed = 1,
}: { limits?: Partial<Limits>; programs?: Record<string, Program>; seed?: number } = {}): Sandbox {
  const time = new WorldTime({ pace: "fast" });
  const now = (): bigint => time.now().wall;
  const disk = new Disk({ size: 2 ** 36, faults: { strike: () => null }, now });
  const id = "c".repeat(64);
  disk.mount(id, null);
  const mounts = [
    { destination: "/proc", type: "proc", source: "proc" },
    { destination: "/dev", type: "tmpfs", source: "tmpfs" },
    { destination: "/tmp", type: "tmpfs", source: "tmpfs" },
  ];
  const files = disk.mountView(id, { mounts });
  fill(files, ["init", ...PROGRAMS.keys(), ...Object.keys(programs)]);
  const random = seededRandom(seed, "processes");
  const kernel: Kernel = {
    time,
    random: () => random.next(),
    program: (name) => (name === "init" ? init : (programs[name] ?? PROGRAMS.get(name))),
    files: ({ uid, gid, groups }) => files.as({ uid, groups: [gid, ...groups] }),
    swallows: () => false,
    network: loopbackOnly(time),
    engine: new EngineSocket(time),
    machine: { release: "6.1.0", architecture: "x86_64", cpus: 4, memory: 2 ** 33, disk: 2 ** 36 },
  };
  const namespace = new PidNamespace(
    kernel,
    { memory: Infinity, pids: Infinity, resources: new Map(), ...limits },
    "box",
  );
  const start: Sandbox["start"] = (argv, { stdin = "", env = {}, cwd = "/tmp", uid = 0 } = {}) => {
    const [stdout, stderr] = [new Collected(), new Collected()];
    const first = namespace.start({
      argv,
      env: new Map(Object.entries({ PATH: "/bin", HOME: "/root", ...env })),
      ...{ cwd, uid, gid: uid, groups: [uid], umask: 0o022, terminal: null, group: 0, ignored: new Set() },
      stdin: typeof stdin === "string" ? new Bytes(new TextEncoder().encode(stdin)) : stdin,
      stdout,
      stderr,
    });
    return { first, stdout, stderr };
  };
  const run: Sandbox["run"] = async (script, given) => {
    const { first, stdout, stderr } = start(["init", "sh", "-c", script], given);
    const code = await first.exited;
    return { stdout: stdout.text, stderr: stderr.text, code };
  };
  return { time, files, namespace, start, run };
}

/**
 * Runs its arguments as a child process, because the first process of a namespace has special rules
 * (pid_namespaces(7)).
 */
const init: Program = (process) => process.spawn({ argv: process.argv.slice(1) }).exited;

function fill(files: MountedFiles, names: readonly string[]): void {
  const there = files.list("/");
  for (const name of ["bin", "etc", "root", "home"]) if (!there.includes(name)) files.makeDirectory(`/${name}`);
  for (const name of names) files.write(`/bin/${name}`, new TextEncoder().encode(`#!coracle ${name}\n`), 0o755);
  files.write("/etc/passwd", new TextEncoder().encode(PASSWD));
  files.write("/etc/group", new TextEncoder().encode(GROUP));
}
