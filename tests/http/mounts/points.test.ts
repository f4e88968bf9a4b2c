// Mount points that an image lacks: whose they are, with which modes, and what stays of them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SIMULATED } from "../../support/allowed-skips.js";
import type { Json } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

onEngines("mount points that are missing", (engine, kind) => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "coracle-points-"));
    await writeFile(join(directory, "file"), "");
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const look = async (paths: string, HostConfig: Json, Image = "busybox"): Promise<string[]> => {
    const Cmd = ["stat", "-c", "%n %F %a %u:%g", ...paths.split(" ")];
    const { stdout } = await engine().run({ Image, Cmd, HostConfig: { NetworkMode: "none", ...HostConfig } });
    return stdout.trim().split("\n");
  };

  const directories = (...paths: string[]): string[] => paths.map((path) => `${path} directory 755 0:0`);
  /** What a commit of a container that ran with these mounts has at these places. */
  const kept = async (paths: string, more: Json): Promise<string[]> => {
    const id = await engine().create({ Cmd: ["true"], HostConfig: { NetworkMode: "none", ...more } });
    await engine().must(204, "POST", `/containers/${id}/start`);
    await engine().must(200, "POST", `/containers/${id}/wait`);
    await engine().must(201, "POST", `/commit?container=${id}&repo=pointed&tag=1`);
    const found = await look(paths, {}, "pointed:1");
    await engine().must(200, "DELETE", "/images/pointed:1?force=1");
    return found;
  };

  test("are root's with the directories above them, and a commit has them", async () => {
    const mounts = { Binds: ["points:/a/b/c"], Tmpfs: { "/g/h": "mode=700" } };
    expect(await look("/a /a/b /g", mounts)).toEqual(directories("/a", "/a/b", "/g"));
    expect(await kept("/a/b /a/b/c /g/h", mounts)).toEqual(directories("/a/b", "/a/b/c", "/g/h"));
  });

  testExcept(kind, { simulated: SIMULATED.mounts })("are files if files are mounted there", async () => {
    const found = await kept("/d /d/e /d/e/f", { Binds: [`${directory}/file:/d/e/f`] });
    expect(found).toEqual([...directories("/d", "/d/e"), "/d/e/f regular empty file 755 0:0"]);
  });

  test("are made in the volume that they are in", async () => {
    await look("/", { Binds: ["outer:/v", "inner:/v/x/y"] });
    expect(await look("/v/x /v/x/y", { Binds: ["outer:/v"] })).toEqual(directories("/v/x", "/v/x/y"));
  });
});
