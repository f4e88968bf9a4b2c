// A dry run on a real machine changes nothing: every byte of the data root, mounts, links, firewall, cgroups,
// processes, open files; and it causes no event.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { takeCensus } from "../support/measured/census.js";
import { busyboxArchive, tarOf } from "../support/archives/images.js";
import { past, stamp } from "../support/past-events.js";
import { onDryRunEngines } from "./engines.js";

onDryRunEngines(
  "a session of dry runs",
  (engine) => {
    test("leaves the machine as it is", async () => {
      const { live, dry } = engine();
      const web = await live.running({
        HostConfig: { Binds: ["data:/data"], PortBindings: { "80/tcp": [{ HostPort: "" }] } },
      });
      const done = await live.create({ Cmd: ["true"] });
      await live.start(done);
      await live.wait(done);
      const ids = [web, done];
      const before = await settled(() => everything(live.daemon, ids));
      const since = await stamp(live);

      const ask = async (method: string, path: string, body?: unknown): Promise<string> => {
        const { status, text } = await dry.call(method, path, body);
        if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
        return text;
      };
      await ask("POST", `/containers/${done}/start`);
      await ask("POST", `/containers/${web}/pause`);
      await ask("POST", `/containers/${web}/unpause`);
      await ask("POST", `/containers/${web}/update`, { Memory: 64 << 20, MemorySwap: 128 << 20 });
      await ask("PUT", `/containers/${web}/archive?path=/`, await tarOf([{ name: "made", body: "by nobody" }]));
      await ask("POST", `/containers/${web}/restart?t=30`);
      await ask("POST", `/commit?container=${web}&repo=kept`);
      await ask("POST", `/containers/${web}/stop?t=30`);
      await ask("DELETE", `/containers/${web}?v=1`);
      await ask("POST", "/containers/prune");
      const wish = {
        Image: "busybox",
        HostConfig: { Binds: ["new:/new", "/tmp/never-made:/bound"], AutoRemove: true },
      };
      const { Id } = JSON.parse(await ask("POST", "/containers/create", { ...wish, Cmd: ["sleep", "9"] })) as {
        Id: string;
      };
      await ask("POST", `/containers/${Id}/start`);
      const exec = JSON.parse(await ask("POST", `/containers/${Id}/exec`, { Cmd: ["touch", "/x"] })) as { Id: string };
      await ask("POST", `/exec/${exec.Id}/start`, { Detach: true });
      await ask("POST", `/containers/${Id}/kill`);
      expect(await ask("POST", "/images/load", await busyboxArchive())).toContain("Loaded image");
      expect(await ask("POST", "/images/create?fromSrc=-&repo=imported", await tarOf([{ name: "a" }]))).toContain(
        "sha256:",
      );
      expect(await ask("POST", "/images/create?fromSrc=-&repo=imported")).toContain("sha256:");
      expect(JSON.parse(await ask("GET", "/images/imported/history"))).toHaveLength(1);
      const fetched = await dry.call("POST", "/images/create?fromSrc=http://127.0.0.1:9/x");
      expect(fetched.text).toContain("http://127.0.0.1:9/x: a dry run does not fetch it");
      await ask("DELETE", "/images/busybox?force=1");

      expect(await everything(live.daemon, ids)).toEqual(before);
      expect(await past(live, since)).toEqual([]);
      for (const id of ids) await live.remove(id);
    }, 120_000);
  },
  null,
  ["linux"],
);

/** The engine's thread for networks ends, with its open files, after two idle seconds. */
const SETTLED_MS = 2500;

/** The state once the engine has finished the work that follows from requests. */
async function settled(look: () => Promise<unknown>): Promise<unknown> {
  for (let before = await look(); ;) {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const now = await look();
    if (isDeepStrictEqual(now, before)) return now;
    before = now;
  }
}

async function everything(daemon: Parameters<typeof takeCensus>[0], ids: string[]): Promise<unknown> {
  return { census: await takeCensus(daemon, ids), files: filesOf(daemon.directories.dataRoot) };
}

/** Files by their bytes, without the trace, which grows with every request to the live engine. */
function filesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).startsWith(join(root, "trace")))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
    })
    .sort();
}
