// Guarantees for a new user about networks and ports: an answered operation has taken effect.
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram, must, run, type Finished } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const docker = findProgram("docker");
const missing = docker === null ? "the docker CLI is not installed" : missingLinux();

describeUnless(missing, "networks and ports as the docker CLI sees them", () => {
  let daemon: DaemonProcess;
  beforeAll(async () => {
    daemon = await startCoracle();
  });
  afterAll(async () => daemon?.close());

  test("run --rm on a missing network ends at once and leaves nothing", async () => {
    const answer = await cli("run", "--rm", "--network", "nosuch", "busybox", "true");
    expect([answer.code, answer.stderr]).toEqual([125, expect.stringContaining("network nosuch not found")]);
    expect((await cli("ps", "-aq")).stdout).toBe("");
  });

  for (const end of ["kill", "stop?t=0"]) {
    test(`a published port is free once ${end} has answered`, async () => {
      const engine = new EngineClient(daemon.socketPath);
      const HostConfig = { PortBindings: { "80/tcp": [{ HostPort: "8091" }] } };
      for (let round = 0; round < 10; round += 1) {
        const ids = [await engine.create({ Cmd: ["sleep", "1000"], HostConfig }), await engine.create({ HostConfig })];
        await engine.start(ids[0] ?? "");
        await engine.call("POST", `/containers/${ids[0]}/${end}`);
        const started = await engine.call("POST", `/containers/${ids[1]}/start`);
        expect([started.status, started.body.toString()]).toEqual([204, ""]);
        for (const id of ids) await engine.remove(id);
      }
    });
  }

  test("a leftover published port harms no container, and the daemon starts", async () => {
    await must([...program(), "run", "--rm", "busybox", "true"]);
    const inside = (...command: string[]): Promise<string> => must(daemon.netns.inside(command));
    const table = /^table ip (coracle-\S+)/m.exec(await inside("nft", "list", "tables"))?.[1] ?? "";
    await inside("nft", "add", "element", "ip", table, "everywhere", "{ tcp . 8399 : 172.17.0.250 . 80 }");
    expect((await cli("run", "--name", "late", "-p", "8399:80", "busybox", "true")).code).toBe(0);
    expect((await cli("rm", "-f", "late")).code).toBe(0);
    await daemon.end("SIGKILL");
    await daemon.start();
    expect(await inside("nft", "list", "ruleset")).not.toContain("8399");
  });

  test("the files that the engine makes are read-only in a read-only container", async () => {
    for (const file of ["hosts", "hostname", "resolv.conf"]) {
      const answer = await cli("run", "--rm", "--read-only", "busybox", "touch", `/etc/${file}`);
      expect([answer.code, answer.stderr]).toEqual([1, expect.stringContaining("Read-only file system")]);
    }
  });

  function cli(...args: string[]): Promise<Finished> {
    return run([...program(), ...args]);
  }

  function program(): string[] {
    return [docker ?? "docker", "-H", `unix://${daemon.socketPath}`];
  }
});
