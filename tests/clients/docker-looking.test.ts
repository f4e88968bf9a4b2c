// The docker CLI, unchanged: the commands that inspect containers and their resources.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pause } from "../support/commands.js";
import { onEngines } from "../support/on-engines.js";
import { startIndex } from "../support/registry/index-server.js";
import { DOCKER_MISSING, DockerCli } from "./docker.js";

onEngines(
  "docker CLI, looking",
  (engine) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));
    const docker = (): DockerCli => new DockerCli(engine().daemon.socketPath, config);

    test("top, with custom ps arguments", async () => {
      await docker().well("run", "-d", "--name", "topped", "busybox", "sleep", "1001");
      const pid = (await docker().well("inspect", "-f", "{{.State.Pid}}", "topped")).trim();
      const rows = (text: string): string[][] =>
        text
          .trimEnd()
          .split("\n")
          .map((line) => line.trim().split(/\s+/));
      const [titles, row] = rows(await docker().well("top", "topped"));
      expect(titles).toEqual(["UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"]);
      expect([row?.[1], row?.slice(-2)]).toEqual([pid, ["sleep", "1001"]]);
      expect(rows(await docker().well("top", "topped", "-eo", "pid,comm"))).toEqual([
        ["PID", "COMMAND"],
        [pid, "sleep"],
      ]);
      await docker().well("rm", "-f", "topped");
      expect((await docker().run("top", "topped")).stderr).toContain("No such container: topped");
    });

    test("search, in a registry with an index", async () => {
      const result = { name: "team/app", description: "An app", star_count: 7, is_official: true };
      const index = await startIndex(engine().daemon.netns, [result]);
      const format = "{{.Name}} {{.StarCount}} {{.IsOfficial}} {{.Description}}";
      const term = `${index.host}/app`;
      expect(await docker().well("search", "--format", format, "--filter", "stars=3", term)).toBe(
        "team/app 7 [OK] An app\n",
      );
      expect(await docker().well("search", "--format", format, "--filter", "stars=8", term)).toBe("");
      await index.close();
    });

    test("stats, once", async () => {
      await docker().well("run", "-d", "--name", "counted", "-m", "64m", "busybox", "sleep", "1000");
      const format = "{{.Name}} {{.CPUPerc}} {{.MemUsage}} {{.NetIO}} {{.BlockIO}} {{.PIDs}}";
      const line = await docker().well("stats", "--no-stream", "--format", format, "counted");
      expect(line).toMatch(
        /^counted \d+\.\d\d% [\d.]+[KM]?i?B \/ 64MiB [\d.]+k?B \/ [\d.]+k?B [\d.]+[kM]?B \/ [\d.]+[kM]?B 1\n$/,
      );
      expect(await docker().well("stats", "--no-stream", "--format", "{{.Name}}")).toBe("counted\n");
      await docker().well("rm", "-f", "counted");
    });

    test("stats, streaming", async () => {
      await docker().well("run", "-d", "--name", "watched", "busybox", "sleep", "1000");
      const stats = docker().spawn(["stats", "--format", "{{.Name}} {{.PIDs}}", "watched"]);
      let shown = "";
      stats.stdout.on("data", (bytes: Buffer) => (shown += bytes.toString()));
      for (let round = 0; round < 600 && (shown.match(/watched 1/g) ?? []).length < 3; round++) await pause(100);
      expect((shown.match(/watched 1/g) ?? []).length).toBeGreaterThan(2);
      const ended = new Promise((resolve) => stats.once("exit", resolve));
      stats.kill("SIGKILL");
      await ended;
      await docker().well("rm", "-f", "watched");
    });

    test("ps with filters and sizes", async () => {
      const writes = "dd if=/dev/zero of=/big bs=1000 count=2000 2>/dev/null";
      await docker().well("run", "--name", "big", "--label", "a=1", "busybox", "sh", "-c", writes);
      await docker().well("run", "-d", "--name", "small", "-p", "127.0.0.1:18177:80", "busybox", "sleep", "1000");
      const names = (...args: string[]): Promise<string> => docker().well("ps", "--format", "{{.Names}}", ...args);
      expect(await names()).toBe("small\n");
      expect(await names("-a")).toBe("small\nbig\n");
      expect(await names("-a", "-f", "exited=0")).toBe("big\n");
      expect(await names("-a", "-f", "label=a=1", "-f", "status=exited")).toBe("big\n");
      expect(await names("-a", "-f", "since=big")).toBe("small\n");
      expect(await names("-n", "1")).toBe("small\n");
      expect(await docker().well("ps", "-as", "-f", "name=big", "--format", "{{.Size}}")).toMatch(
        /^2MB \(virtual [\d.]+MB\)\n$/,
      );
      expect(await docker().well("ps", "--format", "{{.Ports}}")).toBe("127.0.0.1:18177->80/tcp\n");
      await docker().well("rm", "-f", "big", "small");
    });

    test("system df, short and verbose", async () => {
      // Without `-a`, the reference keeps cache that a build of an earlier test file shares with an image.
      await docker().well("builder", "prune", "-af");
      await docker().well(
        "run",
        "--name",
        "left",
        "-v",
        "/data",
        "busybox",
        "sh",
        "-c",
        "echo hello > /data/file; echo hi > /f",
      );
      const rows = async (): Promise<string[]> =>
        (await docker().well("system", "df", "--format", "{{.Type}}|{{.TotalCount}}|{{.Active}}|{{.Size}}")).split(
          "\n",
        );
      let last = await rows();
      for (let round = 0; round < 600 && !last.includes("Local Volumes|1|1|6B"); round++) {
        await pause(100);
        last = await rows();
      }
      expect(last[0]).toMatch(/^Images\|1\|1\|[\d.]+MB$/);
      expect(last.slice(1)).toEqual(["Containers|1|0|3B", "Local Volumes|1|1|6B", "Build Cache|0|0|0B", ""]);
      const verbose = await docker().well("system", "df", "-v");
      expect(verbose).toMatch(/busybox\s+latest\s+[0-9a-f]{12}/);
      expect(verbose).toMatch(/left\n/);
      expect(verbose).toMatch(/\s1\s+6B\n/);
      await docker().well("rm", "-v", "left");
    });
  },
  { missing: DOCKER_MISSING },
);
