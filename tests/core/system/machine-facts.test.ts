// What the core makes of the facts that a host found: what `/info` tells in Docker's words, and limits.

import { expect, test } from "vitest";
import type { engine } from "../../../hosts/shared/host.js";
import { EagerEngine } from "../support/eager-engine.js";

interface Told {
  Warnings: string[] | null;
  SecurityOptions: string[];
  DriverStatus: [string, string][];
}

function told(machine: Partial<engine.Machine>, version = "1.55"): Told {
  const { body } = new EagerEngine([], machine).request("GET", `/v${version}/info`);
  return JSON.parse(body) as Told;
}

const LACKING: [Partial<engine.Machine>, string[]][] = [
  [{ memoryLimit: false }, ["No memory limit support"]],
  [{ swapLimit: false }, ["No swap limit support"]],
  [{ cpuCfs: false }, ["No cpu cfs quota support", "No cpu cfs period support"]],
  [{ cpuShares: false }, ["No cpu shares support"]],
  [{ cpuset: false }, ["No cpuset support"]],
  [{ ipv4Forwarding: false }, ["IPv4 forwarding is disabled"]],
  [
    { droppingChains: ["ip filter forward", "inet fw pass"] },
    [
      "firewall chain ip filter forward drops forwarded packets: containers may not reach the network",
      "firewall chain inet fw pass drops forwarded packets: containers may not reach the network",
    ],
  ],
  [{ simulated: true }, ["this machine is simulated: no process, file or network of it is real"]],
];

test.each(LACKING)("%j is a warning", (machine, warnings) => {
  expect(told(machine).Warnings).toEqual(warnings.map((text) => `WARNING: ${text}`));
});

test("a machine that lacks nothing has no warnings, and one that lacks all has them all", () => {
  expect(told({}).Warnings).toBeNull();
  const all = Object.assign({}, ...LACKING.map(([machine]) => machine)) as Partial<engine.Machine>;
  const warnings = LACKING.flatMap(([, texts]) => texts.map((text) => `WARNING: ${text}`));
  expect(told(all).Warnings?.sort()).toEqual(warnings.sort());
});

test("security options follow from seccomp and the version of cgroups", () => {
  const options = (machine: Partial<engine.Machine>, version?: string) => told(machine, version).SecurityOptions;
  expect(options({ seccomp: true, cgroupVersion: "2" })).toEqual(["name=seccomp,profile=builtin", "name=cgroupns"]);
  expect(options({ seccomp: false, cgroupVersion: "2" })).toEqual(["name=cgroupns"]);
  expect(options({ seccomp: false, cgroupVersion: "1" })).toEqual([]);
  expect(options({ seccomp: true, cgroupVersion: "2" }, "1.24")).toEqual(["seccomp", "cgroupns"]);
});

const STORAGE: engine.Storage = {
  fileSystem: 0xef53,
  entryTypes: true,
  size: 0n,
  metacopy: false,
  redirects: false,
  userNamespace: false,
};

test.each<[Partial<engine.Storage>, Record<string, string>]>([
  [{}, {}],
  [{ fileSystem: 0x9123683e }, { "Backing Filesystem": "btrfs" }],
  [{ fileSystem: 1 }, { "Backing Filesystem": "<unknown>" }],
  [{ entryTypes: false }, { "Supports d_type": "false" }],
  [{ metacopy: true }, { "Using metacopy": "true", "Native Overlay Diff": "false" }],
  [{ redirects: true }, { "Native Overlay Diff": "false" }],
  [{ userNamespace: true }, { userxattr: "true" }],
])("a storage with %j has the status %j", (facts, differing) => {
  const status = told({ storage: { ...STORAGE, ...facts } }).DriverStatus;
  expect(status.map(([name]) => name)).toEqual([
    "Backing Filesystem",
    "Supports d_type",
    "Using metacopy",
    "Native Overlay Diff",
    "userxattr",
    "Logs",
  ]);
  expect(Object.fromEntries(status)).toMatchObject({
    "Backing Filesystem": "extfs",
    "Supports d_type": "true",
    "Using metacopy": "false",
    "Native Overlay Diff": "true",
    userxattr: "false",
    ...differing,
  });
});

test("a simulated machine has no file system of the kernel's", () => {
  const { DriverStatus } = told({ simulated: true, storage: { ...STORAGE, fileSystem: 0 } });
  expect(Object.fromEntries(DriverStatus)["Backing Filesystem"]).toBe("simulated");
});

test.each([
  [true, 1n << 40n],
  [false, 256n << 20n],
])("sparse files may have more holes where those take no room: %s", (sparseFiles, holes) => {
  const engine = new EagerEngine([], { sparseFiles });
  engine.begin("POST", "/v1.55/images/load", {});
  const limits = engine.asked.flatMap(({ to, command }) =>
    to === "content" && command.tag === "ingest" ? [command.val.limits.holes] : [],
  );
  expect(limits).toEqual([holes]);
});
