// The Go SDK, unchanged: a program for each use.
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until, type Finished } from "../support/commands.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../support/registry/docker-registry.js";
import { busyboxLayer } from "../support/archives/images.js";
import { describeUnless, onEngines } from "../support/on-engines.js";
import { stamp } from "../support/past-events.js";
import { packImage, pushImage } from "../support/registry/push-image.js";
import { buildGoPrograms, goMissing, LONGEST_BUILD_MS, type GoPrograms } from "./go-programs.js";

const missing = goMissing();
const registryMissing = dockerRegistryMissing();

onEngines(
  "Go SDK",
  (engine) => {
    let programs: GoPrograms;
    beforeAll(async () => {
      programs = await buildGoPrograms();
    }, LONGEST_BUILD_MS);

    test("run in background, list, logs, stop", async () => {
      const command = ["sh", "-c", "for i in 1 2 3 4; do echo $i; done; exec sleep 1000"];
      const id = (await well("background", "going", "busybox", ...command)).trim();
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      const line = (state: string): string => `${id} [/going] busybox ${state} map[of:go]\n`;
      expect(await well("list")).toBe(line("running"));
      expect(await well("list", "label=of=go", "status=running")).toBe(line("running"));
      expect(await well("list", "status=exited")).toBe("");
      expect(await well("stop")).toBe("stopped /going\n");
      expect(await well("list")).toBe("");
      expect(await well("list", "name=going")).toBe(line("exited"));
      expect(await well("logs", "going")).toBe("2\n3\n4\n");
      await engine().remove(id);
    });

    test("logs are followed to the end", async () => {
      const id = (await well("background", "talking", "busybox", "sh", "-c", "echo a; sleep 0.3; echo b")).trim();
      expect(await well("logs", "talking")).toBe("a\nb\n");
      await engine().remove(id);
    });

    test("images", async () => {
      const image = await engine().read<{ Id: string }>("/images/busybox/json");
      expect((await well("images")).split("\n")).toContain(`busybox:latest ${image.Id} true`);
    });

    test("commit", async () => {
      const told = await well("commit", "busybox", "go/made:1", "sh", "-c", "echo by go > /made");
      expect(told).toBe("ended with 0\n[go/made:1] by a Go program MADE=here\n");
      await well("background", "of-made", "go/made:1", "sh", "-c", "cat /made; echo $MADE");
      expect(await well("logs", "of-made")).toBe("by go\nhere\n");
      await engine().remove("of-made");
      await engine().must(200, "DELETE", "/images/go/made:1");
    });

    test("exec", async () => {
      await well("background", "box", "busybox", "sleep", "1000");
      const script = "cat; echo $SAID >&2; pwd; exit 3";
      const finished = await programs.run(engine().socketPath, "exec", ["box", "sh", "-c", script], "typed\n");
      expect(finished).toEqual({ code: 3, stdout: "typed\n/tmp\n", stderr: "by exec\n" });
      await engine().remove("box");
    });

    test("attach to a terminal", async () => {
      const { code, stdout } = await go("terminal", "busybox", "stty size; echo $((6*7))", "exit 5");
      expect([code, stdout]).toEqual([5, expect.stringContaining("31 97\r\n42\r\n")]);
    });

    test("events, live and past", async () => {
      const since = await stamp(engine());
      const env = { ...process.env, DOCKER_HOST: `unix://${engine().socketPath}` };
      const listener = spawn(`${programs.directory}/events`, ["heard"], { env });
      let told = "";
      listener.stdout.on("data", (bytes: Buffer) => (told += bytes.toString()));
      const ended = new Promise((resolve) => listener.once("close", resolve));
      await until("the listener", () => told !== "");
      await well("background", "heard", "busybox", "sh", "-c", "exit 6");
      await engine().must(200, "POST", "/containers/heard/wait");
      await engine().remove("heard");
      await ended;
      const expected = "listening\ncreate heard \nstart heard \ndie heard 6\ndestroy heard \n";
      expect(told).toBe(expected);
      expect(await well("events", "heard", since)).toBe(expected);
    });

    test("stats", async () => {
      const id = (await well("background", "used", "busybox", "sleep", "1000")).trim();
      await engine().must(200, "POST", `/containers/${id}/update`, { Memory: 64 << 20, MemorySwap: 128 << 20 });
      expect(await well("stats", "used")).toBe("/used true true\ntrue 67108864\n1 true 1 true\n");
      await engine().remove(id);
    });

    test("copy", async () => {
      await well("background", "kept", "busybox", "sleep", "1000");
      const inside = 'tmp/ 0:0 ""\ntmp/note 7:8 "copied by Go\\n"\n';
      expect(await well("copy", "kept")).toBe(`note 13 -rw-r-----\ntmp dtrwxrwxrwx\n${inside}`);
      await engine().remove("kept");
    });

    test("rename, pause, restart, top, diff, update, export, prune", async () => {
      expect((await well("life", "busybox")).trim().split("\n")).toEqual(LIFE);
    });

    test("networks and volumes", async () => {
      expect((await well("networks", "busybox")).trim().split("\n")).toEqual(NETWORKS);
    });

    test("errors", async () => {
      expect((await well("errors", "busybox")).trim().split("\n")).toEqual(ERRORS);
    });

    test("a program's failure is the engine's message", async () => {
      const { code, stderr } = await go("background", "lost", "busybox", "nothing-here");
      expect([code, stderr]).toEqual([1, expect.stringContaining("executable file not found in $PATH")]);
      await engine().remove("lost");
    });

    describeUnless(registryMissing, "with registries", () => {
      const login = { username: "gopher", password: "s3cret" };
      let open: DockerRegistry;
      let closed: DockerRegistry;
      beforeAll(async () => {
        const { netns } = engine().daemon;
        [open, closed] = await Promise.all([startDockerRegistry(netns, 5005), startDockerRegistry(netns, 5006, login)]);
        const config = { Cmd: ["echo", "pulled"] };
        const image = packImage({ reference: null, config, layers: [await busyboxLayer()] });
        await Promise.all([pushImage(open, "go", ["1"], image), pushImage(closed, "secret", ["1"], image)]);
      });
      afterAll(async () => {
        await Promise.all([open?.close(), closed?.close()]);
      });

      test("run pulls, and ends with the container's code", async () => {
        const image = `${open.host}/go:1`;
        expect(await go("run", image, "sh", "-c", "echo out; echo err >&2; exit 4")).toEqual({
          ...{ code: 4, stdout: "out\n", stderr: "err\n" },
        });
        expect(await go("run", image)).toEqual({ code: 0, stdout: "pulled\n", stderr: "" });
        await engine().must(200, "DELETE", `/images/${image}`);
      });

      test("pull", async () => {
        const image = `${open.host}/go:1`;
        expect(await well("pull", image)).toContain(`Status: Downloaded newer image for ${image}\n`);
        expect(await well("pull", image)).toContain(`Status: Image is up to date for ${image}\n`);
        const none = await go("pull", `${open.host}/go:2`);
        expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("manifest unknown")]);
        await engine().must(200, "DELETE", `/images/${image}`);
      });

      test("import, history, push, and what the registry has then", async () => {
        const told = (await well("shipping", `${open.host}/shipped:1`)).trim().split("\n");
        expect(told).toEqual([
          "true [MADE=here] 1 by a Go program",
          "true true",
          "cannot push a digest reference",
          "true true",
        ]);
      });

      test("pull with credentials", async () => {
        const image = `${closed.host}/secret:1`;
        const { username, password } = login;
        const refused = await go("pull", image);
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("no basic auth credentials")]);
        const wrong = await go("pull-login", image, username, "wrong");
        expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
        expect(await well("pull-login", image, username, password)).toMatch(/^Login Succeeded\n.*Downloaded newer/s);
        await engine().must(200, "DELETE", `/images/${image}`);
      });
    });

    async function well(name: string, ...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await go(name, ...args);
      expect([name, code, stderr]).toEqual([name, 0, ""]);
      return stdout;
    }

    function go(name: string, ...args: string[]): Promise<Finished> {
      return programs.run(engine().socketPath, name, args);
    }
  },
  { missing },
);

const LIFE = [
  "create /first-name created",
  "rename /second-name running",
  "pause /second-name paused",
  "unpause /second-name running",
  "restart /second-name running",
  "top sleep 1000",
  "diff 1 /new",
  "update 67108864 true",
  "export true",
  "disk usage 1 true",
  "kill 137",
  "prune 1 true",
];

const NETWORKS = [
  "create bridge true map[of:go] 10.206.0.0/16 10.206.5.0/24 10.206.5.254",
  "connect 10.206.5.9 true",
  "inspect /going-along 10.206.5.9/16",
  "list 1 go-net",
  "remove true",
  "disconnect 1",
  "prune [go-net]",
  "inspect true",
  "volume go-kept map[device:tmpfs o:size=1m type:tmpfs] map[of:go]",
  "used 1 go-kept, 0 dangling",
  "remove true",
  "removed true",
  "prune true",
];

const ERRORS = [
  "inspect true Error: No such container: nothing-here",
  "create true Error response from daemon: No such image: nothing/here:latest",
  "name true",
  "pause true",
  "remove true",
  "bad name true",
  "wait context deadline exceeded",
];
