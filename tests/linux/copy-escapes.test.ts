// Copies files of a container while another process swaps its directories for links: no file outside the container is
// read, written or removed.
import { spawn, type ChildProcess } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import type { RawResponse } from "../support/raw-http.js";
import { rawTar, type RawEntry } from "../support/archives/tar.js";

const missing = missingLinux();

/** Duration of one race, and its limit until it has seen what it must. */
const RACE_MS = 1500;
const PATIENCE_MS = 60_000;
/** Exchanges two names for ever (renameat2(2), RENAME_EXCHANGE). */
const SWAP = `
  const [first, second] = process.argv.slice(1);
  const rename = require("koffi").load(null).func("int renameat2(int, const char *, int, const char *, unsigned int)");
  if (rename(-100, first, -100, second, 2) !== 0) throw new Error("cannot exchange " + first);
  process.stdout.write("ready");
  for (;;) rename(-100, first, -100, second, 2);
`;

describeUnless(
  missing,
  "copies that race with swapped links",
  () => {
    let daemon: DaemonProcess;
    let engine: EngineClient;
    /** Files outside the container: a tree like the one inside, with a secret. */
    let outside: string;
    const swappers: ChildProcess[] = [];

    beforeAll(async () => {
      daemon = await startCoracle();
      engine = new EngineClient(daemon.socketPath);
    });
    afterAll(async () => daemon?.close());

    beforeEach(() => {
      outside = fs.mkdtempSync(join(tmpdir(), "coracle-outside-"));
      fs.mkdirSync(join(outside, "sub/deep"), { recursive: true });
      for (const name of ["file", "sub/file", "sub/deep/file"]) fs.writeFileSync(join(outside, name), "secret");
    });
    afterEach(async () => {
      await stopSwapping();
      const left = (fs.readdirSync(outside, { recursive: true }) as string[]).sort();
      for (const name of left.filter((one) => one.endsWith("file"))) {
        expect(fs.readFileSync(join(outside, name), "utf8")).toBe("secret");
      }
      fs.rmSync(outside, { recursive: true });
      expect(left).toEqual(["file", "sub", "sub/deep", "sub/deep/file", "sub/file"]);
    });

    const runs: [string, () => Promise<Place>][] = [
      ["a running container", running],
      ["a bind of a container that stands still", standingStill],
    ];
    for (const [what, make] of runs) {
      test(`reading from ${what}`, async () => {
        const { id, top, close } = await make();
        await swap(top, "x");
        // Checks the trap: access by name leads outside.
        expect(await racing(async () => readByName(`${top}/x/sub/file`), ["secret"])).toContain("secret");
        const statuses = await racing(async () => {
          const answer = await read(id, "/d/x/sub");
          expect(answer?.body.includes("secret") ?? false).toBe(false);
          return answer?.status;
        }, [200, 404]);
        expect(statuses).toContain(200);
        expect(statuses).toContain(404);
        await racing(async () => {
          const answer = await read(id, "/d");
          expect(answer?.body.includes("secret"), "the whole of it").toBe(false);
        });
        await close();
      });

      test(`writing into ${what}`, async () => {
        const { id, top, close } = await make();
        await swap(top, "x");
        const entries: RawEntry[] = [
          { name: "x/evil", body: "evil" },
          { name: "x/sub/evil/", flag: "5", mode: 0o777 },
          { name: "x/sub/deep/evil", flag: "2", target: "/" },
          { name: "x/sub/hard", flag: "1", target: "x/sub/file" },
          { name: "x/sub/file", body: "overwritten" },
        ];
        const statuses = await racing(async () => (await unpack(id, "/d", entries)).status, [200]);
        expect(statuses).toContain(200);
        await racing(async () => unpack(id, "/d/x/sub", [{ name: "file", body: "overwritten", mode: 0o777, uid: 5 }]));
        expect(fs.statSync(join(outside, "sub/file")).uid).toBe(0);
        await close();
      });

      test(`replacing directories of ${what}`, async () => {
        const { id, top, close } = await make();
        const replace = async (): Promise<number> => {
          fillTree(join(top, "victim"));
          fs.rmSync(join(top, "victim-other"), { recursive: true, force: true });
          fs.symlinkSync(outside, join(top, "victim-other"));
          const swapper = await swap(join(top, "victim"), "sub", join(top, "victim-other"));
          const { status } = await unpack(id, "/d", [{ name: "victim", body: "a file" }]);
          swapper.kill("SIGKILL");
          await new Promise((resolve) => swapper.once("close", resolve));
          fs.rmSync(join(top, "victim"), { recursive: true, force: true });
          return status;
        };
        expect(await racing(replace, [200])).toContain(200);
        await close();
      });
    }

    interface Place {
      id: string;
      /** The container's /d as seen on the machine. */
      top: string;
      close(): Promise<void>;
    }

    async function running(): Promise<Place> {
      const id = await engine.running();
      const { State } = await engine.inspect<{ State: { Pid: number } }>(id);
      const top = `/proc/${State.Pid}/root/d`;
      fs.mkdirSync(top);
      fillTree(`${top}/x`);
      return { id, top, close: () => engine.remove(id) };
    }

    async function standingStill(): Promise<Place> {
      const top = fs.mkdtempSync(join(tmpdir(), "coracle-bind-"));
      fillTree(`${top}/x`);
      const HostConfig: Json = { Binds: [`${top}:/d`] };
      const id = await engine.create({ HostConfig });
      const close = async (): Promise<void> => {
        await engine.remove(id);
        await stopSwapping();
        fs.rmSync(top, { recursive: true, force: true });
      };
      return { id, top, close };
    }

    async function stopSwapping(): Promise<void> {
      for (const swapper of swappers.splice(0)) {
        const over = new Promise((resolve) => swapper.once("exit", resolve));
        if (swapper.kill("SIGKILL")) await over;
      }
    }

    function fillTree(top: string): void {
      fs.mkdirSync(`${top}/sub/deep`, { recursive: true });
      for (const name of ["file", "sub/file", "sub/deep/file"]) fs.writeFileSync(join(top, name), "own");
    }

    /** From now on a name alternates between a directory and a link to `outside`. */
    async function swap(
      directory: string,
      name: string,
      link = join(directory, `${name}-link`),
    ): Promise<ChildProcess> {
      if (!fs.existsSync(link)) fs.symlinkSync(outside, link);
      const swapper = spawn(process.execPath, ["-e", SWAP, join(directory, name), link], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      swappers.push(swapper);
      await new Promise((resolve) => swapper.stdout!.once("data", resolve));
      return swapper;
    }

    /** Null if the answer breaks off because the file disappeared meanwhile. */
    async function read(id: string, path: string): Promise<RawResponse | null> {
      try {
        return await engine.call("GET", `/containers/${id}/archive?path=${path}`);
      } catch (error) {
        if (/the server closed/.test(String(error))) return null;
        throw error;
      }
    }

    function unpack(id: string, path: string, entries: RawEntry[]) {
      return engine.call("PUT", `/containers/${id}/archive?path=${path}`, rawTar(entries));
    }
  },
  { retry: 0 },
);

/** Repeats an action for the duration of a race and until all expected results were seen. Returns the results. */
async function racing<T>(act: () => Promise<T>, awaited: readonly T[] = []): Promise<T[]> {
  const results: T[] = [];
  const [end, last] = [Date.now() + RACE_MS, Date.now() + PATIENCE_MS];
  const isOver = (): boolean => Date.now() > end && awaited.every((result) => results.includes(result));
  do results.push(await act());
  while (!isOver() && Date.now() < last);
  return results;
}

function readByName(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
