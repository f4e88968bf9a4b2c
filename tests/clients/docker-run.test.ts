// `docker run`, unchanged: what a user sees, with pipes and with a terminal, and its exit codes.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, until } from "../support/commands.js";
import { onEngines } from "../support/on-engines.js";
import { DOCKER_MISSING, DockerCli, TERMINAL_MISSING } from "./docker.js";

onEngines(
  "docker run",
  (engine, kind) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));

    test("run prints the container's output, and exits with its exit code", async () => {
      expect(await docker().run("run", "busybox", "echo", "hello")).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
      const both = await docker().run("run", "--rm", "busybox", "sh", "-c", "echo out; echo err >&2; exit 42");
      expect(both).toEqual({ code: 42, stdout: "out\n", stderr: "err\n" });
    });

    test("run many times: nothing is lost", async () => {
      for (let round = 0; round < 10; round += 1) {
        expect((await docker().run("run", "--rm", "busybox", "echo", `round ${round}`)).stdout).toBe(
          `round ${round}\n`,
        );
      }
    });

    test("exit codes 125, 126 and 127", async () => {
      const missing = await docker().run("run", "--rm", "busybox", "nothing-here");
      expect(missing.code).toBe(127);
      expect(missing.stderr).toContain("executable file not found in $PATH");
      const denied = await docker().run("run", "--rm", "busybox", "/etc/passwd");
      expect(denied.code).toBe(126);
      expect(denied.stderr).toContain("permission denied");
      const refused = await docker().run("run", "--rm", "--memory", "1m", "busybox", "true");
      expect(refused.code).toBe(125);
      expect(refused.stderr).toContain("Minimum memory limit allowed is 6MB");
    });

    test("run -v, --mount and --volumes-from", async () => {
      const run = (...args: string[]) => docker().run("run", "--rm", ...args);
      const named = ["-v", "cli-data:/x", "busybox", "sh", "-c"];
      expect(await run(...named, "echo kept > /x/file")).toMatchObject({ code: 0, stderr: "" });
      const mount = (words: string) => ["--mount", words];
      expect(
        (await run(...mount("type=volume,src=cli-data,dst=/y,readonly"), "busybox", "cat", "/y/file")).stdout,
      ).toBe("kept\n");
      const bind = [...mount("type=bind,source=/etc,target=/z,ro,bind-propagation=rprivate"), "busybox"];
      expect(
        (await run(...bind, "sh", "-c", "test -f /z/hostname && ! touch /z/x 2>/dev/null && echo so")).stdout,
      ).toBe("so\n");
      const tmpfs = [...mount("type=tmpfs,dst=/m,tmpfs-size=1m,tmpfs-mode=700"), "busybox", "stat", "-c", "%a", "/m"];
      expect((await run(...tmpfs)).stdout).toBe("700\n");
      const missing = await run(...mount("type=bind,src=/nothing-here,dst=/x"), "busybox", "true");
      expect([missing.code, missing.stderr]).toEqual([125, expect.stringContaining("bind source path does not exist")]);
      await docker().well("run", "--name", "owner", "-v", "/own", "busybox", "sh", "-c", "echo own > /own/file");
      expect((await run("--volumes-from", "owner", "busybox", "cat", "/own/file")).stdout).toBe("own\n");
      expect(await docker().well("volume", "ls", "-q", "--filter", "name=cli-data")).toBe("cli-data\n");
      expect(await docker().well("volume", "inspect", "-f", "{{.Driver}}", "cli-data")).toBe("local\n");
      await docker().well("rm", "-v", "owner");
    });

    test("run --ipc, --pid and --uts", async () => {
      const run = async (...args: string[]) => (await docker().run("run", "--rm", ...args)).stdout;
      const owner = ["--name", "sharing", "--ipc", "shareable", "busybox"];
      await docker().well("run", "-d", ...owner, "sh", "-c", "echo shared > /dev/shm/file; sleep 4321");
      expect(await run("--ipc", "container:sharing", "busybox", "cat", "/dev/shm/file")).toBe("shared\n");
      expect(await run("--pid", "container:sharing", "busybox", "ps")).toContain("sleep 4321");
      expect(await run("--ipc", "none", "busybox", "grep", "-c", " /dev/shm ", "/proc/mounts")).toBe("0\n");
      expect(await run("--uts", "host", "busybox", "hostname")).toBe(`${engine().machine.name}\n`);
      const clash = await docker().run("run", "--rm", "--uts", "host", "--hostname", "mine", "busybox", "true");
      expect([clash.code, clash.stderr]).toEqual([
        125,
        expect.stringContaining("conflicting options: hostname and the UTS mode"),
      ]);
      await docker().well("rm", "-f", "sharing");
    });

    test("run -i passes standard input on and ends with it", async () => {
      const answer = await docker().runWith("one\ntwo\n", "run", "-i", "--rm", "busybox", "cat");
      expect(answer).toEqual({ code: 0, stdout: "one\ntwo\n", stderr: "" });
      const counted = await docker().runWith("x".repeat(300_000), "run", "-i", "--rm", "busybox", "wc", "-c");
      expect(counted.stdout.trim()).toBe("300000");
    });

    test("run -it on a terminal: size, echo, exit code", async ({ skip }) => {
      if (TERMINAL_MISSING !== null) skip(TERMINAL_MISSING);
      const answer = await docker().onTerminal(
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
      if (TERMINAL_MISSING !== null) skip(TERMINAL_MISSING);
      const answer = await docker().onTerminal(
        [["# ", "\x10\x11"]],
        "run",
        "-it",
        "--name",
        "detached",
        "busybox",
        "sh",
      );
      expect(answer.code).toBe(0);
      expect(await docker().well("inspect", "-f", "{{.State.Running}}", "detached")).toBe("true\n");
      const again = await docker().onTerminal([["# ", "exit 3\r"]], "attach", "detached");
      expect(again.code).toBe(3);
      await docker().well("rm", "-f", "detached");
    });

    test("options that change the process", async () => {
      expect(await docker().well("run", "--rm", "-e", "A=1", "busybox", "sh", "-c", "echo $A")).toBe("1\n");
      expect(await docker().well("run", "--rm", "-w", "/tmp", "busybox", "pwd")).toBe("/tmp\n");
      expect(await docker().well("run", "--rm", "-u", "nobody", "busybox", "id", "-un")).toBe("nobody\n");
      expect(await docker().well("run", "--rm", "-u", "12:34", "busybox", "sh", "-c", "id -u; id -g")).toBe("12\n34\n");
      expect(await docker().well("run", "--rm", "-h", "box", "busybox", "hostname")).toBe("box\n");
      expect(await docker().well("run", "--rm", "--entrypoint", "echo", "busybox", "entry")).toBe("entry\n");
      expect((await docker().run("run", "--rm", "--read-only", "busybox", "touch", "/x")).code).toBe(1);
      expect(await docker().well("run", "--rm", "--network", "none", "busybox", "ls", "/sys/class/net")).toBe("lo\n");
      expect(await docker().well("run", "--rm", "busybox", "ls", "/sys/class/net")).toMatch(/^eth0\nlo\n$/);
    });

    test("--network container: joins another container's network", async () => {
      await docker().well("run", "-d", "--name", "owner", "-h", "owners", "busybox", "sleep", "60");
      const joined = ["run", "--rm", "--network", "container:owner"];
      expect(await docker().well(...joined, "busybox", "hostname")).toBe("owners\n");
      const both = [await docker().well(...joined, "busybox", "cat", "/etc/hosts")];
      both.push(await docker().well("exec", "owner", "cat", "/etc/hosts"));
      expect(both[0]).toBe(both[1]);
      const refused = await docker().run(...joined, "-p", "80", "busybox", "true");
      expect(refused.code).toBe(125);
      expect(refused.stderr).toContain("conflicting options: port publishing and the container type network mode");
      await docker().well("rm", "-f", "owner");
      expect((await docker().run(...joined, "busybox", "true")).stderr).toContain("No such container: owner");
    });

    test("--link; ps without the names of links; rm --link", async () => {
      const id = (await docker().run("run", "-d", "--name", "base", "--expose", "7", "busybox", "sleep", "1000"))
        .stdout;
      const linked = ["--name", "linked", "--link", "base:b", "busybox", "sleep", "1000"];
      expect(await docker().run("run", "-d", ...linked)).toMatchObject({ code: 0, stderr: "" });
      const hosts = async () => (await docker().run("exec", "linked", "cat", "/etc/hosts")).stdout;
      expect(await hosts()).toMatch(new RegExp(`^\\S+\\tb ${id.slice(0, 12)} base$`, "m"));
      expect((await docker().run("exec", "linked", "env")).stdout).toMatch(/^B_PORT_7_TCP_PORT=7$/m);
      const ps = ["ps", "-a", "--filter", "name=^/base$", "--format", "{{.Names}}"];
      expect((await docker().run(...ps)).stdout).toBe("base\n");
      expect((await docker().run(...ps, "--no-trunc")).stdout).toBe("base,linked/b\n");
      expect(await docker().run("rm", "--link", "linked/b")).toMatchObject({ code: 0, stdout: "linked/b\n" });
      await expect.poll(hosts).not.toContain("base");
      await docker().run("rm", "-f", "base", "linked");
    });

    test("network ls and inspect, port, --mac-address", async () => {
      const names = (await docker().well("network", "ls", "--format", "{{.Name}} {{.Driver}}")).trim().split("\n");
      for (const name of ["bridge bridge", "host host", "none null"]) expect(names).toContain(name);
      expect(await docker().well("network", "ls", "-q", "-f", "dangling=true", "-f", "type=builtin")).toBe("");
      expect(await docker().well("network", "inspect", "-f", "{{.Driver}}", "none")).toBe("null\n");
      expect((await docker().run("network", "inspect", "nothing")).code).toBe(1);
      const mac = "02:42:c0:00:02:0a";
      // The client sends an address only from API 1.44 on.
      const own = kind === "reference" ? [] : ["--mac-address", mac];
      await docker().well("run", "-d", "--name", "told", ...own, "-p", "127.0.0.1::80", "busybox", "sleep", "60");
      const of = async (template: string) => (await docker().well("inspect", "-f", template, "told")).trim();
      const address = await of('{{(index .NetworkSettings.Networks "bridge").MacAddress}}');
      if (own.length > 0) expect(address).toBe(mac);
      const port = await of('{{(index (index .NetworkSettings.Ports "80/tcp") 0).HostPort}}');
      expect(await docker().well("port", "told")).toBe(`80/tcp -> 127.0.0.1:${port}\n`);
      expect(await docker().well("port", "told", "80")).toBe(`127.0.0.1:${port}\n`);
      await docker().well("rm", "-f", "told");
    });

    test("a bind is visible, and writable only if it is not read-only", async () => {
      const name = `coracle-bind-${randomBytes(6).toString("hex")}`;
      const inside = async (from: string, ...command: string[]) =>
        docker().run("run", "--rm", "-v", from, "busybox", ...command);
      expect((await inside(`/tmp/${name}:/in`, "sh", "-c", "printf bound > /in/file")).code).toBe(0);
      expect((await inside(`/tmp/${name}:/in:ro`, "cat", "/in/file")).stdout).toBe("bound");
      expect((await inside(`/tmp/${name}:/in:ro`, "touch", "/in/x")).code).toBe(1);
      expect((await inside(`/tmp/${name}:/in`, "ls", "/in")).stdout).toBe("file\n");
      expect((await inside("/tmp:/in", "rm", "-r", `/in/${name}`)).code).toBe(0);
    });

    test("limits and capabilities reach the kernel", async () => {
      const memory = "cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max";
      expect(await docker().well("run", "--rm", "-m", "64m", "busybox", "sh", "-c", memory)).toBe(`${64 << 20}\n`);
      const pids = "cat /sys/fs/cgroup/pids/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids.max";
      expect(await docker().well("run", "--rm", "--pids-limit", "77", "busybox", "sh", "-c", pids)).toBe("77\n");
      const capabilities = ["sh", "-c", "grep CapEff /proc/self/status | cut -f2"];
      const usual = (await docker().well("run", "--rm", "busybox", ...capabilities)).trim();
      expect(usual).toBe("00000000a80425fb");
      const fewer = (
        await docker().well("run", "--rm", "--cap-drop", "all", "--cap-add", "chown", "busybox", ...capabilities)
      ).trim();
      expect(fewer).toBe("0000000000000001");
      expect(await docker().well("run", "--rm", "busybox", "sh", "-c", "grep -c 'Seccomp:.2' /proc/self/status")).toBe(
        "1\n",
      );
    });

    test("a published port answers", async () => {
      const serve = "while :; do echo -e 'HTTP/1.0 200 OK\\r\\n\\r\\nserved' | nc -l -p 80; done";
      await docker().well("run", "-d", "--name", "web", "-p", "18070:80", "busybox", "sh", "-c", serve);
      expect(await docker().well("port", "web")).toBe("80/tcp -> 0.0.0.0:18070\n80/tcp -> [::]:18070\n");
      const { netns } = engine().daemon;
      const text = await until("the published port", async () => {
        const response = await fetch(`http://${netns.address}:18070/`).catch(() => null);
        return response?.text();
      });
      expect(text).toBe("served\n");
      // The server handles one connection at a time.
      const ask = 'fetch("http://[::1]:18070/").then(async (it) => console.log(await it.text()))';
      const other = await until("the published port on IPv6", async () => {
        const { code, stdout } = await run(netns.inside([process.execPath, "-e", ask]));
        return code === 0 && stdout;
      });
      expect(other).toBe("served\n\n");
      await docker().well("rm", "-f", "web");
    });

    test("ports on either family, and in ranges", async () => {
      const published = ["-p", "18071-18073:81-83", "-p", "[::1]:18074:80", "-p", "127.0.0.1:18074:80/udp"];
      await docker().well("run", "-d", "--name", "many", ...published, "busybox", "sleep", "60");
      const shown = (await docker().well("port", "many")).trim().split("\n").sort();
      const ranges = [1, 2, 3].flatMap((at) => [
        `${80 + at}/tcp -> 0.0.0.0:${18070 + at}`,
        `${80 + at}/tcp -> [::]:${18070 + at}`,
      ]);
      expect(shown).toEqual(["80/tcp -> [::1]:18074", "80/udp -> 127.0.0.1:18074", ...ranges]);
      expect(await docker().well("ps", "--filter", "name=many", "--format", "{{.Ports}}")).toBe(
        "127.0.0.1:18074->80/udp, [::1]:18074->80/tcp, " +
          "0.0.0.0:18071->81/tcp, [::]:18071->81/tcp, 0.0.0.0:18072->82/tcp, [::]:18072->82/tcp, " +
          "0.0.0.0:18073->83/tcp, [::]:18073->83/tcp\n",
      );
      const refused = await docker().run("run", "--rm", "-p", "[::1]:18071:80", "busybox", "true");
      expect(refused.code).toBe(125);
      if (kind !== "reference")
        expect(refused.stderr).toContain("Bind for ::1:18071 failed: port is already allocated");
      await docker().well("rm", "-f", "many");
    });

    test("two containers reach one another over the bridge; the outside is masqueraded", async () => {
      await docker().well(
        "run",
        "-d",
        "--name",
        "peer",
        "busybox",
        "sh",
        "-c",
        "while :; do echo reached | nc -l -p 99; done",
      );
      const address = (await docker().well("inspect", "-f", "{{.NetworkSettings.IPAddress}}", "peer")).trim();
      const reach = ["sh", "-c", `until nc -w 10 ${address} 99; do sleep 0.1; done`];
      expect(await docker().well("run", "--rm", "busybox", ...reach)).toContain("reached");
      await docker().well("rm", "-f", "peer");
    });

    test("a client that is killed leaves its container running", async () => {
      const child = docker().spawn(["run", "--name", "orphan", "busybox", "sleep", "1000"]);
      await until("the container", async () => (await docker().well("ps", "-q", "--filter", "name=orphan")) !== "");
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      // By then the engine has noticed that its client is gone.
      await docker().well("exec", "orphan", "true");
      expect(await docker().well("inspect", "-f", "{{.State.Running}}", "orphan")).toBe("true\n");
      await docker().well("rm", "-f", "orphan");
    });

    test("signals are passed on", async () => {
      const script = "trap 'echo got; exit 11' TERM; echo ready; while :; do sleep 0.05; done";
      const child = docker().spawn(["run", "--rm", "busybox", "sh", "-c", script]);
      let output = "";
      child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
      await until("ready", () => output.includes("ready"));
      const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      expect(await ended).toBe(11);
      await until("the last output", () => output === "ready\ngot\n");
    });

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, config);
    }
  },
  { missing: DOCKER_MISSING },
);
