// The Linux host as a whole: what its parts must tell each other.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { registryClient } from "../../hosts/registry/client.js";
import { linuxHost, type LinuxHost } from "../../runtime-linux/host.js";
import { Paths } from "../../runtime-linux/paths.js";

const missing = process.getuid?.() === 0 ? null : "needs root";
if (missing !== null) console.log(`skipped: the Linux host as a whole: ${missing}`);

let host: LinuxHost | undefined;
let root = "";
afterEach(async () => {
  await host?.close();
  host = undefined;
  rmSync(root, { recursive: true, force: true });
});

/** A host without runtimes, on directories of its own. */
async function openHost(): Promise<LinuxHost> {
  root = mkdtempSync(join(tmpdir(), "coracle-host-"));
  host = await linuxHost({
    paths: new Paths({ data: join(root, "data"), exec: join(root, "exec") }),
    runtimes: [],
    clock: { now: () => ({ wall: 0n, monotonic: 0n }), at: () => () => {} },
    records: { load: async () => [], commit: async () => {}, close: async () => {} },
    bodies: { take: () => expect.unreachable("no body") },
    registry: registryClient(),
  });
  return host;
}

test.skipIf(missing)("stdin of a container that is removed without ever being started goes with it", async () => {
  const { stdio, content } = await openHost();
  const [removed, stays] = ["a".repeat(64), "b".repeat(64)];
  const taken: string[] = [];
  for (const container of [removed, stays]) {
    const stdin = stdio.stdin(container, 1);
    void stdin.write(Buffer.from("input")).then(() => taken.push(container));
    stdin.end();
  }
  await content(1n, { tag: "drop-container", val: removed }, () => {});
  await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toEqual([removed]);
});
