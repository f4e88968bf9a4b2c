// Links in a container that change after they were checked, while the runtime creates the container: a mount that lands
// in /proc this way is detected before the container starts, with any runtime. The test's runtimes change the link
// themselves at that moment.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, messageOf, type Json } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { describeUnless } from "../support/on-engines.js";
import { rawTar } from "../support/archives/tar.js";

const crun = findProgram("crun");
const missing = missingLinux();

describeUnless(missing ?? (crun === null ? "needs crun" : null), "links that change while a runtime works", () => {
  let directory = "";
  let daemon: DaemonProcess;
  let engine: EngineClient;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "coracle-changed-"));
    const flags = await Promise.all([changing("crun"), changing("odd"), machines()]);
    daemon = await startCoracle(flags.flatMap((flag) => ["--add-runtime", flag]));
    engine = new EngineClient(daemon.socketPath);
    const entries = [
      { name: "place", flag: "5" },
      { name: "dangling", flag: "2", target: "/nowhere/deep" },
    ];
    const layers = [await busyboxLayer(), rawTar(entries)];
    await engine.load(await dockerArchive([{ reference: "changing:1", config: { Cmd: ["true"] }, layers }]));
  });
  afterAll(async () => {
    await daemon?.close();
    await rm(directory, { recursive: true, force: true });
  });

  test.each(["crun", "odd", "machines"])("a mount that ended up in /proc is refused, by %s", async (name) => {
    const id = await create(`changing-${name}`, ["leading:/place/sys"]);
    const answer = await engine.call("POST", `/containers/${id}/start`);
    expect(answer.status).toBe(500);
    expect(messageOf(answer)).toContain('"/proc/sys" cannot be mounted because it is inside /proc');
    expect((await engine.inspect<{ State: Json }>(id)).State).toMatchObject({ Status: "created", Pid: 0 });
    await engine.remove(id);
  });

  test.each(["crun", "odd"])("a mount elsewhere stays, by %s", async (name) => {
    const id = await create(`changing-${name}`, ["leading:/other", "beyond:/dangling/x"]);
    await engine.start(id);
    expect(await engine.wait(id)).toBe(0);
    await engine.remove(id);
  });

  test("mounts in the machine's /proc do not count as a container's in a virtual machine", async () => {
    const id = await create("changing-machines", ["leading:/other"]);
    await engine.start(id);
    expect(await engine.wait(id)).toBe(7);
    await engine.remove(id);
  });

  function create(Runtime: string, Binds: string[]): Promise<string> {
    const Cmd = ["sh", "-c", "grep ' /other ' /proc/mounts && grep ' /nowhere/deep/x ' /proc/mounts"];
    return engine.create({ Image: "changing:1", Cmd, HostConfig: { Runtime, NetworkMode: "none", Binds } });
  }

  /**
   * A wrapper of crun under another name that points `/place` at /proc before it creates a container. With controllers
   * of version 1, crun needs the cgroup2 mount hidden, which the engine does only if it recognizes crun.
   */
  function changing(name: string): Promise<string> {
    return runtime(
      name,
      `try {
  const hidden = "umount /sys/fs/cgroup/unified 2>/dev/null; exec \\"$@\\"";
  execFileSync("unshare", ["-m", "sh", "-c", hidden, "sh", ${JSON.stringify(crun)}, ...words], { stdio: "inherit" });
} catch (error) {
  process.exit(error.status ?? 1);
}`,
    );
  }

  /**
   * Imitates a runtime with virtual machines: for each container a process in its own mount namespace, which has the
   * machine's mounts, in /proc too.
   */
  function machines(): Promise<string> {
    return runtime(
      "machines",
      `const { spawn } = require("node:child_process");
const { existsSync, rmSync, writeFileSync } = require("node:fs");
const started = ${JSON.stringify(directory)} + "/" + words.at(-1);
const noted = started + ".pid";
if (words.includes("create")) {
  const script = 'mount -t tmpfs none /proc/fs; until [ -e "$0" ]; do sleep 0.1; done; exit 7';
  const { pid } = spawn("unshare", ["-m", "sh", "-c", script, started], { detached: true, stdio: "ignore" });
  for (const file of [noted, words[words.indexOf("--pid-file") + 1]]) writeFileSync(file, String(pid));
  while (!readFileSync("/proc/" + pid + "/mountinfo", "utf8").includes(" /proc/fs "));
  process.exit(0);
}
if (words.includes("start")) writeFileSync(started, "");
if ((words.includes("kill") || words.includes("delete")) && existsSync(noted))
  try {
    process.kill(Number(readFileSync(noted, "utf8")), "SIGKILL");
  } catch {
    // It has ended.
  }
if (words.includes("delete")) for (const file of [started, noted]) rmSync(file, { force: true });`,
    );
  }

  async function runtime(name: string, act: string): Promise<string> {
    const script = `#!${process.execPath}
const { execFileSync } = require("node:child_process");
const { readFileSync, symlinkSync } = require("node:fs");
const words = process.argv.slice(2);
if (words[0] === "--version") return console.log("${name} version 1.8.1");
if (words.includes("create")) {
  const bundle = words[words.indexOf("--bundle") + 1];
  const place = JSON.parse(readFileSync(bundle + "/config.json", "utf8")).root.path + "/place";
  // The engine has made a mount point in it.
  require("node:fs").rmSync(place, { recursive: true });
  symlinkSync("/proc", place);
}
${act}
`;
    const path = join(directory, name);
    await writeFile(path, script, { mode: 0o755 });
    return `changing-${name}=${path}`;
  }
});
