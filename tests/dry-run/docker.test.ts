// The docker CLI on a dry-run socket: it sees the effects of one command after the other, and nothing is done.

import { beforeEach, expect, test } from "vitest";
import { DOCKER_MISSING, DockerCli } from "../clients/docker.js";
import { onDryRunEngines, type DryRunEngine } from "./engines.js";

onDryRunEngines(
  "the docker CLI",
  (engine) => {
    const cli = ({ dry, place }: DryRunEngine): DockerCli => new DockerCli(dry.socketPath, place);
    const docker = async (...args: string[]): Promise<string> => (await cli(engine()).well(...args)).trim();
    const names = async (...args: string[]): Promise<string[]> =>
      (await docker("ps", ...args, "--format", "{{.Names}}")).split("\n").filter((name) => name !== "");

    beforeEach(async () => {
      await engine().dry.call("DELETE", "/coracle/dry-run", undefined, { version: null });
    });

    test("rm -f, twice", async () => {
      const { live } = engine();
      const id = await live.create({ Cmd: ["sleep", "1000"] }, "?name=kept");
      await live.start(id);
      expect(await names()).toEqual(["kept"]);
      expect(await docker("rm", "-f", "kept")).toBe("kept");
      expect(await names("-a")).toEqual([]);
      const again = await cli(engine()).run("rm", "kept");
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("No such container: kept")]);
      const { State } = await live.inspect<{ State: { Status: string; Pid: number } }>(id);
      expect(State).toMatchObject({ Status: "running" });
      await live.remove(id);
    });

    test("run ends without output, whatever the program would print", async () => {
      const { live } = engine();
      for (const more of [[], ["-i"], ["--rm"], ["-d", "--name", "goes-on"]]) {
        const { code, stdout } = await cli(engine()).runWith(
          "input\n",
          "run",
          ...more,
          "busybox",
          "sh",
          "-c",
          "echo hi; exit 3",
        );
        expect([code, more.includes("-d") ? "" : stdout]).toEqual([0, ""]);
      }
      expect(await names()).toEqual(["goes-on"]);
      expect(await docker("wait", "goes-on")).toBe("0");
      expect(await docker("inspect", "-f", "{{.State.Status}} {{.State.ExitCode}}", "goes-on")).toBe("exited 0");
      expect(await live.read("/containers/json?all=1")).toEqual([]);
    });

    test("stop takes no time, and ends with SIGKILL after its timeout", async () => {
      await docker("run", "-d", "--name", "slow", "busybox", "sleep", "1000");
      expect(await docker("exec", "slow", "echo", "hi")).toBe("");
      expect(await docker("stop", "-t", "3600", "slow")).toBe("slow");
      const state = "{{.State.ExitCode}} {{.State.StartedAt}} {{.State.FinishedAt}}";
      const [code, started, finished] = (await docker("inspect", "-f", state, "slow")).split(" ");
      expect(code).toBe("137");
      expect(Date.parse(finished!) - Date.parse(started!)).toBeGreaterThanOrEqual(3_600_000);
      expect(await docker("start", "slow")).toBe("slow");
      expect(await docker("kill", "slow")).toBe("slow");
      expect(await docker("container", "prune", "-f")).toContain("Deleted Containers");
    });

    test("images: removed, tagged, committed, none of it for real", async () => {
      const { live } = engine();
      await docker("create", "--name", "base", "busybox", "true");
      expect(await docker("commit", "base", "made:1")).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(await docker("run", "--rm", "made:1", "true")).toBe("");
      expect(await docker("rm", "base")).toBe("base");
      expect(await docker("rmi", "made:1")).toContain("Untagged: made:1");
      expect(await docker("rmi", "busybox")).toContain("Deleted: sha256:");
      expect(await docker("images", "-q")).toBe("");
      const images = await live.read<{ RepoTags: string[] }[]>("/images/json");
      expect(images.map(({ RepoTags }) => RepoTags)).toEqual([["busybox:latest"]]);
    });

    test("image prune -a shows what would be removed, and removes nothing", async () => {
      const { live } = engine();
      const before = await live.read("/images/json");
      expect(await docker("image", "prune", "-f")).toBe("Total reclaimed space: 0B");
      const pruned = await docker("image", "prune", "-f", "-a");
      expect(pruned).toMatch(
        /^Deleted Images:\nuntagged: busybox:latest\n(deleted: sha256:.*\n)+\nTotal reclaimed space: [\d.]+MB$/,
      );
      expect(await docker("images", "-a", "-q")).toBe("");
      expect(await live.read("/images/json")).toEqual(before);
    });

    test("volumes are made and removed, none of it for real", async () => {
      const { live } = engine();
      await docker("run", "-d", "--name", "user", "-v", "data:/data", "busybox", "sleep", "1000");
      expect(await docker("volume", "ls", "-q")).toBe("data");
      await docker("rm", "-f", "-v", "user");
      expect(await live.read("/volumes")).toMatchObject({ Volumes: [] });
    });
  },
  DOCKER_MISSING,
);
