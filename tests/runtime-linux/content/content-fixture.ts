// Shared parts of the content tests: a content carrier on its own directories, fed from archives or a registry.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { content, engine, Outcome } from "../../../hosts/shared/host.js";
import { registryClient } from "../../../hosts/registry/client.js";
import { linuxContent, type LinuxContent } from "../../../runtime-linux/content.js";
import type { Tools } from "../../../runtime-linux/content/threads/jobs.js";
import type { Workers } from "../../../runtime-linux/content/threads/workers.js";
import type { Kernel } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { Logs } from "../../../runtime-linux/stdio/log.js";
import { tarOf } from "../../support/archives/images.js";
import { ROOMY } from "../../support/archives/tar.js";
import { digestOf } from "../../support/registry/push-image.js";

/** Why layers cannot be unpacked here; null if they can. */
export const missing = process.getuid?.() === 0 ? null : "needs root";
if (missing !== null) console.log(`skipped: content on Linux: ${missing}`);

export interface Told {
  phase: engine.Phase;
  current: number;
  total: number;
}

export interface Fixture {
  /** Its directory; another fixture may be opened on it. */
  root: string;
  paths: Paths;
  content: LinuxContent;
  /** Carries out a command and returns its outcome's value. */
  perform(command: content.ContentCommand, told?: Told[], op?: bigint): Promise<Outcome>;
  /** Unpacks tars, each on the previous one, and returns the chains. */
  stack(...tars: Uint8Array[]): Promise<string[]>;
  /** Unpacks one tar on a chain and returns the new chain. */
  layer(tar: Uint8Array, parent?: string, unflushed?: boolean): Promise<string>;
  /** A layer's directory. */
  diff(chain: string): string;
  /** Mounts a new container on a chain. */
  mount(chain?: string, bare?: boolean): Promise<{ id: string; rootfs: string }>;
  /** Stores an archive from a request's body. */
  ingest(
    archive: string,
    body: AsyncIterable<Uint8Array> | Uint8Array,
    limits?: content.TarLimits,
  ): Promise<engine.ArchivedFile[]>;
  /** Unpacks a request's body. */
  extract(command: Omit<content.Extract, "source">, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<Outcome>;
  close(): void;
}

/** `root`: the directory to use; a new one below /tmp if undefined. `workers`: who moves bytes, if not this thread.
 * `copiesWait`: copies are looked at by commands alone. */
export function openFixture(
  root = mkdtempSync(join(tmpdir(), "coracle-content-")),
  workers?: (tools: Tools) => Workers,
  kernel: Kernel = libc,
  copiesWait = false,
): Fixture {
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  const bodies = new Map<bigint, AsyncIterable<Uint8Array>>();
  const tools: Tools = { paths, kernel, registry: registryClient({ silenceMs: 500 }) };
  const logs = new Logs((container) => paths.log(container));
  const carrier = linuxContent({
    ...tools,
    log: async (container) => logs.open(container),
    bodies: {
      take: (request) => bodies.get(request)!,
      session: ({ session }) => bodies.get(session)!,
      upload: ({ session }) => bodies.get(session)!,
      credentials: () => Promise.reject(new Error("no client has credentials")),
      secret: () => Promise.reject(new Error("no client has secrets")),
      deliver: () => Promise.reject(new Error("no session")),
      agent: () => Promise.reject(new Error("no client has agents")),
      document: () => Promise.reject(new Error("no client has stores")),
      blob: ({ in: { session } }) => bodies.get(session)!,
      give: () => Promise.reject(new Error("no session")),
    },
    ...(workers === undefined ? {} : { workers: workers(tools) }),
  });
  let counter = 0n;
  const carriedOut: Fixture["perform"] = (command, told = [], op = ++counter) =>
    carrier.perform(op, command, (phase, current, total) =>
      told.push({ phase, current: Number(current), total: Number(total) }),
    );
  const perform: Fixture["perform"] = async (command, told, op) => {
    const outcome = await carriedOut(command, told, op);
    // A copy may wait until somebody asks for its files, and tests look at them without the carrier.
    if (command.tag !== "copy" || copiesWait) return outcome;
    await carriedOut({ tag: "stat", val: { view: command.val.into, path: "/", follow: true } });
    return outcome;
  };
  const ingest: Fixture["ingest"] = async (archive, body, limits = ROOMY) => {
    const request = ++counter;
    bodies.set(request, body instanceof Uint8Array ? once(body) : body);
    const outcome = await perform({ tag: "ingest", val: { archive, request, limits } });
    return outcome.tag === "ingested" ? outcome.val : [];
  };
  const layer: Fixture["layer"] = async (tar, parent, unflushed = false) => {
    const archive = `layer-${++counter}`;
    await ingest(archive, await tarOf([{ name: "layer.tar", body: tar }]));
    const diffId = digestOf(tar);
    const chain = chainOf(diffId, parent);
    const source = { tag: "archived" as const, val: { archive, path: "layer.tar" } };
    try {
      const below = parent === undefined ? {} : { parent };
      await perform({ tag: "layer", val: { chain, diffId, source, limits: ROOMY, anew: false, unflushed, ...below } });
    } finally {
      await perform({ tag: "drop-archive", val: archive });
    }
    return chain;
  };
  return {
    root,
    paths,
    content: carrier,
    perform,
    ingest,
    layer,
    stack: async (...tars) => {
      const chains: string[] = [];
      for (const tar of tars) chains.push(await layer(tar, chains.at(-1)));
      return chains;
    },
    diff: (chain) => paths.layers(chain.slice("sha256:".length), "diff"),
    mount: async (chain, bare = false) => {
      const id = randomBytes(32).toString("hex");
      await perform({ tag: "mount", val: { container: id, bare, ...(chain === undefined ? {} : { chain }) } });
      return { id, rootfs: paths.rootfs(id) };
    },
    extract: (command, body) => {
      const request = ++counter;
      bodies.set(request, body instanceof Uint8Array ? once(body) : body);
      return perform({ tag: "extract", val: { ...command, source: { tag: "body", val: request } } });
    },
    close: () => {
      for (const point of mountsBelow(root)) execFileSync("umount", ["--lazy", point]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** ChainID of a layer on a chain (OCI image spec, config.md). */
export function chainOf(diffId: string, parent?: string): string {
  return parent === undefined ? diffId : digestOf(Buffer.from(`${parent} ${diffId}`));
}

/** Mount points below a directory. */
export function mountsBelow(directory: string): string[] {
  const points = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "");
  return points.filter((point) => point.startsWith(`${directory}/`)).reverse();
}

export { failed } from "../../support/failed.js";

/** Names of everything below a directory, sorted. */
export function tree(directory: string): string[] {
  return (readdirSync(directory, { recursive: true }) as string[]).sort();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
