// Carries out `content` commands: registries, layers, containers' file systems, archives.

import { Unpacking, interrupted, malformed, mayBeGivenUp, noSuch } from "../../shared/index.js";
import type {
  Bodies,
  Clock,
  Operation,
  Outcome,
  Perform,
  Report,
  Work,
  content,
  engine,
  replies,
} from "../../shared/index.js";
import type { RegistryClient } from "../../registry/index.js";
import { blobsGiven, counted, filesSent, imagesSent, received } from "../../streams/index.js";
import { savedArchive } from "../../streams/tar/index.js";
import { Tree } from "../files/tree.js";
import { exportOf } from "./archive.js";
import { Archives } from "./archives.js";
import { compare } from "./changes.js";
import { changesOf } from "./commit.js";
import { choose, copy, download, readFileIn } from "./copy-files.js";
import { extract } from "./extract.js";
import { makeLayer } from "./layer.js";
import { listIn } from "./list-files.js";
import { layerTars, measuredTar } from "./layer-tars.js";
import { Uploads } from "./upload.js";
import { makeDirectoryIn, statIn, type Looks } from "./view.js";

export interface ContentDeps extends Looks {
  clock: Clock;
  bodies: Bodies;
  registry: RegistryClient;
  /** Resolves to the size of the copy. */
  keepLog: (kept: content.KeptLog) => Promise<number>;
}

export interface SimulatedContent {
  perform: Perform<content.ContentCommand>;
  /**
   * Cancels everything under way and forgets all archives, because the engine is gone. Resolves when everything has
   * stopped.
   */
  restart(): Promise<void>;
  /** Writes an archive of images. */
  saved(members: replies.SavedMember[]): AsyncIterable<Uint8Array>;
  /** For the inventory: chains whose top layer is complete. */
  chains(): string[];
  /** For the inventory: layers of which only a beginning is there. */
  rests(): engine.FoundRest[];
  /** For the inventory: containers whose file system is mounted. */
  mounts(): string[];
  /** For the inventory: containers that have anything on the disk. */
  containers(): string[];
}

export function simulatedContent(deps: ContentDeps): SimulatedContent {
  const carrier = new Carrier(deps);
  const { disk } = deps;
  return {
    perform: (op, command, report) => carrier.perform(op, command, report),
    restart: () => carrier.restart(),
    saved: (members) => savedArchive(members, layerTars(disk.layers)),
    chains: () => disk.layers.all(),
    rests: () => disk.layers.rests.found(),
    mounts: () => [...disk.containers].flatMap(([id, { mounted }]) => (mounted ? [id] : [])).sort(),
    containers: () => [...disk.containers.keys()].sort(),
  };
}

class Carrier {
  readonly #deps: ContentDeps;
  readonly #archives: Archives;
  readonly #uploads: Uploads;
  readonly #unpacking = new Unpacking();
  /** Operations under way, and how to cancel each. */
  readonly #underWay = new Map<Operation, { controller: AbortController; over: Promise<unknown> }>();

  constructor(deps: ContentDeps) {
    this.#deps = deps;
    this.#archives = new Archives(deps.disk.room);
    this.#uploads = new Uploads(deps.disk.layers, deps.registry);
  }

  async perform(op: Operation, command: content.ContentCommand, report: Report): Promise<Outcome> {
    const controller = new AbortController();
    const outcome = this.#do(command, report, controller.signal);
    const over = outcome.catch(() => {});
    this.#underWay.set(op, { controller, over });
    try {
      return await outcome;
    } catch (error) {
      if (controller.signal.aborted && mayBeGivenUp({ to: "content", command })) throw interrupted("given-up");
      throw error;
    } finally {
      this.#underWay.delete(op);
    }
  }

  async restart(): Promise<void> {
    const left = [...this.#underWay.values()];
    for (const { controller } of left) controller.abort();
    await Promise.all(left.map(({ over }) => over));
    this.#archives.clear();
    this.#deps.disk.layers.dropUnflushed();
  }

  async #do(command: content.ContentCommand, report: Report, signal: AbortSignal): Promise<Outcome> {
    const { registry, bodies, disk } = this.#deps;
    switch (command.tag) {
      case "resolve":
        return { tag: "resolved", val: await registry.resolve(command.val, signal) };
      case "tags":
        return { tag: "names", val: await registry.tags(command.val, signal) };
      case "blob":
        return { tag: "bytes", val: await registry.blob(command.val, signal) };
      case "search":
        return { tag: "bytes", val: await registry.search(command.val, signal) };
      case "login":
        return { tag: "token", val: await registry.login(command.val, signal) };
      case "layer":
        return { tag: "size", val: BigInt(await this.#layer(command.val, report, signal)) };
      case "blob-of":
        return { tag: "sent", val: this.#uploads.blobOf(command.val) };
      case "find-credentials":
        return { tag: "given", val: await bodies.credentials(command.val, signal) };
      case "hold-secret":
        disk.holdSecret(
          { ...command.val, container: checked(command.val.container) },
          await bodies.secret(command.val, signal),
        );
        return DONE;
      case "send-files": {
        const { session, container } = command.val;
        await bodies.deliver(session, filesSent(command.val, exportOf({ container }, disk), report), signal);
        return DONE;
      }
      case "send-images":
        await bodies.deliver(command.val.session, imagesSent(command.val, layerTars(disk.layers), report), signal);
        return DONE;
      case "read-document":
        return { tag: "bytes", val: await bodies.document(command.val, signal) };
      case "give-blobs":
        await bodies.give(command.val.to, blobsGiven(command.val, layerTars(disk.layers), report), signal);
        return DONE;
      case "forward-agent":
        // Its socket is there. No program of this world connects to sockets.
        await bodies.agent(command.val, signal);
        disk.holdAgent({ ...command.val, container: checked(command.val.container) });
        return DONE;
      case "find-blob":
        await registry.find(command.val, signal);
        return DONE;
      case "mount-blob":
        await registry.mount(command.val, signal);
        return DONE;
      case "upload":
        return { tag: "sent", val: await this.#uploads.upload(command.val, report, signal) };
      case "publish":
        await registry.publish(command.val, signal);
        return DONE;
      case "mount":
        disk.mount(checked(command.val.container), command.val.chain ?? null, command.val.bare);
        return DONE;
      case "unmount":
        disk.unmount(command.val);
        return DONE;
      case "measure":
        return { tag: "size", val: BigInt(disk.containers.get(command.val)?.share.used ?? 0) };
      case "measure-tar":
        return { tag: "size", val: BigInt(await measuredTar(command.val, disk.layers)) };
      case "free-space":
        return { tag: "size", val: BigInt(Math.max(disk.room.size - disk.room.used, 0)) };
      case "stat":
        return { tag: "stat", val: statIn(command.val, this.#deps) };
      case "make-directory":
        return { tag: "stat", val: makeDirectoryIn(command.val, this.#deps) };
      case "read-file":
        return { tag: "bytes", val: readFileIn(command.val, this.#deps) };
      case "list-files":
        return { tag: "listed", val: listIn(command.val, this.#deps) };
      case "choose":
        return { tag: "chosen", val: await choose(command.val, this.#deps, signal) };
      case "copy":
        await copy(command.val, this.#deps, signal);
        return DONE;
      case "download": {
        const { body, size, header } = await registry.download(command.val.source, signal);
        const answer = { header, body: counted(body, size, report) };
        return { tag: "downloaded", val: await download(command.val, answer, this.#deps) };
      }
      case "clone":
        throw noSuch("tool", "git");
      case "compare":
        return { tag: "changed", val: compare(command.val, disk) };
      case "extract":
        await extract(command.val, this.#deps, report, signal);
        return DONE;
      case "commit":
        return { tag: "committed", val: await this.#commit(command.val) };
      case "ingest": {
        const body = bodies.take(command.val.request);
        return { tag: "ingested", val: await this.#archives.ingest(command.val, body, signal) };
      }
      case "receive": {
        const { archive, source, unpacked } = command.val;
        const tar = received(source, { bodies, web: registry }, report, signal);
        return { tag: "received", val: await this.#archives.receive({ archive, unpacked }, tar, signal) };
      }
      case "read":
        return { tag: "bytes", val: this.#archives.read(command.val) };
      case "flush-layers":
        disk.layers.flush(command.val);
        return DONE;
      case "drop-chain":
        disk.layers.drop(command.val);
        this.#uploads.forget(command.val);
        return DONE;
      case "keep-log": {
        const { container, copy } = command.val;
        const kept = { container, copy: { ...copy, container: checked(copy.container) } };
        return { tag: "size", val: BigInt(await this.#deps.keepLog(kept)) };
      }
      case "drop-container":
        disk.dropContainer(command.val);
        return DONE;
      case "drop-archive":
        this.#archives.drop(command.val);
        return DONE;
      case "abandon":
        this.#underWay.get(command.val)?.controller.abort();
        return DONE;
    }
  }

  /** Returns the size of the layer's files in bytes. A complete layer is not made again. */
  async #layer(layer: content.Layer, report: Report, signal: AbortSignal): Promise<number> {
    const { disk, clock, registry } = this.#deps;
    const { layers } = disk;
    const member = (wanted: content.Member): Uint8Array => this.#archives.member(wanted);
    const settled = (chain: string): Promise<void> => this.#unpacking.settled(chain);
    const deps = { layers, clock, registry, member, settled };
    const work: Work = async (told, stop) =>
      (layer.anew ? undefined : layers.layer(layer.chain)?.size) ?? makeLayer(layer, deps, told, stop);
    return this.#unpacking.ask(layer.chain, work, report, signal);
  }

  async #commit({
    archive,
    container,
    mountPoints,
  }: content.Commit): Promise<ReturnType<typeof changesOf>["committed"]> {
    const { containers, room } = this.#deps.disk;
    // A container that was never mounted has changed nothing.
    const { bytes, committed } = changesOf(containers.get(container)?.tree ?? new Tree(room), mountPoints);
    await this.#archives.keep(archive, "layer.tar", bytes);
    return committed;
  }
}

/** Checks that the id is 64 hex digits. */
function checked(container: string): string {
  if (!/^[0-9a-f]{64}$/.test(container)) throw malformed("container-id", container);
  return container;
}

const DONE: Outcome = { tag: "done" };
