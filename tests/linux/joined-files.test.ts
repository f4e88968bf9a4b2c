// Files of a container that another container shares: a restart of the daemon does not change them.
import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { engines, startWithBusybox } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const linux = engines().find((engine) => engine.kind === "linux");
const missing = linux === undefined ? "another engine was chosen" : linux.missing;

describeUnless(missing, "files of a joined network", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  beforeAll(async () => {
    daemon = await startWithBusybox(linux!);
    engine = new EngineClient(daemon.socketPath);
  });
  afterAll(() => daemon.close());

  test("stay as they are over a restart of the daemon, also for containers that join later", async () => {
    const first = await engine.running({}, "?name=first");
    const Cmd = ["sh", "-c", "until grep -q later /etc/hosts; do sleep 0.1; done; cat /etc/resolv.conf /etc/hosts"];
    const joining = { Cmd, HostConfig: { NetworkMode: "container:first" } };
    const second = await engine.create(joining);
    await engine.start(second);
    const paths = await pathsOf(first);
    appendFileSync(paths[1]!, "# before\n");
    await daemon.end("SIGKILL");
    await daemon.start();
    for (const id of [first, second]) expect(await pathsOf(id)).toEqual(paths);
    expect(readFileSync(paths[1]!, "utf8")).toMatch(/# before\n$/);
    const third = await engine.create(joining);
    await engine.start(third);
    appendFileSync(paths[0]!, "192.0.2.1 later\n");
    for (const id of [second, third]) {
      expect(await engine.wait(id)).toBe(0);
      expect((await engine.logs(id)).stdout).toMatch(/# before\n(.*\n)*192\.0\.2\.1 later\n$/);
    }
  });

  async function pathsOf(id: string): Promise<string[]> {
    const { HostsPath, ResolvConfPath } = await engine.inspect<Record<string, string>>(id);
    return [HostsPath!, ResolvConfPath!];
  }
});
