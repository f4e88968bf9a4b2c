// The docker CLI, unchanged: what a user types, what they see, and its exit codes.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeUnless, onEngines } from "../support/on-engines.js";
import { findProgram, pause, run, until, type Finished } from "../support/commands.js";
import { busyboxArchive, busyboxLayer } from "../support/images.js";
import { dockerRegistryMissing, startDockerRegistry, type DockerRegistry } from "../support/docker-registry.js";
import { packImage, pushImage } from "../support/push-image.js";

const docker = findProgram("docker");
const registryMissing =
  dockerRegistryMissing() ?? (findProgram("htpasswd") === null ? "htpasswd is not installed" : null);
const python = findProgram("python3");

onEngines(
  "docker CLI",
  (engine) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));

    test("run prints what the container prints, and ends with its code", async () => {
      expect(await cli("run", "busybox", "echo", "hello")).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
      const both = await cli("run", "--rm", "busybox", "sh", "-c", "echo out; echo err >&2; exit 42");
      expect(both).toEqual({ code: 42, stdout: "out\n", stderr: "err\n" });
    });

    test("run many times: nothing is lost", async () => {
      for (let round = 0; round < 10; round += 1) {
        expect((await cli("run", "--rm", "busybox", "echo", `round ${round}`)).stdout).toBe(`round ${round}\n`);
      }
    });

    test("exit codes 125, 126 and 127", async () => {
      const missing = await cli("run", "--rm", "busybox", "nothing-here");
      expect(missing.code).toBe(127);
      expect(missing.stderr).toContain("executable file not found in $PATH");
      const denied = await cli("run", "--rm", "busybox", "/etc/passwd");
      expect(denied.code).toBe(126);
      expect(denied.stderr).toContain("permission denied");
      const refused = await cli("run", "--rm", "--memory", "1m", "busybox", "true");
      expect(refused.code).toBe(125);
      expect(refused.stderr).toContain("Minimum memory limit allowed is 6MB");
    });

    test("run -d, ps, logs -f, stop, rm", async () => {
      const loop = "trap 'exit 0' TERM; i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo line $i; sleep 0.05; done";
      const id = (await well("run", "-d", "--name", "looper", "busybox", "sh", "-c", loop)).trim();
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect(await well("ps", "--format", "{{.Names}} {{.Image}} {{.State}}")).toBe("looper busybox running\n");
      expect(await well("ps")).toContain(id.slice(0, 12));
      const following = cli("logs", "-f", "looper");
      await pause(400);
      expect(await well("stop", "looper")).toBe("looper\n");
      const { stdout, code } = await following;
      expect(code).toBe(0);
      expect(stdout.startsWith("line 1\nline 2\n")).toBe(true);
      expect(stdout).toBe(await well("logs", "looper"));
      expect(await well("ps", "-q")).toBe("");
      expect(await well("ps", "-aq", "--no-trunc", "--filter", "name=looper")).toBe(`${id}\n`);
      expect(await well("logs", "--tail", "1", "looper")).toMatch(/^line \d+\n$/);
      expect(await well("rm", "looper")).toBe("looper\n");
    });

    test("run -i hands standard input over and ends with it", async () => {
      const answer = await cliWith("one\ntwo\n", "run", "-i", "--rm", "busybox", "cat");
      expect(answer).toEqual({ code: 0, stdout: "one\ntwo\n", stderr: "" });
      const counted = await cliWith("x".repeat(300_000), "run", "-i", "--rm", "busybox", "wc", "-c");
      expect(counted.stdout.trim()).toBe("300000");
    });

    test("run -it on a terminal: size, echo, exit code", async ({ skip }) => {
      if (python === null) skip(NO_TERMINAL);
      const answer = await onTerminal(
        [["# ", "stty size; echo $((6*7)); exit 5\r"]],
        "run",
        "-it",
        "--rm",
        "busybox",
        "sh",
      );
      expect(answer.code).toBe(5);
      expect(answer.stdout).toContain("33 101\r\n42\r\n");
    });

    test("run -it: the detach keys leave the container running", async ({ skip }) => {
      if (python === null) skip(NO_TERMINAL);
      const answer = await onTerminal([["# ", "\x10\x11"]], "run", "-it", "--name", "detached", "busybox", "sh");
      expect(answer.code).toBe(0);
      expect(await well("inspect", "-f", "{{.State.Running}}", "detached")).toBe("true\n");
      const again = await onTerminal([["# ", "exit 3\r"]], "attach", "detached");
      expect(again.code).toBe(3);
      await well("rm", "-f", "detached");
    });

    test("kill, start, restart of an ended one, rm -f", async () => {
      await well("run", "-d", "--name", "victim", "busybox", "sleep", "1000");
      expect(await well("kill", "victim")).toBe("victim\n");
      expect(await well("inspect", "-f", "{{.State.Status}} {{.State.ExitCode}}", "victim")).toBe("exited 137\n");
      expect(await well("start", "victim")).toBe("victim\n");
      const refused = await cli("rm", "victim");
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("running");
      expect(await well("rm", "-f", "victim")).toBe("victim\n");
      expect((await cli("rm", "victim")).stderr).toContain("No such container: victim");
    });

    test("create, start -a, wait", async () => {
      await well("create", "--name", "later", "busybox", "sh", "-c", "echo now; exit 9");
      const started = await cli("start", "-a", "later");
      expect([started.code, started.stdout]).toEqual([9, "now\n"]);
      expect(await well("wait", "later")).toBe("9\n");
      await well("rm", "later");
    });

    test("--rm leaves nothing", async () => {
      await well("run", "--rm", "--name", "gone", "busybox", "true");
      expect(await well("ps", "-aq", "--filter", "name=gone")).toBe("");
    });

    test("options that change what runs", async () => {
      expect(await well("run", "--rm", "-e", "A=1", "busybox", "sh", "-c", "echo $A")).toBe("1\n");
      expect(await well("run", "--rm", "-w", "/tmp", "busybox", "pwd")).toBe("/tmp\n");
      expect(await well("run", "--rm", "-u", "nobody", "busybox", "id", "-un")).toBe("nobody\n");
      expect(await well("run", "--rm", "-u", "12:34", "busybox", "sh", "-c", "id -u; id -g")).toBe("12\n34\n");
      expect(await well("run", "--rm", "-h", "box", "busybox", "hostname")).toBe("box\n");
      expect(await well("run", "--rm", "--entrypoint", "echo", "busybox", "entry")).toBe("entry\n");
      expect((await cli("run", "--rm", "--read-only", "busybox", "touch", "/x")).code).toBe(1);
      expect(await well("run", "--rm", "--network", "none", "busybox", "ls", "/sys/class/net")).toBe("lo\n");
      expect(await well("run", "--rm", "busybox", "ls", "/sys/class/net")).toMatch(/^eth0\nlo\n$/);
      const bound = await mkdtemp(join(tmpdir(), "coracle-bind-"));
      await writeFile(join(bound, "file"), "bound");
      expect(await well("run", "--rm", "-v", `${bound}:/in:ro`, "busybox", "cat", "/in/file")).toBe("bound");
      expect((await cli("run", "--rm", "-v", `${bound}:/in:ro`, "busybox", "touch", "/in/x")).code).toBe(1);
      await rm(bound, { recursive: true });
    });

    test("limits and capabilities reach the kernel", async () => {
      const memory = "cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max";
      expect(await well("run", "--rm", "-m", "64m", "busybox", "sh", "-c", memory)).toBe(`${64 << 20}\n`);
      const pids = "cat /sys/fs/cgroup/pids/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids.max";
      expect(await well("run", "--rm", "--pids-limit", "77", "busybox", "sh", "-c", pids)).toBe("77\n");
      const capabilities = ["sh", "-c", "grep CapEff /proc/self/status | cut -f2"];
      const usual = (await well("run", "--rm", "busybox", ...capabilities)).trim();
      expect(usual).toBe("00000000a80425fb");
      const fewer = (
        await well("run", "--rm", "--cap-drop", "all", "--cap-add", "chown", "busybox", ...capabilities)
      ).trim();
      expect(fewer).toBe("0000000000000001");
      expect(await well("run", "--rm", "busybox", "sh", "-c", "grep -c 'Seccomp:.2' /proc/self/status")).toBe("1\n");
    });

    test("a published port answers", async () => {
      const serve = "while :; do echo -e 'HTTP/1.0 200 OK\\r\\n\\r\\nserved' | nc -l -p 80; done";
      await well("run", "-d", "--name", "web", "-p", "18070:80", "busybox", "sh", "-c", serve);
      expect(await well("port", "web")).toContain("80/tcp -> 0.0.0.0:18070");
      const text = await until("the published port", async () => {
        const response = await fetch(`http://${engine().daemon.netns.address}:18070/`).catch(() => null);
        return response?.text();
      });
      expect(text).toBe("served\n");
      await well("rm", "-f", "web");
    });

    test("two containers reach one another over the bridge; the outside is masqueraded", async () => {
      await well("run", "-d", "--name", "peer", "busybox", "sh", "-c", "while :; do echo reached | nc -l -p 99; done");
      const address = (await well("inspect", "-f", "{{.NetworkSettings.IPAddress}}", "peer")).trim();
      const reach = ["sh", "-c", `for i in 1 2 3 4 5; do nc -w 1 ${address} 99 && break; sleep 0.2; done`];
      expect(await well("run", "--rm", "busybox", ...reach)).toContain("reached");
      await well("rm", "-f", "peer");
    });

    test("inspect of nothing ends in No such object", async () => {
      const answer = await cli("inspect", "nothing-at-all");
      expect(answer.code).toBe(1);
      expect(answer.stderr).toContain("No such object: nothing-at-all");
      expect(answer.stdout.trim()).toBe("[]");
    });

    test("images, tag, rmi, image inspect, load", async () => {
      expect(await well("images", "--format", "{{.Repository}}:{{.Tag}}")).toContain("busybox:latest");
      await well("tag", "busybox", "mine:1");
      expect(await well("image", "inspect", "-f", "{{.Id}}", "mine:1")).toBe(
        await well("image", "inspect", "-f", "{{.Id}}", "busybox"),
      );
      expect(await well("rmi", "mine:1")).toBe("Untagged: mine:1\n");
      const archive = join(config, "busybox.tar");
      await writeFile(archive, await busyboxArchive());
      expect(await well("load", "-q", "-i", archive)).toContain("Loaded image: busybox:latest");
      expect(await well("load", "-i", archive)).toContain("Loaded image: busybox:latest");
    });

    test("commit", async () => {
      await well("run", "--name", "changed", "busybox", "sh", "-c", "echo kept > /kept");
      expect(await well("commit", "-m", "why", "changed", "kept:1")).toMatch(/^sha256:[0-9a-f]{64}\n$/);
      expect(await well("run", "--rm", "kept:1", "cat", "/kept")).toBe("kept\n");
      await well("rm", "changed");
      await well("rmi", "kept:1");
    });

    test("events", async () => {
      const since = (Date.now() / 1000).toFixed(3);
      await well("run", "--rm", "--name", "eventful", "busybox", "true");
      const window = ["--since", since, "--until", (Date.now() / 1000 + 0.5).toFixed(3)];
      const shown = await well("events", ...window, "--filter", "container=eventful", "--format", "{{.Action}}");
      expect(shown.trim().split("\n")).toEqual(expect.arrayContaining(["create", "attach", "start", "die", "destroy"]));
    });

    test("version and info", async () => {
      expect(await well("version", "--format", "{{.Server.APIVersion}}")).toBe(`${engine().engine.maxVersion}\n`);
      expect(await well("info", "--format", "{{.OSType}}")).toBe("linux\n");
      expect((await cli("info")).code).toBe(0);
      expect((await cli("version")).code).toBe(0);
    });

    test("a client that is killed leaves its container running", async () => {
      const child = spawn(docker ?? "docker", ["run", "--name", "orphan", "busybox", "sleep", "1000"], {
        env: environment(),
      });
      await until("the container", async () => (await well("ps", "-q", "--filter", "name=orphan")) !== "");
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      await pause(200);
      expect(await well("inspect", "-f", "{{.State.Running}}", "orphan")).toBe("true\n");
      await well("rm", "-f", "orphan");
    });

    test("signals are passed on", async () => {
      const script = "trap 'echo got; exit 11' TERM; echo ready; while :; do sleep 0.05; done";
      const child = spawn(docker ?? "docker", ["run", "--rm", "busybox", "sh", "-c", script], { env: environment() });
      let output = "";
      child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
      await until("ready", () => output.includes("ready"));
      const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      expect(await ended).toBe(11);
      await until("the last output", () => output === "ready\ngot\n");
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

      test("pull, and run pulls what is missing", async () => {
        const name = `${open.host}/some/where:1`;
        const pulled = await well("pull", name);
        expect(pulled).toContain("Status: Downloaded newer image for");
        expect(await well("pull", "-q", name)).toBe(`${name}\n`);
        await well("rmi", name);
        const ran = await cli("run", "--rm", name);
        expect([ran.code, ran.stdout]).toEqual([0, "pulled\n"]);
        expect(ran.stderr).toContain("Unable to find image");
        const nothing = await cli("pull", `${open.host}/some/where:2`);
        expect(nothing.code).toBe(1);
        expect(nothing.stderr).toContain("manifest unknown");
        const run2 = await cli("run", `${open.host}/some/where:2`);
        expect(run2.code).toBe(125);
      });

      test("login, pull, logout", async () => {
        const name = `${closed.host}/secret:1`;
        expect((await cli("pull", name)).code).toBe(1);
        const wrong = await cliWith("wrong", "login", "-u", login.username, "--password-stdin", closed.host);
        expect(wrong.code).toBe(1);
        const right = await cliWith(login.password, "login", "-u", login.username, "--password-stdin", closed.host);
        expect([right.code, right.stdout.includes("Login Succeeded")]).toEqual([0, true]);
        expect(await well("pull", name)).toContain("Status: ");
        await well("logout", closed.host);
      });
    });

    function environment(): NodeJS.ProcessEnv {
      return {
        ...process.env,
        DOCKER_HOST: `unix://${engine().socketPath}`,
        DOCKER_CONFIG: config,
        DOCKER_CLI_HINTS: "false",
      };
    }

    function cli(...args: string[]): Promise<Finished> {
      return cliWith("", ...args);
    }

    function cliWith(input: string, ...args: string[]): Promise<Finished> {
      return run([docker ?? "docker", ...args], { env: environment(), input, timeoutMs: 25_000 });
    }

    /** The output of a command that must end well. */
    async function well(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await cli(...args);
      if (code !== 0) throw new Error(`docker ${args.join(" ")}: exit code ${code}: ${stderr}`);
      return stdout;
    }

    function onTerminal(steps: readonly (readonly [string, string])[], ...args: string[]): Promise<Finished> {
      const command = [python ?? "python3", TERMINAL, JSON.stringify(steps), docker ?? "docker", ...args];
      return run(command, { env: environment(), timeoutMs: 25_000 });
    }
  },
  { missing: docker === null ? "the docker CLI is not installed" : null },
);

const NO_TERMINAL = "python3, which makes the terminal, is not installed";
const TERMINAL = fileURLToPath(new URL("./terminal.py", import.meta.url));
