// The machine's facts: those of this machine compared with the reference engine, and those derived from files of /proc,
// /sys and /etc of other machines.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { engine } from "../../../hosts/shared/host.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { describeMachine } from "../../../runtime-linux/machine.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { EagerEngine } from "../../core/support/eager-engine.js";
import type { DaemonProcess } from "../../support/daemon-process.js";
import { exchange } from "../../support/raw-http.js";
import { referenceMissing, startReference } from "../../support/reference.js";
import { describeUnless } from "../../support/on-engines.js";

const scratch = mkdtempSync(join(tmpdir(), "coracle-machine-"));
const paths = new Paths({ data: join(scratch, "data"), exec: join(scratch, "exec") });
afterAll(() => rmSync(scratch, { recursive: true }));

const missing = referenceMissing();

describeUnless(missing, "this machine, as the reference sees it", () => {
  let reference: DaemonProcess;
  beforeAll(async () => {
    reference = await startReference();
  }, 90_000);
  afterAll(() => reference?.close(), 60_000);

  test("all facts of /info and /version agree", async () => {
    const info = (await exchange(reference.socketPath, { target: "/info" })).json<Record<string, unknown>>();
    const version = (await exchange(reference.socketPath, { target: "/version" })).json<Record<string, unknown>>();
    const machine = await describeMachine({ kernel: libc, paths });
    expect({
      Name: machine.name,
      OSType: machine.os,
      Architecture: machine.kernelArchitecture,
      KernelVersion: machine.kernelVersion,
      OperatingSystem: machine.operatingSystem,
      OSVersion: machine.osVersion,
      NCPU: machine.cpus,
      MemTotal: Number(machine.memory),
      CgroupVersion: machine.cgroupVersion,
      CgroupDriver: machine.cgroupDriver,
      MemoryLimit: machine.memoryLimit,
      SwapLimit: machine.swapLimit,
      PidsLimit: machine.pidsLimit,
      CpuCfsPeriod: machine.cpuCfs,
      CpuCfsQuota: machine.cpuCfs,
      CPUShares: machine.cpuShares,
      CPUSet: machine.cpuset,
      IPv4Forwarding: machine.ipv4Forwarding,
      Driver: machine.storageDriver,
      // Newer engines report `builtin`, and whether metacopy is used.
      DriverStatus: storageStatus(machine).filter(([name]) => name !== "Using metacopy" && name !== "Logs"),
      SecurityOptions: [
        ...(machine.seccomp ? ["name=seccomp,profile=default"] : []),
        ...(machine.cgroupVersion === "2" ? ["name=cgroupns"] : []),
      ],
    }).toEqual(pick(info));
    expect(machine.architecture).toBe(version["Arch"]);
  });

  function pick(info: Record<string, unknown>): Record<string, unknown> {
    const names =
      "Name OSType Architecture KernelVersion OperatingSystem OSVersion NCPU MemTotal CgroupVersion CgroupDriver " +
      "MemoryLimit SwapLimit PidsLimit CpuCfsPeriod CpuCfsQuota CPUShares CPUSet IPv4Forwarding Driver DriverStatus";
    const options = info["SecurityOptions"] as string[];
    return {
      ...Object.fromEntries(names.split(" ").map((name) => [name, info[name]])),
      // The reference gives containers AppArmor profiles if the kernel supports them.
      SecurityOptions: options.filter((option) => option !== "name=apparmor"),
    };
  }
});

test("cgroup v2 is recognized by its controllers", async () => {
  const machine = await machineOf({
    "sys/fs/cgroup/cgroup.controllers": "cpu io memory\n",
    "sys/fs/cgroup/system.slice/memory.max": "max\n",
    "sys/fs/cgroup/system.slice/memory.swap.max": "max\n",
  });
  expect(machine).toMatchObject({
    cgroupVersion: "2",
    memoryLimit: true,
    swapLimit: true,
    cpuCfs: true,
    cpuShares: true,
  });
  expect(machine).toMatchObject({ cpuset: false, pidsLimit: false, simulated: false });
});

test("with cgroup v2 and no limited group, the kernel's facts decide about swap", async () => {
  const controllers = { "sys/fs/cgroup/cgroup.controllers": "cpu memory\n" };
  const swaps = { "proc/swaps": "Filename Type Size Used Priority\n" };
  const limited = { "sys/fs/cgroup/init.scope/memory.max": "max\n" };
  const unlimited = { "sys/fs/cgroup/init.scope/cgroup.procs": "1\n" };
  const off = { "proc/cmdline": "quiet swapaccount=0\n" };
  const machines = [
    controllers,
    { ...controllers, ...swaps, ...unlimited },
    { ...controllers, ...swaps, ...off },
    { ...controllers, ...swaps, ...limited },
    { ...swaps, "sys/fs/cgroup/cgroup.controllers": "cpu\n" },
  ];
  const limits = await Promise.all(machines.map(async (files) => (await machineOf(files)).swapLimit));
  expect(limits).toEqual([false, true, false, false, false]);
});

test("with cgroup v2, weights of block devices are supported if a group or the root group shows it", async () => {
  const controllers = { "sys/fs/cgroup/cgroup.controllers": "cpu io\n" };
  const limited = { "sys/fs/cgroup/init.scope/io.max": "" };
  const machines = [
    controllers,
    { ...controllers, "sys/fs/cgroup/io.cost.qos": "" },
    { ...controllers, ...limited },
    { ...controllers, ...limited, "sys/fs/cgroup/init.scope/io.weight": "default 100\n" },
    { ...controllers, ...limited, "sys/fs/cgroup/init.scope/io.bfq.weight": "default 100\n" },
    { "sys/fs/cgroup/cgroup.controllers": "cpu\n" },
  ];
  const weights = await Promise.all(machines.map(async (files) => (await machineOf(files)).blkioWeight));
  expect(weights).toEqual([false, true, false, true, true, false]);
});

test("features that cgroup v1 lacks give no limit", async () => {
  const machine = await machineOf({
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "0",
    "sys/fs/cgroup/cpu/cpu.shares": "1024",
    "sys/fs/cgroup/unified/cgroup.controllers": "",
  });
  expect(machine).toMatchObject({
    cgroupVersion: "1",
    memoryLimit: true,
    swapLimit: false,
    cpuShares: true,
    cpuCfs: false,
  });
});

test("distribution, memory and routes are read correctly", async () => {
  const machine = await machineOf({
    "etc/os-release": `NAME=Other\nPRETTY_NAME="Other \\"Linux\\" 7"\nVERSION_ID='7.1'\n`,
    "proc/meminfo": "MemTotal:        1024 kB\nMemFree: 7 kB\n",
    "proc/net/route": [
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
      "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
      "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
      "eth1\t000010AC\t00000000\t0001\t0\t0\t0\t0000F0FF\t0\t0\t0",
    ].join("\n"),
    "proc/sys/net/bridge/bridge-nf-call-iptables": "1\n",
    "proc/sys/net/bridge/bridge-nf-call-ip6tables": "0\n",
    "proc/self/status": "Name:\tnode\nSeccomp:\t0\n",
  });
  expect(machine).toMatchObject({
    seccomp: true,
    operatingSystem: 'Other "Linux" 7',
    osVersion: "7.1",
    memory: 1048576n,
  });
  expect(machine.routes).toEqual(["192.0.2.0/24", "172.16.0.0/12"]);
  expect(machine).toMatchObject({ bridgeNfIptables: true, bridgeNfIp6tables: false, ipv4Forwarding: false });
});

test("options of overlayfs show in the storage's facts", async () => {
  const machine = await machineOf({
    "sys/module/overlay/parameters/redirect_dir": "Y\n",
    "proc/self/uid_map": "         0     100000      65536\n",
  });
  expect(machine.storage).toMatchObject({ metacopy: false, redirects: true, userNamespace: true });
});

/** What the core tells of a machine's storage. */
function storageStatus(machine: engine.Machine): [string, string][] {
  const { body } = new EagerEngine([], machine).request("GET", "/v1.55/info");
  return (JSON.parse(body) as { DriverStatus: [string, string][] }).DriverStatus;
}

/** The facts of a machine that has only these files. */
function machineOf(files: Record<string, string>): Promise<engine.Machine> {
  const root = mkdtempSync(join(scratch, "root-"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return describeMachine({ kernel: libc, paths, root });
}

test("an engine's default bridge has a name of its own, and the usual one for the usual data root", () => {
  const bridge = (data: string, exec: string): string => new Paths({ data, exec }).defaultBridge();
  expect(bridge("/var/lib/coracle", "/run/other")).toBe("coracle0");
  const names = ["/srv/one", "/srv/two"].map((data) => bridge(data, "/run/coracle"));
  for (const name of names) expect(name).toMatch(/^coracle-[0-9a-f]{7}$/);
  expect(new Set(names).size).toBe(2);
});

test("an engine's table of the packet filter has a name of its own, and the usual one for the usual data root", () => {
  const tables = ["/var/lib/coracle", "/srv/one", "/srv/two"].map((data) =>
    new Paths({ data, exec: "/run" }).filterTable(),
  );
  expect(tables[0]).toBe("coracle");
  for (const name of tables.slice(1)) expect(name).toMatch(/^coracle-[0-9a-f]{8}$/);
  expect(new Set(tables).size).toBe(3);
});
