// Damages pages of the daemon's database one at a time: it starts, reports the damage once, answers, and harms no
// running container. `CORACLE_TEST_DAMAGED_STARTS` sets the number of pages, `CORACLE_TEST_DAMAGE_SEED` the seed, which
// a run prints.

import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Pages } from "../../hosts/node/database/pages.js";
import { bestSurvey } from "../../hosts/node/database/snapshots.js";
import { until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { findProcesses } from "../support/processes.js";
import { randomFrom } from "../support/random.js";

const missing = missingLinux();
const SEED = Number(process.env["CORACLE_TEST_DAMAGE_SEED"] ?? Date.now() % 1_000_000);
const COUNT = Number(process.env["CORACLE_TEST_DAMAGED_STARTS"] ?? 12);
const PAGE = 4096;
const random = randomFrom(SEED);

describeUnless(missing, "a damaged page of the database", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let id: string;
  let dear: string;
  let kept: Buffer;
  let file: string;

  beforeAll(async () => {
    console.log(`damaged starts: seed ${SEED}`);
    daemon = await startCoracle();
    engine = new EngineClient(daemon.socketPath);
    const Cmd = ["sh", "-c", "echo 1 > /dear/f; sleep 1000"];
    id = await engine.running({ HostConfig: { Binds: ["dear:/dear"] }, Cmd, Labels: { long: "x".repeat(6000) } });
    dear = join(daemon.directories.dataRoot, "volumes", "dear", "_data", "f");
    await until("its file", () => existsSync(dear));
    file = join(daemon.directories.dataRoot, "records", "data.mdb");
    await daemon.end("SIGKILL");
    kept = readFileSync(file);
  });
  afterAll(async () => daemon?.close());

  test(
    "the daemon starts, reports it once, and removes nothing that is running",
    { timeout: COUNT * 20_000 },
    async () => {
      for (const page of pagesToDamage()) {
        const damaged = Buffer.from(kept);
        for (let at = page * PAGE; at < (page + 1) * PAGE; at += 1) damaged[at] = random(256);
        writeFileSync(file, damaged);
        const first = await started();
        expect([page, first.filter((line) => line.includes("set aside database")).length]).toEqual([page, 1]);
        expect([page, first.filter((line) => /swept (?:volume|run|mount|files|layer)/.test(line))]).toEqual([page, []]);
        await isThere(page);
        await daemon.end("SIGKILL");
        const again = await started();
        expect([page, again.filter((line) => line.includes("set aside database"))]).toEqual([page, []]);
        await isThere(page);
        await daemon.end("SIGKILL");
        for (const name of readdirSync(join(file, "..")))
          if (name.startsWith("damaged-")) rmSync(join(file, "..", name));
      }
      writeFileSync(file, kept);
      await daemon.start();
      expect(await engine.inspect(id)).toMatchObject({ State: { Status: "running" } });
      expect((await engine.read<{ Warnings: string[] | null }>("/info")).Warnings?.join() ?? "").not.toContain("lost");
    },
  );

  /** Both meta pages, and pages that contain their own number: the others are free. */
  function pagesToDamage(): number[] {
    const inUse = Array.from({ length: kept.length / PAGE }, (_, page) => page).filter((page) => {
      return page > 1 && kept.readUInt32LE(page * PAGE) === page && isReached(page);
    });
    return [0, 1, ...Array.from({ length: COUNT - 2 }, () => inUse[random(inUse.length)]!)];
  }

  /** A page whose damage is detected on opening: most pages that look used are left over from earlier transactions. */
  function isReached(page: number): boolean {
    const damaged = Buffer.from(kept).fill(0, page * PAGE, (page + 1) * PAGE);
    return !bestSurvey(new Pages(damaged)).isSound;
  }

  /** The container runs, even if its record is lost; other containers can be created and removed. */
  async function isThere(page: number): Promise<void> {
    await engine.must(200, "GET", "/_ping");
    const { Warnings } = await engine.read<{ Warnings: string[] | null }>("/info");
    const listed = (await engine.read<{ Id: string }[]>("/containers/json?all=1")).map(({ Id }) => Id);
    const isSetAside = Warnings?.some((line) => line.includes(`container/${id}`)) ?? false;
    expect([page, listed, isSetAside]).toEqual([page, isSetAside ? [] : [id], isSetAside]);
    expect([page, existsSync(dear), findProcesses("conmon", id)]).toEqual([page, true, [expect.any(Number)]]);
    expect([page, (await engine.must(200, "GET", "/volumes/dear")).status]).toEqual([page, 200]);
    const images = await engine.read<{ Id: string; RepoTags: string[] | null }[]>("/images/json");
    // A lost image is reported, and a container needs an image.
    if (images.length === 0)
      return expect([page, Warnings?.join()]).toEqual([page, expect.stringMatching(/lost|image|config|layer/)]);
    const { Id } = (
      await engine.must(201, "POST", "/containers/create", { Image: images[0]!.Id, Cmd: ["true"] })
    ).json<{ Id: string }>();
    await engine.must(204, "DELETE", `/containers/${Id}?force=1`);
  }

  async function started(): Promise<string[]> {
    const from = daemon.log().length;
    await daemon.start();
    return daemon.log().slice(from).split("\n");
  }
});
