// Leftovers of earlier engines on the machine: after the next start they are removed or adopted, and the log says what
// and why. Whatever belongs to a damaged record stays.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must, until } from "../support/commands.js";
import { recordsOf } from "../support/measured/census.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, messageOf } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { findProcesses } from "../support/processes.js";
import { changeRecords } from "../support/records/stored-records.js";

const missing = missingLinux();
const STRAY = "5".repeat(64);

describeUnless(missing, "leftovers", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;

  beforeAll(async () => {
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
    await engine.run({ Cmd: ["true"] });
  });
  afterAll(async () => daemon?.close());

  test("files: upper layers, blobs, drafts, archives, volumes", async () => {
    const { dataRoot } = daemon.directories;
    const left = [
      `containers/${STRAY}/upper/file`,
      `blobs/sha256/${"b".repeat(64)}`,
      "layers/tmp/draft-abc/blob",
      "archives/draft-abc/layer.tar",
      "volumes/.dropped-abc/volume/_data/file",
      "volumes/stray/_data/file",
    ];
    const log = await restarted(() => {
      for (const file of left) {
        mkdirSync(join(dataRoot, file, ".."), { recursive: true });
        writeFileSync(join(dataRoot, file), "half");
      }
    });
    await until("their end", () => !left.some((file) => existsSync(join(dataRoot, file))));
    expect(log).toEqual(
      expect.arrayContaining([
        `swept files of container ${STRAY}: there is no record of it`,
        `swept ${dataRoot}/blobs/sha256/${"b".repeat(64)}: no layer came from it`,
        `swept ${dataRoot}/layers/tmp/draft-abc: a layer was being made, or removed`,
        `swept ${dataRoot}/archives/draft-abc: it was held for an earlier engine`,
        `swept ${dataRoot}/volumes/.dropped-abc: a volume was being removed`,
        "swept volume stray: there is no record of it",
      ]),
    );
  });

  test("mounts, even repeated ones; their files are not touched", async () => {
    const { execRoot, root } = daemon.directories;
    const [rootfs, bound, treasure] = [
      join(execRoot, "containers", STRAY, "rootfs"),
      join(execRoot, "containers", STRAY, "runs", "x", "mounts", "0"),
      join(root, "treasure"),
    ];
    const log = await restarted(async () => {
      for (const directory of [rootfs, bound, treasure]) mkdirSync(directory, { recursive: true });
      writeFileSync(join(treasure, "file"), "dear");
      for (let time = 0; time < 3; time++) await must(["mount", "-t", "tmpfs", "stray", rootfs]);
      await must(["mount", "--bind", treasure, bound]);
    });
    await until("its end", () => !existsSync(join(execRoot, "containers", STRAY)));
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(STRAY);
    expect(readFileSync(join(treasure, "file"), "utf8")).toBe("dear");
    expect(log).toContain(`swept mount of container ${STRAY}: there is no record of it`);
  });

  test("cgroups and the processes in them", async () => {
    const group = `coracle-${createHash("sha256").update(daemon.directories.execRoot).digest("hex").slice(0, 8)}/${STRAY}`;
    const roots = cgroupRoots();
    const sleeper = spawn("sleep", ["1000"], { stdio: "ignore" });
    const ended = new Promise((resolve) => sleeper.once("exit", (_, signal) => resolve(signal)));
    const log = await restarted(() => {
      for (const root of roots) mkdirSync(join(root, group), { recursive: true });
      writeFileSync(
        join(
          roots.find((root) => !root.endsWith("/cpuset"))!,
          group,
          "cgroup.procs",
        ),
        String(sleeper.pid),
      );
    });
    expect(await ended).toBe("SIGKILL");
    for (const root of roots) expect(existsSync(join(root, group))).toBe(false);
    expect(log).toContain(`swept control group of container ${STRAY}: there is no run in it`);
  });

  test("network namespaces", async () => {
    const place = join(daemon.directories.execRoot, "networks", "ns", STRAY);
    const log = await restarted(async () => {
      mkdirSync(join(place, ".."), { recursive: true });
      writeFileSync(place, "");
      await must(["unshare", `--net=${place}`, "true"]);
    });
    await until("the namespace to go", () => !existsSync(place));
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(STRAY);
    expect(log).toContain(`swept networks of container ${STRAY}: there is no record of it`);
  });

  test("invalid network files", async () => {
    const { execRoot } = daemon.directories;
    const notes = ["joined/veth0123456789.json", "joined/veth9876543210.part", `made/${"7".repeat(64)}.json`];
    await restarted(() => {
      for (const [at, note] of notes.entries())
        writeFileSync(join(execRoot, "networks", note), ["{}", "null", '{"a"'][at]!);
    });
    for (const note of notes) expect([note, existsSync(join(execRoot, "networks", note))]).toEqual([note, false]);
    expect((await engine.run({ Cmd: ["echo", "on"] })).stdout).toBe("on\n");
  });

  test("networks", async () => {
    const network = "6".repeat(64);
    const kept = join(daemon.directories.execRoot, "networks", "made", `${network}.json`);
    const bridge = { network, name: "stray", interfaceName: "stray0", subnet: "10.99.0.0/24", gateway: "10.99.0.1" };
    const log = await restarted(async () => {
      // The hardware address that the engine gives the bridge of this gateway.
      const mac = "02:42:0a:63:00:01";
      await must(daemon.netns.inside(["ip", "link", "add", "stray0", "address", mac, "type", "bridge"]));
      writeFileSync(kept, JSON.stringify({ bridge, ours: true }));
    });
    expect(log).toContain(`swept network ${network}: there is no record of it`);
    await until("its end", () => !existsSync(kept));
    expect(await must(daemon.netns.inside(["ip", "-o", "link"]))).not.toContain("stray0");
  });

  test("a running container without a record: it is killed, and nothing is left of it", async () => {
    const id = await engine.running();
    const log = await restarted(() => changeRecords(daemon, (records) => records.remove(`container/${id}`)));
    expect(log).toContain(`swept run 1 of container ${id}: there is no record of it`);
    expect(log).toContain(`swept files of container ${id}: there is no record of it`);
    await until("its end", () => findProcesses("conmon", id).length === 0);
    const { dataRoot, execRoot } = daemon.directories;
    const places = [
      join(dataRoot, "containers", id),
      join(execRoot, "containers", id),
      join(execRoot, "networks", "ns", id),
    ];
    await expect.poll(() => places.filter((place) => existsSync(place))).toEqual([]);
    await until("its group's end", () =>
      cgroupRoots().every((root) => !JSON.stringify(readdirSync(root)).includes(id)),
    );
  });

  test("a supervisor without its container", async () => {
    const id = await engine.running();
    const run = join(daemon.directories.execRoot, "containers", id, "runs", "1");
    const log = await restarted(() => must(["rm", "-rf", run]));
    expect(log).toContain(`mended run 1 of container ${id}: its process is gone`);
    expect(findProcesses("conmon", id)).toEqual([]);
    expect(await engine.inspect(id)).toMatchObject({ State: { Status: "exited", Running: false, Pid: 0 } });
    await engine.remove(id);
  });

  test("an image whose layer is damaged on disk is set aside, and comes back with a load", async () => {
    const { dataRoot } = daemon.directories;
    const [layer] = readdirSync(join(dataRoot, "layers")).filter((name) => name.length === 64);
    const note = join(dataRoot, "layers", layer!, "layer.json");
    const archive = (await engine.must(200, "GET", "/images/busybox/get")).body;
    const log = await restarted(() => writeFileSync(note, "{}"));
    expect(log).toContain(`set aside record layer/sha256:${layer}: its files are missing`);
    expect(recordsOf(daemon).some((key) => key === `damaged/layer/sha256:${layer}`)).toBe(true);
    expect(existsSync(join(dataRoot, "layers", layer!, "diff"))).toBe(true);
    expect(messageOf(await engine.must(404, "POST", "/containers/create", { Image: "busybox" }))).toContain("busybox");
    await engine.load(archive);
    expect(recordsOf(daemon).filter((key) => key.startsWith("damaged/"))).toEqual([]);
    expect((await engine.run({ Cmd: ["echo", "again"] })).stdout).toBe("again\n");
  });

  test("a damaged record is set aside, and its container keeps running until it is removed by force", async () => {
    const id = await engine.running({ Cmd: ["sh", "-c", "echo dear > /file; sleep 1000"] });
    const upper = join(daemon.directories.dataRoot, "containers", id, "upper", "file");
    await until("its file", () => existsSync(upper));
    const other = await engine.running();
    const log = await restarted(() =>
      changeRecords(daemon, (records) => records.put(`container/${id}`, records.get(`container/${id}`)!.slice(0, 500))),
    );
    expect(log.find((line) => line.startsWith(`set aside record container/${id}: `))).toContain("unexpected EOF");
    expect(log.filter((line) => line.startsWith("swept") && line.includes(id))).toEqual([]);
    for (let round = 0; round < 2; round++) {
      expect((await engine.read<{ Warnings: string[] }>("/info")).Warnings).toContain(
        `WARNING: the record container/${id} is damaged and was set aside, with all that belongs to it`,
      );
      expect((await engine.read<{ Id: string }[]>("/containers/json?all=1")).map(({ Id }) => Id)).toEqual([other]);
      expect([readFileSync(upper, "utf8"), findProcesses("conmon", id)]).toEqual(["dear\n", [expect.any(Number)]]);
      await restarted(() => {});
    }
    const third = await engine.running();
    const addresses = await Promise.all([other, third].map(addressOf));
    expect(new Set(addresses).size).toBe(2);
    expect(messageOf(await engine.must(409, "DELETE", `/containers/${id}`))).toContain("its record is damaged");
    await engine.must(204, "DELETE", `/containers/${id}?force=1`);
    expect([existsSync(upper), findProcesses("conmon", id)]).toEqual([false, []]);
    expect(JSON.stringify(await engine.read("/info"))).not.toContain("damaged");
    for (const one of [other, third]) await engine.remove(one);
  });

  test("the obstacle to a removal is reported, over restarts too, and the removal continues without it", async () => {
    const id = await engine.running();
    const busy = join(daemon.directories.dataRoot, "containers", id, "upper", "busy");
    mkdirSync(busy);
    await must(["mount", "-t", "tmpfs", "busy", busy]);
    try {
      expect(messageOf(await engine.must(500, "DELETE", `/containers/${id}?force=1`))).toContain(
        "device or resource busy",
      );
      for (let round = 0; round < 2; round++) {
        const dead = {
          Status: "dead",
          Dead: true,
          Running: false,
          Error: expect.stringContaining("device or resource busy") as string,
        };
        expect(await engine.inspect(id)).toMatchObject({ State: dead });
        expect(messageOf(await engine.must(409, "POST", `/containers/${id}/start`))).toContain("marked for removal");
        await restarted(() => {});
      }
    } finally {
      await must(["umount", busy]);
    }
    await engine.must(204, "DELETE", `/containers/${id}`);
    expect(existsSync(join(busy, "..", ".."))).toBe(false);
  });

  test("records of a newer version are refused, and nothing is touched", async () => {
    const id = await engine.running();
    const stray = join(daemon.directories.dataRoot, "layers", "tmp", "draft-newer");
    await daemon.end("SIGKILL");
    mkdirSync(stray, { recursive: true });
    await changeRecords(daemon, (records) => records.put("engine/version", Buffer.from("9")));
    const before = recordsOf(daemon);
    await expect(daemon.start()).rejects.toThrow(
      /ended with code 1: [^]*coracle: records of version 9: this engine reads up to 4/,
    );
    expect(recordsOf(daemon)).toEqual(before);
    expect([existsSync(stray), findProcesses("conmon", id)]).toEqual([true, [expect.any(Number)]]);
    await changeRecords(daemon, (records) => records.put("engine/version", Buffer.from("3")));
    await daemon.start();
    expect(await engine.inspect(id)).toMatchObject({ State: { Status: "running" } });
    await engine.remove(id);
  });

  test.each([
    ["missing", (file: string) => rmSync(file), /data\.mdb is missing or empty/],
    ["empty", (file: string) => truncateSync(file), /data\.mdb is missing or empty/],
    ["damaged all over", (file: string) => garble(file), /data\.mdb is damaged/],
  ])("a database that is %s is refused, and nothing is removed", async (_how, harm, refused) => {
    const id = await engine.running({
      HostConfig: { Binds: ["dear:/dear"] },
      Cmd: ["sh", "-c", "echo 1 > /dear/f; sleep 1000"],
    });
    const { dataRoot } = daemon.directories;
    const dear = join(dataRoot, "volumes", "dear", "_data", "f");
    await until("its file", () => existsSync(dear));
    await daemon.end("SIGKILL");
    const database = join(dataRoot, "records", "data.mdb");
    const kept = readFileSync(database);
    harm(database);
    const harmed = existsSync(database) ? readFileSync(database) : null;
    await expect(daemon.start()).rejects.toThrow(/ended with code 1: [^]*coracle: /);
    await expect(daemon.start()).rejects.toThrow(refused);
    expect([existsSync(dear), findProcesses("conmon", id)]).toEqual([true, [expect.any(Number)]]);
    expect(harmed === null ? !existsSync(database) : readFileSync(database).equals(harmed)).toBe(true);
    writeFileSync(database, kept);
    await daemon.start();
    expect(await engine.inspect(id)).toMatchObject({ State: { Status: "running" } });
    await engine.remove(id);
  });

  function garble(file: string): void {
    writeFileSync(file, readFileSync(file).fill(0xa5));
  }

  /** Kills the daemon, runs an action, and starts it again. Returns the findings that it logged: `DEED WHAT: WHY`. */
  async function restarted(meanwhile: () => unknown): Promise<string[]> {
    await daemon.end("SIGKILL");
    await meanwhile();
    const from = daemon.log().length;
    await daemon.start();
    const lines = daemon.log().slice(from).split("\n");
    return lines.flatMap((line) => {
      const [, message, why] = /msg=("(?:[^"\\]|\\.)*") why=("(?:[^"\\]|\\.)*"|\S+)/.exec(line) ?? [];
      return message === undefined || why === undefined ? [] : [`${unquoted(message)}: ${unquoted(why)}`];
    });
  }

  async function addressOf(id: string): Promise<string> {
    return (await engine.inspect<{ NetworkSettings: { IPAddress: string } }>(id)).NetworkSettings.IPAddress;
  }
});

function unquoted(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** Mount points of all hierarchies. */
function cgroupRoots(): string[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return lines.flatMap((line) => (/ - cgroup2? /.test(line) ? [line.split(" ")[4]!] : []));
}
