// The Linux host as a whole: the interplay of its parts.

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Host } from "../../hosts/shared/host.js";
import { MemoryJournal } from "../../hosts/shared/journal.js";
import { registryClient } from "../../hosts/registry/client.js";
import { linuxHost } from "../../runtime-linux/host.js";
import { Paths } from "../../runtime-linux/paths.js";
import { bridge as usual } from "../support/usual-bridge.js";

const missing = process.getuid?.() === 0 ? null : "needs root";

let host: Host | undefined;
let root = "";
afterEach(async () => {
  await host?.close();
  host = undefined;
  rmSync(root, { recursive: true, force: true });
});

/** A host without runtimes, on separate directories. */
async function openHost(): Promise<Host & { paths: Paths }> {
  root = mkdtempSync(join(tmpdir(), "coracle-host-"));
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  host = await linuxHost({
    paths,
    runtimes: [],
    timers: { now: () => ({ wall: 0n, monotonic: 0n }), at: () => () => {} },
    records: { load: async () => [], journal: new MemoryJournal(), commit: async () => {}, close: async () => {} },
    registry: registryClient(),
  });
  return { ...host, paths };
}

const ID = "e".repeat(64);

/** Files that other users can read, and directories that they can list, given access to this directory. */
function openToOthers(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    const { mode } = statSync(path);
    const below = entry.isDirectory() && (mode & 0o1) !== 0 ? openToOthers(path) : [];
    return (mode & 0o6) === 0 ? below : [path, ...below];
  });
}

test("other users cannot access stored files", async ({ skip }) => {
  if (missing !== null) return skip(missing);
  const { paths, content, records, networks } = await openHost();
  await records.commit([]);
  await content(1n, { tag: "mount", val: { container: ID, bare: false } }, () => {});
  const bridge = {
    ...usual,
    network: ID,
    name: "b",
    interfaceName: "none0",
    subnet: "172.31.0.0/16",
    gateway: "172.31.0.1",
  };
  const join = {
    container: ID,
    containerName: "c",
    bridge,
    interfaceName: "eth0",
    address: "172.31.0.2",
    gateway: "172.31.0.1",
    ipv6Address: "",
    ipv6Gateway: "",
    mac: "02:42:ac:1f:00:02",
    ports: [],
    linkLocal: [],
    sysctls: [],
  };
  await expect(networks(2n, { tag: "join", val: join }, () => {})).rejects.toThrow("none0");
  try {
    writeFileSync(`${paths.records()}/data`, "");
    expect(openToOthers(root)).toEqual([]);
    expect(openToOthers(paths.container(ID))).not.toEqual([]); // for anyone with access to it
  } finally {
    await content(3n, { tag: "unmount", val: ID }, () => {});
  }
});

test("the stdin of a container that was never started is removed with it", async ({ skip }) => {
  if (missing !== null) return skip(missing);
  const { replies: stdio, content } = await openHost();
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
