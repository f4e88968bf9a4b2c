// Shared parts of the process tests: a busybox file system, a spec as written by the core, and a reader for logs.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { engine, Input, LogBytes, processes } from "../../../hosts/shared/host.js";
import type { Kernel } from "../../../runtime-linux/kernel.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { linuxProcesses, type LinuxProcesses } from "../../../runtime-linux/processes.js";
import { findProgram } from "../../../runtime-linux/launch/find-program.js";
import { detectRuntimes, type Runtime } from "../../../runtime-linux/launch/runtimes.js";
import { PLAIN_LAUNCH } from "../../support/no-streams.js";

/** Why real containers cannot run here; null if they can. */
export function unable(): string | null {
  if (process.getuid?.() !== 0) return "needs root";
  for (const program of ["conmon", "/bin/busybox"]) if (!findProgram(program)) return `needs ${program}`;
  return findProgram("crun") || findProgram("runc") ? null : "needs crun or runc";
}

export interface Fixture {
  paths: Paths;
  processes: LinuxProcesses;
  /** Reported ends, in order. */
  exits: { container: string; run: number; code: number; outOfMemory: boolean; at: bigint }[];
  /** Reported OOM kills. */
  memoryKills: engine.MemoryKill[];
  /** Resolves with the end of a run. */
  exited(container: string, run?: number): Promise<Fixture["exits"][number]>;
  close(): Promise<void>;
}

/** An engine's processes on separate directories. */
export async function openFixture(
  only?: string,
  directory = newDirectory(),
  more: { added?: Map<string, string>; createLimitMs?: number; kernel?: Kernel } = {},
): Promise<Fixture> {
  const paths = new Paths({ data: join(directory, "data"), exec: join(directory, "exec") });
  const { added, ...rest } = more;
  const runtimes = (await detectRuntimes(added)).filter(({ name }) => !only || name === only);
  const processes = linuxProcesses({ paths, runtimes, ...rest });
  const exits: Fixture["exits"] = [];
  const memoryKills: Fixture["memoryKills"] = [];
  const waiting: (() => void)[] = [];
  processes.listen((input: Input) => {
    if (input.tag === "out-of-memory") memoryKills.push(input.val);
    if (input.tag !== "exited") return;
    exits.push({ container: input.val.container, run: input.val.run, ...input.val.exit });
    for (const wake of waiting.splice(0)) wake();
  });
  const exited: Fixture["exited"] = async (container, run = 1) => {
    for (;;) {
      const found = exits.find((exit) => exit.container === container && exit.run === run);
      if (found) return found;
      await new Promise<void>((wake) => waiting.push(wake));
    }
  };
  const close = async () => {
    await processes.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { paths, processes, exits, memoryKills, exited, close };
}

/** Prefix of this test run's directories; other runs may be active at the same time. */
const PREFIX = `coracle-processes-${process.pid}-`;

export function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), PREFIX));
}

const ids = new Set<string>();

/** Makes `traces` also look for leftovers of this container. */
export function remember(id: string): void {
  ids.add(id);
}

export function newId(): string {
  const id = randomBytes(32).toString("hex");
  ids.add(id);
  return id;
}

/** A busybox file system where the content code would have mounted it. */
export function makeRootfs(paths: Paths, container: string): string {
  const root = paths.rootfs(container);
  for (const directory of ["bin", "etc", "proc", "dev", "sys", "tmp", "root"])
    mkdirSync(join(root, directory), { recursive: true });
  copyFileSync("/bin/busybox", join(root, "bin/busybox"));
  for (const applet of APPLETS) symlinkSync("busybox", join(root, "bin", applet));
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\nalice:x:1000:\nwheel:x:10:alice\n");
  return root;
}

const APPLETS = [
  "sh",
  "true",
  "echo",
  "cat",
  "sleep",
  "id",
  "stty",
  "env",
  "dd",
  "kill",
  "head",
  "grep",
  "mkdir",
  "tail",
  "truncate",
];

/** A launch of `args`, changed by `change`. */
export function launchOf(
  container: string,
  runtime: Runtime,
  args: string[],
  change: Change = {},
): processes.ProcessCommand {
  const { spec: changeSpec, ...more } = change;
  const spec = specOf(args);
  changeSpec?.(spec);
  return {
    tag: "launch",
    val: {
      container,
      run: 1,
      runtime: runtime.name,
      spec: Buffer.from(JSON.stringify(spec)),
      user: "",
      seccomp: "default",
      ...PLAIN_LAUNCH,
      ...more,
    },
  };
}

export type Change =
  | Partial<processes.Launch & { spec: never }>
  | (Partial<Omit<processes.Launch, "spec">> & { spec?: (spec: TestSpec) => void });

export type TestSpec = ReturnType<typeof specOf>;

const CAPABILITIES = [
  "CHOWN",
  "DAC_OVERRIDE",
  "FSETID",
  "FOWNER",
  "MKNOD",
  "NET_RAW",
  "SETGID",
  "SETUID",
  "SETFCAP",
  "SETPCAP",
  "NET_BIND_SERVICE",
  "SYS_CHROOT",
  "KILL",
  "AUDIT_WRITE",
].map((name) => `CAP_${name}`);

function specOf(args: string[]) {
  return {
    ociVersion: "1.0.2",
    process: {
      cwd: "/",
      args,
      env: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
      capabilities: { bounding: CAPABILITIES, effective: CAPABILITIES, permitted: CAPABILITIES },
      noNewPrivileges: false,
    },
    root: { path: "", readonly: false },
    hostname: "box",
    mounts: [
      { destination: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"] },
      {
        destination: "/dev",
        type: "tmpfs",
        source: "tmpfs",
        options: ["nosuid", "strictatime", "mode=755", "size=65536k"],
      },
      {
        destination: "/dev/pts",
        type: "devpts",
        source: "devpts",
        options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"],
      },
      { destination: "/sys", type: "sysfs", source: "sysfs", options: ["nosuid", "noexec", "nodev", "ro"] },
    ] as { destination: string; type: string; source: string; options: string[] }[],
    linux: {
      cgroupsPath: "",
      namespaces: ["mount", "pid", "uts", "ipc", "network"].map((type) => ({ type })),
      resources: {} as Record<string, unknown>,
    },
  };
}

/** The whole log: the bytes written to each stream. */
export async function readLog(log: LogBytes): Promise<{ stdout: Buffer; stderr: Buffer }> {
  const bytes = Buffer.alloc(await log.size());
  for (let at = 0; at < bytes.length;) at += await log.read(at, bytes.subarray(at));
  const streams = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf("\n", at);
    const [, stream, part] = bytes.subarray(at, end).toString("latin1").split(" ", 3) as [
      string,
      "stdout" | "stderr",
      string,
    ];
    const text = bytes.subarray(at, end).toString("latin1").split(" ").slice(0, 3).join(" ").length + 1;
    streams[stream].push(bytes.subarray(at + text, end), Buffer.from(part === "F" ? "\n" : ""));
    at = end + 1;
  }
  return { stdout: Buffer.concat(streams.stdout), stderr: Buffer.concat(streams.stderr) };
}

/** Leftovers of the tests' engines: mounts, cgroups, supervisors and runtimes. */
export function traces(): { mounts: string; cgroups: string[]; supervisors: string } {
  const sh = (command: string) => execFileSync("sh", ["-c", command], { encoding: "utf8" });
  return {
    mounts: sh(`cut -d' ' -f5- /proc/self/mountinfo | grep -F ${PREFIX} || true`),
    // Cgroups of other engines come and go meanwhile.
    cgroups: sh("find /sys/fs/cgroup -path '*/coracle*/*' -type d 2>/dev/null || true")
      .split("\n")
      .filter((path) => ids.has(basename(path))),
    supervisors: sh(
      `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline ; echo; done 2>/dev/null | grep -F ${PREFIX} | grep -v grep || true`,
    ),
  };
}
