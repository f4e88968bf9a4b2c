// Reading the kernel's counters, on machines of either version of cgroups.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Paths } from "../../../runtime-linux/paths.js";
import { Sampler } from "../../../runtime-linux/sample/sample.js";

const ID = "d".repeat(64);
const PID = 77;
const paths = new Paths({ data: "/data", exec: "/run/coracle" });
const scratch = mkdtempSync(join(tmpdir(), "coracle-sample-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const PROC = {
  stat: "cpu  1 2 3 4 5 6 7 100 100 100\ncpu0 1 1 1 1\ncpu1 0 1 2 3\nintr 5\n",
  [`${PID}/net/dev`]: [
    "Inter-|   Receive                                                |  Transmit",
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed",
    "    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0",
    "  eth0:1842       9    1    2    0     0          0         0      270       3    4    5    0     0       0          0",
    "",
  ].join("\n"),
};

const V1 = {
  "cpu,cpuacct/cpuacct.usage": "36042222\n",
  "cpu,cpuacct/cpuacct.usage_percpu": "29735462 6306760 \n",
  "cpu,cpuacct/cpuacct.stat": "user 1\nsystem 2\n",
  "cpu,cpuacct/cpu.stat": "nr_periods 5\nnr_throttled 2\nthrottled_time 700\n",
  "memory/memory.usage_in_bytes": "4669440\n",
  "memory/memory.max_usage_in_bytes": "7589888\n",
  "memory/memory.limit_in_bytes": "67108864\n",
  "memory/memory.failcnt": "3\n",
  "memory/memory.stat": "cache 4194304\ntotal_inactive_file 4096\n",
  "pids/pids.current": "2\n",
  "pids/pids.max": "max\n",
};

const V2 = {
  "all/cpu.stat": "usage_usec 40\nuser_usec 30\nsystem_usec 10\nnr_periods 1\nnr_throttled 0\nthrottled_usec 6\n",
  "all/memory.current": "1000\n",
  "all/memory.max": "max\n",
  "all/memory.events": "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\n",
  "all/memory.stat": "anon 600\nfile 400\ninactive_file 300\n",
  "all/io.stat": "8:0 rbytes=512 wbytes=1024 rios=1 wios=2 dbytes=0 dios=0\n7:1 \n",
  "all/pids.current": "2\n",
  "all/pids.max": "20\n",
};

/** Files by hierarchy and name, and the values read from them. */
function read(name: string, type: "cgroup" | "cgroup2", files: Record<string, string>) {
  const place = join(scratch, name);
  for (const [file, text] of Object.entries(PROC)) write(join(place, "proc", file), text);
  const mounts = new Set<string>();
  for (const [file, text] of Object.entries(files)) {
    const controllers = dirname(file);
    mounts.add(`31 23 0:28 / ${join(place, controllers)} rw,relatime - ${type} ${type} rw,${controllers}\n`);
    write(join(place, controllers, paths.cgroup(ID), file.slice(controllers.length + 1)), text);
  }
  const { at, ...rest } = new Sampler(paths, [...mounts].join(""), join(place, "proc")).sample(ID, PID);
  expect(Number(at) / 1e6).toBeGreaterThan(Date.now() - 10_000);
  return rest;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const MACHINE = { machineCpu: 280_000_000n, onlineCpus: 2 };
const INTERFACES = [
  {
    name: "eth0",
    received: { bytes: 1842n, packets: 9n, errors: 1n, dropped: 2n },
    sent: { bytes: 270n, packets: 3n, errors: 4n, dropped: 5n },
  },
];

it("version 1: each controller's own files, times in nanoseconds and ticks", () => {
  const throttle = {
    "blkio/blkio.throttle.io_serviced_recursive": "254:0 Read 0\n254:0 Total 18\nTotal 18\n",
    "blkio/blkio.throttle.io_service_bytes_recursive": "254:0 Read 0\n254:0 Write 69632\nTotal 69632\n",
    "blkio/blkio.bfq.io_serviced_recursive": "Total 0\n",
  };
  const block = { major: 254n, minor: 0n };
  expect(read("v1", "cgroup", { ...V1, ...throttle })).toEqual({
    ...{ cpu: 36042222n, cpuUser: 10_000_000n, cpuKernel: 20_000_000n },
    ...{ perCpu: BigUint64Array.of(29735462n, 6306760n), periods: 5n, throttledPeriods: 2n, throttled: 700n },
    ...MACHINE,
    ...{ memory: 4669440n, memoryPeak: 7589888n, memoryLimit: 67108864n, memoryFailures: 3n },
    memoryStat: [
      ["cache", 4194304n],
      ["total_inactive_file", 4096n],
    ],
    blocks: [
      { ...block, counter: "service-bytes", operation: "Read", value: 0n },
      { ...block, counter: "service-bytes", operation: "Write", value: 69632n },
      { ...block, counter: "serviced", operation: "Read", value: 0n },
      { ...block, counter: "serviced", operation: "Total", value: 18n },
    ],
    pids: 2n,
    interfaces: INTERFACES,
  });
});

it("version 1: an absent limit is none, a scheduler's own counters come first, lines without an operation", () => {
  const sample = read("v1-more", "cgroup", {
    ...V1,
    "memory/memory.limit_in_bytes": "9223372036854771712\n",
    "blkio/blkio.io_serviced_recursive": "8:0 Read 1\n",
    "blkio/blkio.sectors_recursive": "8:0 24\n",
    "blkio/blkio.throttle.io_serviced_recursive": "8:0 Read 9\n",
  });
  expect(sample).not.toHaveProperty("memoryLimit");
  expect(sample.blocks).toEqual([
    { counter: "serviced", major: 8n, minor: 0n, operation: "Read", value: 1n },
    { counter: "sectors", major: 8n, minor: 0n, operation: "", value: 24n },
  ]);
});

it("version 1 without blkio: block devices are not counted; with nothing counted yet: an empty list", () => {
  expect(read("v1-bare", "cgroup", V1)).not.toHaveProperty("blocks");
  const idle = read("v1-idle", "cgroup", { ...V1, "blkio/blkio.throttle.io_serviced_recursive": "Total 0\n" });
  expect(idle.blocks).toEqual([]);
});

it("version 2: one tree, times in microseconds", () => {
  const block = { counter: "service-bytes", major: 8n, minor: 0n };
  expect(read("v2", "cgroup2", V2)).toEqual({
    ...{ cpu: 40_000n, cpuUser: 30_000n, cpuKernel: 10_000n, perCpu: new BigUint64Array() },
    ...{ periods: 1n, throttledPeriods: 0n, throttled: 6_000n },
    ...MACHINE,
    ...{ memory: 1000n, memoryFailures: 2n },
    memoryStat: [
      ["anon", 600n],
      ["file", 400n],
      ["inactive_file", 300n],
    ],
    blocks: [
      { ...block, operation: "read", value: 512n },
      { ...block, operation: "write", value: 1024n },
    ],
    ...{ pids: 2n, pidsLimit: 20n },
    interfaces: INTERFACES,
  });
});

it("version 2 beside a hierarchy of version 1 that counts nothing of a container", () => {
  const place = join(scratch, "beside");
  for (const [file, text] of Object.entries(PROC)) write(join(place, "proc", file), text);
  for (const [file, text] of Object.entries(V2)) write(join(place, "all", paths.cgroup(ID), file.slice(4)), text);
  const mountinfo =
    `30 23 0:27 / ${join(place, "net_cls")} rw,relatime - cgroup net_cls rw,net_cls\n` +
    `31 23 0:28 / ${join(place, "all")} rw,relatime - cgroup2 cgroup2 rw\n`;
  const sample = new Sampler(paths, mountinfo, join(place, "proc")).sample(ID, PID);
  expect(sample).toMatchObject({ cpu: 40_000n, memory: 1000n, pids: 2n, pidsLimit: 20n });
});

it("a removed group", () => {
  expect(() => read("gone", "cgroup2", { "all/../nothing": "" })).toThrow("no-such: process");
});
