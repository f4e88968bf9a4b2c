// File systems of volumes over kills of the engine: what a container uses stays, what nobody uses is unmounted.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must, until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const missing = missingLinux();
const MEMORY = { type: "tmpfs", device: "tmpfs" };

describeUnless(missing, "volumes with file systems", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;

  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(async () => daemon?.close());

  const make = (Name: string, DriverOpts: Json) => engine.must(201, "POST", "/volumes/create", { Name, DriverOpts });
  const filesOf = (name: string) => join(daemon.directories.dataRoot, "volumes", name, "_data");
  const mounts = (name: string): number => {
    const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    return lines.filter((line) => line.split(" ")[4] === filesOf(name)).length;
  };

  test("stay what they are for a container that runs on without the engine", async () => {
    const directory = join(daemon.directories.root, "machine");
    mkdirSync(directory);
    writeFileSync(join(directory, "file"), "machine's");
    await make("memory", MEMORY);
    await make("bound", { type: "none", o: "bind", device: directory });
    const binds = (name: string) => ({ HostConfig: { Binds: [`${name}:/data`] } });
    const first = await engine.running(binds("memory"));
    const second = await engine.running(binds("bound"));
    writeFileSync(join(filesOf("memory"), "file"), "kept");
    await daemon.end("SIGKILL");
    await daemon.start();
    expect([mounts("memory"), mounts("bound")]).toEqual([1, 1]);
    for (const [id, text] of [
      [first, "kept"],
      [second, "machine's"],
    ] as const) {
      const beside = { Cmd: ["cat", "/data/file"], HostConfig: { VolumesFrom: [id] } };
      expect((await engine.run(beside)).stdout).toBe(text);
    }
    for (const id of [first, second]) await engine.remove(id);
    await until("the unmounts", () => mounts("memory") + mounts("bound") === 0);
    expect(readFileSync(join(directory, "file"), "utf8")).toBe("machine's");
  });

  test("are unmounted by the next engine if nobody uses them; other mounts stay", async () => {
    await make("idle", MEMORY);
    await make("plain", {});
    await daemon.end("SIGKILL");
    for (const name of ["idle", "plain"]) await must(["mount", "-t", "tmpfs", "stray", filesOf(name)]);
    await daemon.start();
    await until("the unmount", () => mounts("idle") === 0);
    expect(mounts("plain")).toBe(1);
    await must(["umount", filesOf("plain")]);
  });
});
