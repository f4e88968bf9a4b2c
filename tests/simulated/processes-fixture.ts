// Commands on the simulated world's processes, without an engine: a container with busybox's programs.

import { EngineSocket } from "../../hosts/simulated/engine-socket.js";
import type { Input, LogBytes, networks, processes as wit } from "../../hosts/shared/host.js";
import type { Fault, FaultSource } from "../../hosts/simulated/faults.js";
import { Disk } from "../../hosts/simulated/files/disk.js";
import { WorldNetworks } from "../../hosts/simulated/networks.js";
import { simulatedProcesses, type SimulatedProcesses } from "../../hosts/simulated/processes/processes.js";
import type { Program } from "../../hosts/simulated/program.js";
import { PROGRAMS } from "../../hosts/simulated/programs/table.js";
import { seededRandom } from "../../hosts/simulated/random.js";
import { WorldFaults } from "../../hosts/simulated/world-faults.js";
import { WorldTime } from "../../hosts/simulated/world-time.js";
import { GROUP, PASSWD } from "./process-fixture.js";
import { PLAIN_LAUNCH } from "../support/no-streams.js";

export const ID = "c".repeat(64);

export type Change = Partial<Omit<wit.Launch, "spec">> & { spec?: (spec: TestSpec) => void };
export type TestSpec = ReturnType<typeof specOf>;
export type Exited = { container: string; run: number; code: number; outOfMemory: boolean; lost: boolean; at: bigint };

const BRIDGE: networks.Bridge = {
  ...{ network: "ab".repeat(32), name: "bridge", interfaceName: "docker0" },
  ...{ subnet: "172.17.0.0/16", gateway: "172.17.0.1", ipv6Subnet: "", ipv6Gateway: "", mtu: 0 },
  ...{ gatewayMode: "nat", ipv6GatewayMode: "nat", sourceAddress: "", ipv6SourceAddress: "", trustedInterfaces: [] },
  ...{ internal: false, connectsContainers: true, masquerades: true, forwards: true, firewall: true, proxies: true },
};
const JOINING: readonly networks.NetworkCommand[] = [
  { tag: "make", val: BRIDGE },
  {
    tag: "join",
    val: {
      ...{ container: ID, containerName: "box", bridge: BRIDGE, interfaceName: "eth0", address: "172.17.0.2" },
      ...{ gateway: "172.17.0.1", ipv6Address: "", ipv6Gateway: "", mac: "02:42:ac:11:00:02", ports: [] },
      ...{ linkLocal: [], sysctls: [] },
    },
  },
];

export class World {
  readonly time = new WorldTime({ pace: "fast" });
  readonly faults: WorldFaults & FaultSource = new WorldFaults();
  readonly disk = new Disk({ size: 2 ** 36, faults: this.faults, now: () => this.time.now().wall });
  readonly networks = new WorldNetworks({ time: this.time, faults: this.faults });
  readonly processes: SimulatedProcesses;
  readonly exits: Exited[] = [];
  /** In the order of their reports. */
  readonly memoryKills: number[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor({ seed = 1, programs = {} }: { seed?: number; programs?: Record<string, Program> } = {}) {
    const random = seededRandom(seed, "processes");
    this.processes = simulatedProcesses({
      time: this.time,
      random: () => random.next(),
      faults: this.faults,
      disk: this.disk,
      programs,
      ...{ networks: this.networks, engine: new EngineSocket(this.time) },
      hasRuntime: (name) => name === "simulated",
      machine: {
        name: "sim",
        kernelVersion: "6.1.0",
        kernelArchitecture: "x86_64",
        cpus: 4,
        memory: 8n << 30n,
        disk: 2 ** 36,
      },
    });
    this.listen();
    this.addContainer(ID, Object.keys(programs));
  }

  /** Does what a new engine does. */
  listen(): void {
    this.processes.listen((input: Input) => {
      if (input.tag === "out-of-memory") this.memoryKills.push(input.val.kills);
      if (input.tag !== "exited") return;
      this.exits.push({ container: input.val.container, run: input.val.run, ...input.val.exit });
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  addContainer(id: string, more: readonly string[] = []): void {
    this.disk.mount(id, null);
    const files = this.disk.mountView(id, { mounts: [] });
    const write = (path: string, text: string, mode = 0o644): void =>
      files.write(path, new TextEncoder().encode(text), mode);
    const there = files.list("/");
    for (const name of ["bin", "etc", "root", "tmp"]) if (!there.includes(name)) files.makeDirectory(`/${name}`);
    for (const name of [...PROGRAMS.keys(), ...more]) write(`/bin/${name}`, `#!coracle ${name}\n`, 0o755);
    write("/etc/passwd", PASSWD);
    write("/etc/group", GROUP);
    write("/plain", "no program\n");
    write("/bin/strange", "\x7fELF-of-nothing-known", 0o755);
  }

  /** Puts the container on a network. */
  async join(): Promise<void> {
    for (const command of JOINING) await this.networks.perform(1n, command, () => {});
  }

  perform(command: wit.ProcessCommand): ReturnType<SimulatedProcesses["perform"]> {
    return this.processes.perform(1n, command, () => {});
  }

  async launch(args: string[], { spec: change, ...more }: Change = {}): Promise<void> {
    const spec = specOf(args);
    change?.(spec);
    const usual = { container: ID, run: 1, runtime: "simulated", user: "", seccomp: "default" };
    const stdio = {
      ...PLAIN_LAUNCH,
    };
    await this.perform({
      tag: "launch",
      val: { ...usual, ...stdio, ...more, spec: new TextEncoder().encode(JSON.stringify(spec)) },
    });
  }

  signal(number: number, run = 1): ReturnType<World["perform"]> {
    return this.perform({ tag: "signal", val: { subject: { container: ID, run }, number } });
  }

  reap(run = 1): ReturnType<World["perform"]> {
    return this.perform({ tag: "reap", val: { container: ID, run } });
  }

  /** Sleeps for nanoseconds of the world's time. */
  sleep(ns: bigint): Promise<void> {
    return new Promise((resolve) => this.time.at(this.time.now().monotonic + ns, resolve));
  }

  async exited(run = 1): Promise<Exited> {
    for (;;) {
      const found = this.exits.find((exit) => exit.run === run);
      if (found) return found;
      await new Promise<void>((wake) => this.#waiting.push(wake));
    }
  }

  async run(args: string[], change: Change = {}): Promise<Exited & { stdout: string; stderr: string }> {
    await this.launch(args, change);
    const exit = await this.exited(change.run);
    return { ...exit, ...(await this.output()) };
  }

  async output(): Promise<{ stdout: string; stderr: string }> {
    return readLog(await this.processes.stdio.log(ID));
  }

  async untilOutput(text: string): Promise<void> {
    const log = await this.processes.stdio.log(ID);
    while (!(await readLog(log)).stdout.includes(text)) {
      await new Promise<void>((resolve) => {
        const stop = log.watch(() => {
          stop();
          resolve();
        });
      });
    }
  }
}

export async function rawLog(log: LogBytes): Promise<string> {
  const bytes = new Uint8Array(await log.size());
  await log.read(0, bytes);
  return new TextDecoder().decode(bytes);
}

async function readLog(log: LogBytes): Promise<{ stdout: string; stderr: string }> {
  const output = { stdout: "", stderr: "" };
  for (const line of (await rawLog(log)).split("\n").slice(0, -1)) {
    const [, stream, part, text = ""] = /^\S+ (stdout|stderr) ([PFE]) (.*)$/s.exec(line) ?? [];
    output[stream as "stdout" | "stderr"] += part === "F" ? `${text}\n` : text;
  }
  return output;
}

function specOf(args: string[]) {
  return {
    ociVersion: "1.0.2",
    process: {
      terminal: false,
      args,
      env: ["PATH=/bin"],
      cwd: "/",
      capabilities: { bounding: ["CAP_KILL"], effective: ["CAP_KILL"] },
      rlimits: [] as { type: string; soft: number; hard: number }[],
    },
    root: { path: "", readonly: false },
    hostname: "box",
    mounts: [
      { destination: "/proc", type: "proc", source: "proc", options: [] as string[] },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["mode=755", "size=65536k"] },
      { destination: "/sys", type: "sysfs", source: "sysfs", options: ["ro"] },
    ],
    linux: {
      namespaces: [{ type: "pid" }, { type: "network", path: "network:" }] as { type: string; path?: string }[],
      resources: {} as Record<string, unknown>,
    },
  };
}

export type { Fault };
