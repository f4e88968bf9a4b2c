// The core's spec as passed to the OCI runtime: names become paths, and facts that only the machine knows are filled
// in.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { failureOf, HostFailure } from "../../../hosts/shared/failure.js";
import type { processes } from "../../../hosts/shared/host.js";
import { identityOf, resolveSpec, writeBundle, type Spec } from "../../../runtime-linux/launch/bundle.js";
import { confine, readConfined } from "../../../runtime-linux/confine.js";
import { rewriteFile } from "../../../runtime-linux/launch/container-files.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { PLAIN_LAUNCH } from "../../support/no-streams.js";

const ID = "c".repeat(64);
const OTHER = "d".repeat(64);
const scratch = mkdtempSync(join(tmpdir(), "coracle-bundle-"));
const paths = new Paths({ data: join(scratch, "data"), exec: join(scratch, "exec") });
const root = paths.rootfs(ID);

/** Exchanges two names for ever (renameat2(2), RENAME_EXCHANGE). */
const SWAP = `
  const [first, second] = process.argv.slice(1);
  const rename = require("koffi").load(null).func("int renameat2(int, const char *, int, const char *, unsigned int)");
  if (rename(-100, first, -100, second, 2) !== 0) throw new Error("cannot exchange " + first);
  process.stdout.write("ready");
  for (;;) rename(-100, first, -100, second, 2);
`;

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "etc"), { recursive: true });
});

afterAll(() => rmSync(scratch, { recursive: true }));

const LAUNCH: processes.Launch = {
  container: ID,
  run: 3,
  runtime: "crun",
  spec: new Uint8Array(0),
  user: "",
  seccomp: "unconfined",
  ...PLAIN_LAUNCH,
};

it("turns names into paths", () => {
  mkdirSync(paths.container(OTHER), { recursive: true });
  writeFileSync(paths.containerFile(OTHER, "hostname"), "other\n");
  const spec = resolveSpec(
    {
      root: { path: "" },
      mounts: [
        { destination: "/etc/hosts", source: "file:hosts" },
        { destination: "/etc/hostname", source: `file:${OTHER}/hostname` },
        { destination: "/data", source: "volume:box" },
        { destination: "/proc", source: "proc" },
      ],
      linux: {
        namespaces: [
          { type: "network", path: "network:" },
          { type: "ipc", path: "/proc/1/ns/ipc" },
        ],
      },
    },
    LAUNCH,
    paths,
    libc,
  );
  expect(spec.root).toEqual({ path: root });
  expect(spec.mounts?.map(({ source }) => source)).toEqual([
    paths.containerFile(ID, "hosts"),
    paths.containerFile(OTHER, "hostname"),
    paths.volume("box"),
    "proc",
  ]);
  expect(spec.linux?.namespaces?.map(({ path }) => path)).toEqual([paths.namespace(ID), "/proc/1/ns/ipc"]);
  expect(spec.linux?.cgroupsPath).toMatch(new RegExp(`^/coracle-[0-9a-f]{8}/${ID}$`));
});

it("refuses the files of a removed container", () => {
  const mounts = [{ destination: "/etc/hosts", source: `file:${"e".repeat(64)}/hosts` }];
  expect(() => resolveSpec({ mounts }, LAUNCH, paths, libc)).toThrow("no-such: container-file hosts");
});

it("names a file that is missing when it should be written again", () => {
  const missing = () => rewriteFile(paths.containerFile("e".repeat(64), "hosts"), { name: "hosts" });
  expect(missing).toThrow(/^no-such: container-file hosts$/);
});

it.each(["..", "../../x", `${OTHER}/..`, `${OTHER}/../${OTHER}/hostname`, "passwd", "constructor"])(
  "refuses unknown files: %s",
  (name) => {
    mkdirSync(paths.container(OTHER), { recursive: true });
    const mounts = [{ destination: "/etc/hosts", source: `file:${name}` }];
    expect(() => resolveSpec({ mounts }, LAUNCH, paths, libc)).toThrow("no-such: container-file");
  },
);

it.each([
  ["source of a bind that must be made", { directories: ["/tmp/a\0b"] }, {}],
  ["source of a mount", {}, { mounts: [{ destination: "/data", source: "/tmp/a\0b" }] }],
  ["destination of a mount", {}, { mounts: [{ destination: "/tmp/a\0b", source: "/tmp" }] }],
])("refuses a NUL in the %s", (_, more: Partial<processes.Launch>, spec: Spec) => {
  const launch = { ...LAUNCH, ...more, spec: Buffer.from(JSON.stringify(spec)) };
  mkdirSync(paths.run(ID, 3), { recursive: true });
  const runtime = {
    name: "crun",
    path: "/usr/bin/crun",
    version: "1",
    commit: "",
    features: "",
    kind: "crun",
  } as const;
  let thrown: unknown;
  try {
    writeBundle(launch, paths, runtime, libc);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(HostFailure);
  expect(failureOf(thrown)).toEqual({ tag: "malformed", val: { what: "path", text: "/tmp/a\0b" } });
});

it("adds HOME last, and only if it is missing", () => {
  writeFileSync(join(root, "etc/passwd"), "ann:x:7:8::/home/ann:\n");
  const env = (given: string[]) =>
    resolveSpec({ process: { env: given } }, { ...LAUNCH, user: "ann" }, paths, libc).process?.env;
  expect(env(["A=1"])).toEqual(["A=1", "HOME=/home/ann"]);
  expect(env(["HOME=/x", "A=1"])).toEqual(["HOME=/x", "A=1"]);
});

it("adds held variables in place of those of the same names, or says which container holds nothing", () => {
  const env = (container: string) => {
    const launch = { ...LAUNCH, variables: [{ name: "A", container }] };
    return resolveSpec({ process: { env: ["A=1", "B=2", "HOME=/"] } }, launch, paths, libc).process?.env;
  };
  const failed = (container: string): unknown => {
    try {
      return env(container);
    } catch (error) {
      return failureOf(error);
    }
  };
  expect(failed(OTHER)).toEqual({ tag: "no-such", val: { what: "file-system", name: OTHER } });
  expect(failed("../x")).toEqual({ tag: "malformed", val: { what: "container-id", text: "../x" } });
  mkdirSync(paths.rootfs(OTHER), { recursive: true });
  writeFileSync(paths.heldSecret(OTHER), "x=y");
  expect(env(OTHER)).toEqual(["B=2", "HOME=/", "A=x=y"]);
});

it("gives users other than root only the bounding set of capabilities", () => {
  const all = ["CAP_CHOWN", "CAP_KILL"];
  const given = { bounding: all, permitted: all, effective: all, inheritable: all, ambient: all };
  const capabilities = (user: string) =>
    resolveSpec({ process: { capabilities: { ...given } } }, { ...LAUNCH, user }, paths, libc).process?.capabilities;
  expect(capabilities("")).toEqual(given);
  expect(capabilities("0:5")).toEqual(given);
  expect(capabilities("1000")).toEqual({ bounding: all, permitted: [], effective: [], inheritable: [], ambient: [] });
});

it("gives a terminal its size", () => {
  const size = (more: Partial<processes.Launch>) =>
    resolveSpec({ process: {} }, { ...LAUNCH, ...more }, paths, libc).process?.consoleSize;
  expect(size({ tty: true, rows: 20, columns: 90 })).toEqual({ height: 20, width: 90 });
  expect(size({ tty: true })).toBeUndefined();
  expect(size({ rows: 20, columns: 90 })).toBeUndefined();
});

it("looks up users in the container, for any links", () => {
  const secret = join(scratch, "secret");
  writeFileSync(secret, "eve:x:666:666::/:\n");
  const uid = () => resolveSpec({ process: {} }, { ...LAUNCH, user: "eve" }, paths, libc).process?.user;
  symlinkSync(secret, join(root, "etc/passwd"));
  expect(uid).toThrow("no-such: user eve");
  rmSync(join(root, "etc/passwd"));
  symlinkSync("../../../../../../../../../.." + secret, join(root, "etc/passwd"));
  expect(uid).toThrow("no-such: user eve");
  // The path that the link leads to inside the container may exist outside.
  mkdirSync(join(root, scratch), { recursive: true });
  writeFileSync(join(root, secret), "eve:x:5:5::/:\n");
  expect(uid()).toMatchObject({ uid: 5, gid: 5 });
});

it("looks up users nowhere else, even if directories become links meanwhile", async () => {
  const outside = join(scratch, "outside");
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, "passwd"), "eve:x:666:666::/:\n");
  writeFileSync(join(root, "etc/passwd"), "eve:x:5:5::/:\n");
  symlinkSync(outside, join(root, "link"));
  const uid = () => identityOf({ user: "eve", groups: [] }, root, libc).uid;
  const swapper = spawn(process.execPath, ["-e", SWAP, join(root, "etc"), join(root, "link")]);
  const seen = new Set<number | string>();
  try {
    await once(swapper.stdout, "data");
    for (const end = Date.now() + 1500; Date.now() < end;) {
      try {
        seen.add(uid());
      } catch (error) {
        seen.add((error as Error).message);
      }
    }
  } finally {
    swapper.kill("SIGKILL");
    await once(swapper, "exit");
  }
  const others = [...seen].filter((one) => one !== 5);
  expect(seen).toContain(5);
  expect(others).toEqual([expect.stringContaining("no-such: user eve")]);
});

it("keeps names inside their tree", () => {
  symlinkSync("/", join(root, "all"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync("../..", join(root, "etc/up"));
  expect(confine(root, "/etc/../../../x")).toBe(join(root, "x"));
  expect(confine(root, "all/etc/passwd")).toBe(join(root, "etc/passwd"));
  expect(confine(root, "etc/up/up/x")).toBe(join(root, "up/x"));
  expect(() => confine(root, "loop/x")).toThrow("ELOOP");
  expect(readConfined(libc, root, "loop", 100)).toBe("");
  expect(readConfined(libc, root, "etc", 100)).toBe("");
  writeFileSync(join(root, "long"), "x".repeat(101));
  expect(readConfined(libc, root, "long", 100)).toBe("");
});

it("adds the machine's devices: one with another name, those of a directory, all of them", () => {
  const added = (more: Partial<processes.Launch>) => {
    const { linux } = resolveSpec(
      { linux: { resources: { devices: [{ allow: false }] } } },
      { ...LAUNCH, ...more },
      paths,
      libc,
    );
    return { devices: linux?.devices ?? [], rules: linux?.resources?.devices };
  };
  const zero = added({ devices: [{ path: "/dev/zero", destination: "/dev/mine", access: "r" }] });
  expect(zero.devices).toMatchObject([{ path: "/dev/mine", type: "c", major: 1, minor: 5, uid: 0, gid: 0 }]);
  expect(zero.rules).toEqual([{ allow: false }, { allow: true, type: "c", major: 1, minor: 5, access: "r" }]);
  const within = added({ devices: [{ path: "/dev", destination: "/dev/all", access: "rwm" }] });
  expect(within.devices.map(({ path }) => path)).toEqual(expect.arrayContaining(["/dev/all/null", "/dev/all/full"]));
  const all = added({ allDevices: true });
  expect(all.devices.map(({ path }) => path)).toEqual(expect.arrayContaining(["/dev/null", "/dev/random"]));
  expect(all.devices.filter(({ path }) => /^\/dev\/(pts|shm|console)/.test(path))).toEqual([]);
  expect(all.rules).toEqual([{ allow: false }]);
});
