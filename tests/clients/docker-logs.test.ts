// The docker CLI's logs: every option of `docker logs`, log drivers of `docker run`, and the output of `docker info`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { DOCKER_MISSING, DockerCli } from "./docker.js";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z /;

onEngines(
  "docker logs",
  (engine, kind) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));

    test("--tail, --timestamps, --since, --until, --details, --follow", async () => {
      const script = "for i in 1 2 3 4 5; do echo line $i; sleep 0.3; done; echo bad >&2";
      const options = ["--label", "a=b", "-e", "E=1 2", "--log-opt", "labels=a", "--log-opt", "env=E"];
      await docker().well("run", "-d", "--name", "talker", ...options, "busybox", "sh", "-c", script);
      const all = "line 1\nline 2\nline 3\nline 4\nline 5\n";
      const followed = await docker().run("logs", "--follow", "talker");
      expect([followed.stdout, followed.stderr, followed.code]).toEqual([all, "bad\n", 0]);
      expect((await docker().run("logs", "--tail", "3", "talker")).stdout).toBe("line 4\nline 5\n");
      expect((await docker().run("logs", "-n", "all", "talker")).stdout).toBe(all);
      const details = (await docker().run("logs", "--details", "--tail", "2", "talker")).stdout;
      expect(details).toBe("E=1+2,a=b line 5\n");
      const stamped = (await docker().run("logs", "--timestamps", "talker")).stdout.trimEnd().split("\n");
      for (const line of stamped) expect(line).toMatch(TIME);
      const [second = "", fourth = ""] = [stamped[1], stamped[3]].map((line) => line?.split(" ")[0]);
      expect((await docker().run("logs", "--since", second, "--until", fourth, "talker")).stdout).toBe(
        "line 2\nline 3\nline 4\n",
      );
      expect((await docker().run("logs", "--since", "1h", "--until", "30m", "talker")).stdout).toBe("");
      await docker().well("rm", "talker");
    });

    test("run --log-driver none shows its output and keeps nothing", async () => {
      expect(await docker().well("run", "--name", "quiet", "--log-driver", "none", "busybox", "echo", "heard")).toBe(
        "heard\n",
      );
      const { code, stderr } = await docker().run("logs", "quiet");
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining("configured logging driver does not support reading") as string,
      ]);
      expect(await docker().well("inspect", "-f", "{{.HostConfig.LogConfig.Type}}", "quiet")).toBe("none\n");
      await docker().well("rm", "quiet");
    });

    test("run --log-driver local --log-opt, and invalid options", async () => {
      const local = ["--log-driver", "local", "--log-opt", "max-size=1m", "--log-opt", "max-file=2"];
      await docker().well("run", "-d", "--name", "kept", ...local, "busybox", "echo", "words");
      await docker().well("wait", "kept");
      expect(await docker().well("logs", "kept")).toBe("words\n");
      await docker().well("rm", "kept");
      const refused = await docker().run("run", "--rm", "--log-opt", "nonsense=1", "busybox", "true");
      expect(refused.code).toBe(125);
      expect(refused.stderr).toContain("unknown log opt 'nonsense' for json-file log driver");
    });

    test("info names the driver", async () => {
      expect(await docker().well("info", "-f", "{{.LoggingDriver}}")).toBe("json-file\n");
      expect(await docker().well("info", "-f", "{{.Plugins.Log}}")).toMatch(/json-file.* local/);
    });

    testExcept(kind, { reference: REFERENCE.ours })("info shows the limits of a log", async () => {
      expect(await docker().well("info")).toContain("Logs: at most 5 x 20MB a container");
    });

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, config);
    }
  },
  { missing: DOCKER_MISSING },
);

onEngines(
  "docker logs of a daemon with options",
  (engine) => {
    test("the daemon's driver and options apply to containers without their own", async () => {
      const id = await engine().create();
      const { HostConfig } = await engine().inspect<{ HostConfig: { LogConfig: unknown } }>(id);
      expect(HostConfig.LogConfig).toEqual({ Type: "local", Config: { "max-size": "2m", "max-file": "3" } });
      const own = await engine().create({ HostConfig: { LogConfig: { Type: "local", Config: { "max-file": "1" } } } });
      const other = await engine().create({ HostConfig: { LogConfig: { Type: "json-file", Config: {} } } });
      const found = async (name: string) =>
        (await engine().inspect<{ HostConfig: { LogConfig: { Config: unknown } } }>(name)).HostConfig.LogConfig.Config;
      expect([await found(own), await found(other)]).toEqual([{ "max-size": "2m", "max-file": "1" }, {}]);
      expect(await engine().read("/info")).toMatchObject({ LoggingDriver: "local" });
      for (const one of [id, own, other]) await engine().remove(one);
    });
  },
  { flags: ["--log-driver=local", "--log-opt", "max-size=2m", "--log-opt=max-file=3"] },
);
