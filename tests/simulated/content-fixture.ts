// Shared parts of the tests of the simulated world's content: a disk, a clock that does not wait, and the registries.

import type { content, engine, Outcome, types, volumes } from "../../hosts/shared/host.js";
import { registryClient, type RegistryClient } from "../../hosts/registry/client.js";
import type { Transport } from "../../hosts/registry/transport.js";
import { simulatedContent, type SimulatedContent } from "../../hosts/simulated/content/content.js";
import { Disk } from "../../hosts/simulated/files/disk.js";
import type { FileSystem } from "../../hosts/simulated/files/file-system.js";
import { Catalogue } from "../../hosts/simulated/registry/catalogue.js";
import { RegistryNetwork } from "../../hosts/simulated/registry/transport.js";
import { simulatedVolumes } from "../../hosts/simulated/volumes.js";
import { WorldFaults } from "../../hosts/simulated/world-faults.js";
import { WorldTime } from "../../hosts/simulated/world-time.js";
import { ROOMY, rawTar } from "../support/archives/tar.js";
import { digestOf } from "../support/registry/push-image.js";
import { SECURE } from "../support/registry/security.js";

export interface Told {
  phase: engine.Phase;
  current: number;
  total: number;
}

export interface FixtureOptions {
  size?: number;
  elsewhere?: Transport;
  /** Speed of the registries in bytes per second. */
  bytesPerSecond?: number;
}

export class Fixture {
  readonly time = new WorldTime({ pace: "fast" });
  readonly faults = new WorldFaults();
  readonly disk: Disk;
  readonly network: RegistryNetwork;
  readonly registry: RegistryClient;
  readonly content: SimulatedContent;
  readonly #bodies = new Map<bigint, AsyncIterable<Uint8Array>>();
  #counter = 0n;

  constructor({ size = 1 << 30, elsewhere, bytesPerSecond = 20_000_000 }: FixtureOptions = {}) {
    const { time: clock, faults } = this;
    this.disk = new Disk({ size, faults, now: () => clock.now().wall });
    const beyond = <T>(pending: Promise<T>): Promise<T> => clock.beyond(pending);
    this.network = new RegistryNetwork({ catalogue: CATALOGUE, clock, faults, elsewhere, beyond, bytesPerSecond });
    this.registry = registryClient({ transport: this.network.transport, clock });
    const bodies = {
      take: (request: bigint) => this.#bodies.get(request)!,
      session: () => this.#bodies.get(1n)!,
      upload: () => this.#bodies.get(1n)!,
      credentials: () => Promise.reject(new Error("no client has credentials")),
      secret: () => Promise.reject(new Error("no client has secrets")),
      deliver: () => Promise.reject(new Error("no session")),
      agent: () => Promise.reject(new Error("no client has agents")),
      document: () => Promise.reject(new Error("no client has stores")),
      blob: () => this.#bodies.get(1n)!,
      give: () => Promise.reject(new Error("no session")),
    };
    const keepLog = (): Promise<never> => Promise.reject(new Error("no container has a log"));
    this.content = simulatedContent({
      ...{ filesOf: () => null, disk: this.disk, clock },
      ...{ bodies, registry: this.registry, keepLog },
    });
  }

  perform(command: content.ContentCommand, told: Told[] = [], op = ++this.#counter): Promise<Outcome> {
    return this.content.perform(op, command, (phase, current, total) =>
      told.push({ phase, current: Number(current), total: Number(total) }),
    );
  }

  async volumes(command: volumes.VolumeCommand): Promise<void> {
    await simulatedVolumes(this.disk).perform(++this.#counter, command, () => {});
  }

  async ingest(
    archive: string,
    body: AsyncIterable<Uint8Array> | Uint8Array,
    limits = ROOMY,
  ): Promise<engine.ArchivedFile[]> {
    const request = ++this.#counter;
    this.#bodies.set(request, body instanceof Uint8Array ? once(body) : body);
    const outcome = await this.perform({ tag: "ingest", val: { archive, request, limits } });
    return outcome.tag === "ingested" ? outcome.val : [];
  }

  /** Unpacks one tar on a chain and returns the new chain. */
  async layer(tar: Uint8Array, parent?: string, unflushed = false): Promise<string> {
    const archive = `layer-${++this.#counter}`;
    await this.ingest(archive, rawTar([{ name: "layer.tar", body: tar }]));
    const chain = await this.unpack(archive, digestOf(tar), parent, unflushed);
    await this.perform({ tag: "drop-archive", val: archive });
    return chain;
  }

  /** The same from an archive's `layer.tar`. */
  async unpack(archive: string, diffId: string, parent?: string, unflushed = false): Promise<string> {
    const chain = chainOf(diffId, parent);
    const source = { tag: "archived" as const, val: { archive, path: "layer.tar" } };
    const below = parent === undefined ? {} : { parent };
    await this.perform({
      tag: "layer",
      val: { chain, diffId, source, limits: ROOMY, anew: false, unflushed, ...below },
    });
    return chain;
  }

  /** Mounts a new container on a chain: its id and its files. */
  async mount(chain?: string, bare = false): Promise<{ id: string; files: FileSystem }> {
    const id = (++this.#counter).toString(16).padStart(64, "0");
    await this.perform({ tag: "mount", val: { container: id, bare, ...(chain === undefined ? {} : { chain }) } });
    return { id, files: this.disk.mountView(id, { mounts: [] }) };
  }

  /** The layers of an image, as the core would request them; `index`: which of its platforms. */
  async pulled(repository: string, tag: string, index = 0): Promise<content.Layer[]> {
    const from = at(repository);
    const list = await this.#resolve<List>(from, tag);
    const manifest = await this.#resolve<Manifest>(from, list.manifests[index]!.digest);
    const { digest, size } = manifest.config;
    const config = parse<Config>(await this.perform({ tag: "blob", val: { from, digest, size: BigInt(size) } }));
    const layers: content.Layer[] = [];
    for (const [place, blob] of manifest.layers.entries()) {
      const parent = layers[place - 1]?.chain;
      const diffId = config.rootfs.diff_ids[place]!;
      const source = { tag: "registry" as const, val: { from, digest: blob.digest, size: BigInt(blob.size) } };
      const below = parent === undefined ? {} : { parent };
      layers.push({
        chain: chainOf(diffId, parent),
        diffId,
        source,
        limits: ROOMY,
        anew: false,
        unflushed: false,
        ...below,
      });
    }
    return layers;
  }

  async #resolve<T>(from: content.ListTags, reference: string): Promise<T> {
    return parse<T>(await this.perform({ tag: "resolve", val: { ...from, reference, accept: ACCEPT } }));
  }
}

interface Descriptor {
  digest: string;
  size: number;
}

interface List {
  manifests: Descriptor[];
}

interface Manifest {
  config: Descriptor;
  layers: Descriptor[];
}

interface Config {
  rootfs: { diff_ids: string[] };
}

/** A repository of the Hub, or of the registry at the beginning of its name. */
export function at(repository: string, credentials?: types.Credentials): content.ListTags {
  const [, authority = "registry-1.docker.io", path = ""] = /^(?:([^/]*\.[^/]*)\/)?(.*)$/.exec(repository) ?? [];
  const endpoint = { authority, security: SECURE };
  return { endpoint, repository: path, limit: 4 << 20, ...(credentials ? { credentials } : {}) };
}

export function credentials(username: string, password: string): types.Credentials {
  return { username, password, identityToken: "", registryToken: "", meta: "" };
}

/** ChainID of a layer on a chain (OCI image spec, config.md). */
export function chainOf(diffId: string, parent?: string): string {
  return parent === undefined ? diffId : digestOf(Buffer.from(`${parent} ${diffId}`));
}

export { failed } from "../support/failed.js";

/** All files of a tree, one per line, sorted: their types and contents. */
export function listing(files: Pick<FileSystem, "list" | "linkStatus" | "read">, directory = ""): string[] {
  return files.list(directory || "/").flatMap((name) => {
    const path = `${directory}/${name}`;
    const { kind, mode, uid, gid, target, links } = files.linkStatus(path);
    const content = kind === "file" ? ` ${digestOf(files.read(path)).slice(7, 19)} ${links}` : target && ` ${target}`;
    const line = `${path} ${kind} ${mode.toString(8)} ${uid}:${gid}${content}`;
    return [line, ...(kind === "directory" ? listing(files, path) : [])];
  });
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function parse<T>(outcome: Outcome): T {
  const bytes = outcome.tag === "resolved" ? outcome.val.bytes : outcome.tag === "bytes" ? outcome.val : null;
  return JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array(0))) as T;
}

const ACCEPT = [
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];
/** Shared by all tests: it is always the same. */
const CATALOGUE = new Catalogue();
