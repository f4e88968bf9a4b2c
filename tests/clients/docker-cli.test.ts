// The docker CLI, unchanged: its commands about containers and images, and their output.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram, until } from "../support/commands.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../support/registry/docker-registry.js";
import {
  busyboxArchive,
  busyboxLayer,
  dockerArchive,
  imageConfig,
  sha256,
  tarOf,
  type ImageSpec,
} from "../support/archives/images.js";
import { describeUnless, onEngines } from "../support/on-engines.js";
import { stamp } from "../support/past-events.js";
import { packImage, pushImage } from "../support/registry/push-image.js";
import { DOCKER_MISSING, DockerCli } from "./docker.js";

const registryMissing =
  dockerRegistryMissing() ?? (findProgram("htpasswd") === null ? "htpasswd is not installed" : null);

onEngines(
  "docker CLI",
  (engine) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));

    test("run -d, ps, logs -f, stop, rm", async () => {
      const loop = "trap 'exit 0' TERM; i=0; while :; do i=$((i+1)); echo line $i; sleep 0.05; done";
      const id = (await docker().well("run", "-d", "--name", "looper", "busybox", "sh", "-c", loop)).trim();
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect(await docker().well("ps", "--format", "{{.Names}} {{.Image}} {{.State}}")).toBe(
        "looper busybox running\n",
      );
      expect(await docker().well("ps")).toContain(id.slice(0, 12));
      const following = docker().run("logs", "-f", "looper");
      await expect.poll(() => docker().well("logs", "looper")).toContain("line 2\n");
      expect(await docker().well("stop", "looper")).toBe("looper\n");
      const { stdout, code } = await following;
      expect(code).toBe(0);
      expect(stdout.startsWith("line 1\nline 2\n")).toBe(true);
      expect(stdout).toBe(await docker().well("logs", "looper"));
      expect(await docker().well("ps", "-q")).toBe("");
      expect(await docker().well("ps", "-aq", "--no-trunc", "--filter", "name=looper")).toBe(`${id}\n`);
      expect(await docker().well("logs", "--tail", "1", "looper")).toMatch(/^line \d+\n$/);
      expect(await docker().well("rm", "looper")).toBe("looper\n");
    });

    test("kill, start, restart of an ended one, rm -f", async () => {
      await docker().well("run", "-d", "--name", "victim", "busybox", "sleep", "1000");
      expect(await docker().well("kill", "victim")).toBe("victim\n");
      expect(await docker().well("inspect", "-f", "{{.State.Status}} {{.State.ExitCode}}", "victim")).toBe(
        "exited 137\n",
      );
      expect(await docker().well("start", "victim")).toBe("victim\n");
      const refused = await docker().run("rm", "victim");
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("running");
      expect(await docker().well("rm", "-f", "victim")).toBe("victim\n");
      expect((await docker().run("rm", "victim")).stderr).toContain("No such container: victim");
    });

    test("update", async () => {
      await docker().well("run", "-d", "--name", "one", "--memory", "64m", "busybox", "sleep", "1000");
      await docker().well("create", "--name", "two", "busybox", "sleep", "1000");
      const change = ["--memory", "96m", "--memory-swap", "128m", "--cpu-shares", "512", "--pids-limit", "99"];
      expect(await docker().well("update", ...change, "one", "two")).toBe("one\ntwo\n");
      const format =
        "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.CpuShares}} {{.HostConfig.PidsLimit}}";
      const limits = `${96 << 20} ${128 << 20} 512 99\n`;
      expect(await docker().well("inspect", "-f", format, "one", "two")).toBe(limits + limits);
      const refused = await docker().run("update", "--memory", "512m", "one");
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining("update the memoryswap at the same time"),
      ]);
      await docker().well("rm", "-f", "one", "two");
    });

    test("pause, unpause, restart, rename, container prune", async () => {
      const id = (await docker().well("run", "-d", "--name", "mover", "busybox", "sleep", "1000")).trim();
      expect(await docker().well("pause", "mover")).toBe("mover\n");
      expect(await docker().well("ps", "--format", "{{.Names}} {{.Status}}")).toMatch(/^mover Up .* \(Paused\)\n$/);
      expect((await docker().run("pause", "mover")).stderr).toContain("is already paused");
      expect(await docker().well("unpause", "mover")).toBe("mover\n");
      expect(await docker().well("restart", "-t", "0", "mover")).toBe("mover\n");
      expect(await docker().well("rename", "mover", "moved")).toBe("");
      expect(await docker().well("inspect", "-f", "{{.Id}} {{.State.Status}}", "moved")).toBe(`${id} running\n`);
      const gone = (await docker().well("create", "--label", "prune=me", "busybox")).trim();
      const pruned = await docker().well("container", "prune", "-f", "--filter", "label=prune=me");
      expect(pruned).toContain(`Deleted Containers:\n${gone}\n`);
      expect(pruned).toContain("Total reclaimed space: 0B");
      expect(await docker().well("container", "prune", "-f", "--filter", "label=prune=me")).toBe(
        "Total reclaimed space: 0B\n",
      );
      await docker().well("rm", "-f", "moved");
    });

    test("run --restart", async () => {
      const count = ["run", "-d", "--name", "again", "--restart", "on-failure:2", "busybox", "sh", "-c", "exit 3"];
      await docker().well(...count);
      const state = (): Promise<string> =>
        docker().well("inspect", "-f", "{{.State.Status}} {{.State.ExitCode}} {{.RestartCount}}", "again");
      await expect.poll(state).toBe("exited 3 2\n");
      await docker().well("rm", "again");
      await docker().well("run", "-d", "--name", "ever", "--restart", "always", "busybox", "sleep", "1000");
      await docker().well("kill", "ever");
      const now = (): Promise<string> => docker().well("inspect", "-f", "{{.State.Status}}", "ever");
      // A container with a restart policy has the status restarting from its end on.
      const then = await until("its end", async () => {
        const state = await now();
        return state !== "running\n" && state;
      });
      expect(then).toBe("exited\n");
      const both = await docker().run("run", "--rm", "--restart", "always", "busybox", "true");
      expect(both.code).toBe(125);
      await docker().well("rm", "ever");
    });

    test("create, start -a, wait", async () => {
      await docker().well("create", "--name", "later", "busybox", "sh", "-c", "echo now; exit 9");
      const started = await docker().run("start", "-a", "later");
      expect([started.code, started.stdout]).toEqual([9, "now\n"]);
      expect(await docker().well("wait", "later")).toBe("9\n");
      await docker().well("rm", "later");
    });

    test("--rm leaves nothing", async () => {
      await docker().well("run", "--rm", "--name", "gone", "busybox", "true");
      expect(await docker().well("ps", "-aq", "--filter", "name=gone")).toBe("");
    });

    test("inspect of a missing object fails with No such object", async () => {
      const answer = await docker().run("inspect", "nothing-at-all");
      expect(answer.code).toBe(1);
      expect(answer.stderr).toContain("No such object: nothing-at-all");
      expect(answer.stdout.trim()).toBe("[]");
    });

    test("system prune, with all images and volumes", async () => {
      const gone = (await docker().well("create", "--label", "prune=system", "busybox")).trim();
      const prune = (...args: string[]): Promise<string> =>
        docker().well("system", "prune", "-f", "--filter", "label=prune=system", ...args);
      expect(await prune("-a", "--volumes")).toBe(`Deleted Containers:\n${gone}\n\nTotal reclaimed space: 0B\n`);
      for (const args of [[], ["-a"], ["--volumes"]]) expect(await prune(...args)).toBe("Total reclaimed space: 0B\n");
      for (const kind of ["network", "volume", "builder"])
        expect((await docker().run(kind, "prune", "-f")).code).toBe(0);
      const swarm = await docker().run("node", "ls");
      expect([swarm.code, swarm.stderr]).toEqual([1, expect.stringContaining("This node is not a swarm manager. ")]);
    });

    test("image prune, of images without a name and of all", async () => {
      const file = join(config, "pruned.tar");
      const layers = [await tarOf([{ name: "file", body: "content" }])];
      const spec: ImageSpec = { reference: "pruned:1", config: { Labels: { prune: "me" } }, layers };
      await writeFile(file, await dockerArchive([spec]));
      const prune = (...args: string[]): Promise<string> =>
        docker().well("image", "prune", "-f", "--filter", "label=prune=me", ...args);
      const deleted = [imageConfig(spec), layers[0]!].map((bytes) => `deleted: sha256:${sha256(bytes)}\n`).join("");
      await docker().well("load", "-i", file);
      expect(await prune()).toBe("Total reclaimed space: 0B\n");
      expect(await prune("-a")).toBe(`Deleted Images:\nuntagged: pruned:1\n${deleted}\nTotal reclaimed space: 7B\n`);
      await writeFile(file, await dockerArchive([{ ...spec, reference: null }]));
      await docker().well("load", "-i", file);
      expect(await prune()).toBe(`Deleted Images:\n${deleted}\nTotal reclaimed space: 7B\n`);
    });

    test("images, tag, rmi, image inspect, load", async () => {
      expect(await docker().well("images", "--format", "{{.Repository}}:{{.Tag}}")).toContain("busybox:latest");
      await docker().well("tag", "busybox", "mine:1");
      expect(await docker().well("image", "inspect", "-f", "{{.Id}}", "mine:1")).toBe(
        await docker().well("image", "inspect", "-f", "{{.Id}}", "busybox"),
      );
      expect(await docker().well("rmi", "mine:1")).toBe("Untagged: mine:1\n");
      const archive = join(config, "busybox.tar");
      await writeFile(archive, await busyboxArchive());
      expect(await docker().well("load", "-q", "-i", archive)).toContain("Loaded image: busybox:latest");
      expect(await docker().well("load", "-i", archive)).toContain("Loaded image: busybox:latest");
    });

    test("commit", async () => {
      await docker().well("run", "--name", "changed", "busybox", "sh", "-c", "echo kept > /kept");
      expect(await docker().well("commit", "-m", "why", "changed", "kept:1")).toMatch(/^sha256:[0-9a-f]{64}\n$/);
      expect(await docker().well("run", "--rm", "kept:1", "cat", "/kept")).toBe("kept\n");
      await docker().well("rm", "changed");
      const rows = (await docker().well("history", "--no-trunc", "--format", "{{.CreatedBy}}|{{.Comment}}", "kept:1"))
        .trimEnd()
        .split("\n");
      expect(rows[0]).toBe("sh -c echo kept > /kept|why");
      expect(await docker().well("history", "-q", "busybox")).toBe(
        (await docker().well("history", "-q", "kept:1")).split("\n").slice(1).join("\n"),
      );
      await docker().well("rmi", "kept:1");
    });

    test("events", async () => {
      const since = await stamp(engine());
      await docker().well("run", "--rm", "--name", "eventful", "busybox", "true");
      const window = ["--since", since, "--until", await stamp(engine())];
      const shown = await docker().well(
        "events",
        ...window,
        "--filter",
        "container=eventful",
        "--format",
        "{{.Action}}",
      );
      expect(shown.trim().split("\n")).toEqual(expect.arrayContaining(["create", "attach", "start", "die", "destroy"]));
    });

    test("version and info", async () => {
      expect(await docker().well("version", "--format", "{{.Server.APIVersion}}")).toBe(
        `${engine().engine.maxVersion}\n`,
      );
      expect(await docker().well("info", "--format", "{{.OSType}}")).toBe("linux\n");
      expect((await docker().run("info")).code).toBe(0);
      expect((await docker().run("version")).code).toBe(0);
    });

    describeUnless(registryMissing, "with a registry", () => {
      const login = { username: "someone", password: "s3cret" };
      let open: DockerRegistry;
      let closed: DockerRegistry;
      beforeAll(async () => {
        const { netns } = engine().daemon;
        [open, closed] = await Promise.all([startDockerRegistry(netns, 5002), startDockerRegistry(netns, 5003, login)]);
        const image = packImage({
          reference: null,
          config: { Cmd: ["echo", "pulled"] },
          layers: [await busyboxLayer()],
        });
        await pushImage(open, "some/where", ["1"], image);
        await pushImage(closed, "secret", ["1"], image);
      });
      afterAll(async () => {
        await Promise.all([open.close(), closed.close()]);
      });

      test("pull, and run pulls a missing image", async () => {
        const name = `${open.host}/some/where:1`;
        const pulled = await docker().well("pull", name);
        expect(pulled).toContain("Status: Downloaded newer image for");
        expect(await docker().well("pull", "-q", name)).toBe(`${name}\n`);
        await docker().well("rmi", name);
        const ran = await docker().run("run", "--rm", name);
        expect([ran.code, ran.stdout]).toEqual([0, "pulled\n"]);
        expect(ran.stderr).toContain("Unable to find image");
        const nothing = await docker().run("pull", `${open.host}/some/where:2`);
        expect(nothing.code).toBe(1);
        expect(nothing.stderr).toContain("manifest unknown");
        const run2 = await docker().run("run", `${open.host}/some/where:2`);
        expect(run2.code).toBe(125);
      });

      test("login, pull, logout", async () => {
        const name = `${closed.host}/secret:1`;
        expect((await docker().run("pull", name)).code).toBe(1);
        const wrong = await docker().runWith("wrong", "login", "-u", login.username, "--password-stdin", closed.host);
        expect(wrong.code).toBe(1);
        const right = await docker().runWith(
          login.password,
          "login",
          "-u",
          login.username,
          "--password-stdin",
          closed.host,
        );
        expect([right.code, right.stdout.includes("Login Succeeded")]).toEqual([0, true]);
        expect(await docker().well("pull", name)).toContain("Status: ");
        await docker().well("logout", closed.host);
      });
    });

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, config);
    }
  },
  { missing: DOCKER_MISSING },
);
