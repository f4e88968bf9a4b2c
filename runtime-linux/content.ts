// Carries out `content` commands: registries, layers, containers' file systems, archives.

import { join } from "node:path";
import { Unpacking, mayBeGivenUp } from "../hosts/shared/index.js";
import type {
  Bodies,
  Operation,
  Outcome,
  Perform,
  Report,
  Stdio,
  Work,
  content,
  engine,
  processes,
  replies,
  types,
} from "../hosts/shared/index.js";
import type { Registry } from "./content/registry.js";
import { Agents } from "./content/agents.js";
import { Archives } from "./content/archives.js";
import { exportOf } from "./content/files/archive.js";
import { Copies } from "./content/copies.js";
import { compare } from "./content/files/changes.js";
import { readFileIn } from "./content/files/copy-files.js";
import { extract, ownerIn } from "./content/files/extract.js";
import { checked, Filesystems } from "./content/filesystems.js";
import { clone } from "./content/git.js";
import { Contexts } from "./content/held/contexts.js";
import { sentTarFor } from "./content/held/sent-tar.js";
import { keepLog } from "./content/kept-log.js";
import { makeLayer } from "./content/layers/layer.js";
import { layerTars } from "./content/layers/layer-tars.js";
import { Layers } from "./content/layers/layers.js";
import { Uploads } from "./content/layers/upload.js";
import { given } from "./content/threads/given.js";
import { inPlace } from "./content/threads/jobs.js";
import type { Workers } from "./content/threads/workers.js";
import { listIn } from "./content/files/list-files.js";
import { makeDirectoryIn, statIn } from "./content/files/stat.js";
import { openView } from "./content/files/view.js";
import {
  Transfer,
  blobsGiven,
  counted,
  entriesOf,
  filesSent,
  fromClient,
  imagesSent,
  received,
} from "../hosts/streams/index.js";
import { describedBy, modifiedAt } from "../hosts/streams/copying/index.js";
import { savedArchive } from "../hosts/streams/tar/index.js";
import type { LayerTars } from "../hosts/streams/tar/index.js";
import type { Kernel } from "./kernel.js";
import { freeSpace } from "./machine/storage.js";
import type { Paths } from "./paths.js";
import { UNTOLD, type Swept } from "./swept.js";
import { UnderWay } from "./under-way.js";

export interface ContentDeps {
  paths: Paths;
  kernel: Kernel;
  bodies: Bodies;
  registry: Registry;
  /** Opens the log of a container. */
  log: Stdio["log"];
  /** Move bytes; by default the calling thread does. */
  workers?: Workers;
  swept?: Swept;
}

export interface LinuxContent {
  perform: Perform<content.ContentCommand>;
  /** Removes all archives and whatever a crash has left half made. Call it when nothing is in flight. */
  sweep(): Promise<void>;
  /** An archive of images. */
  saved(members: replies.SavedMember[]): AsyncIterable<Uint8Array>;
  /** For the inventory: chains whose top layer is complete. */
  chains(): string[];
  /** For the inventory: layers of which only a beginning is there. */
  rests(): engine.FoundRest[];
  /** For the inventory: containers whose file system is mounted. */
  mounts(): string[];
  /** For the inventory: containers that have anything on disk. */
  containers(): string[];
  /** Resolves when all other files that a run mounts are on disk. */
  ready(launch: processes.Launch, signal: AbortSignal): Promise<void>;
  /** No client is reached any more. */
  close(): void;
}

export function linuxContent(deps: ContentDeps): LinuxContent {
  const carrier = new Carrier(deps);
  return {
    perform: (op, command, report) => carrier.perform(op, command, report),
    sweep: async () => {
      const { swept = UNTOLD } = deps;
      await carrier.layers.sweep(swept, carrier.filesystems.mounts().length > 0);
      await carrier.archives.sweep(swept);
    },
    saved: (members) => savedArchive(members, carrier.tars),
    chains: () => carrier.layers.all(),
    rests: () => carrier.layers.restsFound(),
    mounts: () => carrier.filesystems.mounts(),
    containers: () => carrier.containers(),
    ready: (launch, signal) => carrier.ready(launch, signal),
    close: () => carrier.agents.closeAll(),
  };
}

class Carrier {
  readonly layers: Layers;
  readonly agents: Agents;
  readonly archives: Archives;
  readonly filesystems: Filesystems;
  readonly tars: LayerTars;
  readonly #deps: ContentDeps;
  readonly #workers: Workers;
  readonly #uploads: Uploads;
  /** Which layers are being sent where. */
  readonly #uploading = new Set<string>();
  readonly #contexts: Contexts;
  readonly #copies: Copies;
  readonly #unpacking = new Unpacking();
  readonly #underWay = new UnderWay();
  /** Where the files are that may move into the layer of an archive: upper directories by the archive's id. */
  readonly #spent = new Map<string, string>();

  constructor(deps: ContentDeps) {
    this.#deps = deps;
    this.layers = new Layers(deps.paths, deps.kernel);
    this.#workers = deps.workers ?? inPlace(deps);
    this.agents = new Agents(deps.paths);
    this.archives = new Archives(deps.paths, this.#workers);
    this.filesystems = new Filesystems(deps.paths, deps.kernel, this.layers);
    this.#contexts = new Contexts({
      paths: deps.paths,
      workers: this.#workers,
      here: inPlace(deps),
      mount: (mount) => this.filesystems.mount(mount),
    });
    this.#copies = new Copies(deps.paths, this.#workers);
    const tars = layerTars(this.layers);
    this.tars = { size: (chain) => this.#size(chain), tar: (chain) => this.#tar(chain) };
    this.#uploads = new Uploads(this.layers, tars, deps.registry);
  }

  containers(): string[] {
    return [...new Set([...this.filesystems.containers(), ...this.#contexts.all()])].sort();
  }

  async ready(launch: processes.Launch, signal: AbortSignal): Promise<void> {
    await this.#contexts.readyFor(launch, signal);
    await this.#copies.readyFor(launch, signal);
  }

  perform(op: Operation, command: content.ContentCommand, report: Report): Promise<Outcome> {
    if (!mayBeGivenUp({ to: "content", command })) return this.#do(command, report, NEVER);
    return this.#underWay.run(op, (signal) => this.#do(command, report, signal));
  }

  async #do(command: content.ContentCommand, report: Report, signal: AbortSignal): Promise<Outcome> {
    const { registry, bodies } = this.#deps;
    for (const container of this.#onDisk(command)) {
      await this.#contexts.ready(container, signal);
      if (!this.#takesCopy(command)) await this.#copies.ready(container, signal);
    }
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
        return { tag: "sent", val: await this.#uploads.blobOf(command.val) };
      case "find-credentials":
        return { tag: "given", val: await bodies.credentials(command.val, signal) };
      case "hold-secret":
        await this.filesystems.holdSecret(command.val, await bodies.secret(command.val, signal));
        return DONE;
      case "send-files":
        await this.#sendFiles(command.val, report, signal);
        return DONE;
      case "send-images":
        await bodies.deliver(command.val.session, imagesSent(command.val, this.tars, report), signal);
        return DONE;
      case "read-document":
        return { tag: "bytes", val: await bodies.document(command.val, signal) };
      case "give-blobs":
        await bodies.give(command.val.to, blobsGiven(command.val, this.tars, report), signal);
        return DONE;
      case "forward-agent": {
        const agent = await bodies.agent(command.val, signal);
        await this.filesystems.mountInMemory(command.val.container, () => this.agents.listen(command.val, agent));
        return DONE;
      }
      case "find-blob":
        await registry.find(command.val, signal);
        return DONE;
      case "mount-blob":
        await registry.mount(command.val, signal);
        return DONE;
      case "upload":
        return { tag: "sent", val: await this.#upload(command.val, report, signal) };
      case "publish":
        await registry.publish(command.val, signal);
        return DONE;
      case "mount":
        if (!this.#contexts.begin(command.val)) await this.filesystems.mount(command.val);
        return DONE;
      case "unmount":
        this.agents.close(command.val);
        await this.#copies.spare(command.val);
        if (!this.#contexts.has(command.val)) await this.filesystems.unmount(command.val);
        return DONE;
      case "measure":
        return { tag: "size", val: await this.filesystems.measure(command.val) };
      case "measure-tar":
        return { tag: "size", val: BigInt(await this.#measureTar(command.val)) };
      case "free-space":
        return { tag: "size", val: await freeSpace(this.#deps.paths.roots.data) };
      case "stat":
        return { tag: "stat", val: this.#stat(command.val) };
      case "make-directory":
        return { tag: "stat", val: this.#makeDirectory(command.val) };
      case "extract":
        await this.#extract(command.val, report, signal);
        return DONE;
      case "read-file":
        return { tag: "bytes", val: await this.#readFile(command.val, signal) };
      case "list-files":
        return { tag: "listed", val: this.#list(command.val) };
      case "choose":
        return { tag: "chosen", val: await this.#readers(command.val.from).run("choose", command.val, { signal }) };
      case "copy":
        await this.#copies.copy(command.val, signal);
        return DONE;
      case "download":
        return { tag: "downloaded", val: await this.#download(command.val, report, signal) };
      case "clone":
        return { tag: "bytes", val: await this.#clone(command.val, signal) };
      case "compare":
        return { tag: "changed", val: await compare(command.val, this.#deps, this.layers) };
      case "commit":
        return { tag: "committed", val: await this.#commit(command.val, signal) };
      case "ingest":
        return {
          tag: "ingested",
          val: await this.archives.ingest(command.val, bodies.take(command.val.request), signal),
        };
      case "receive": {
        const { archive, source, unpacked } = command.val;
        const tar = (over: AbortSignal): AsyncIterable<Uint8Array> =>
          received(source, { bodies, web: registry }, report, over);
        return { tag: "received", val: await this.archives.receive({ archive, unpacked }, tar, signal) };
      }
      case "read":
        return { tag: "bytes", val: await this.archives.read(command.val) };
      case "flush-layers":
        await this.layers.flush(command.val);
        return DONE;
      case "drop-chain":
        await this.layers.drop(command.val);
        return DONE;
      case "keep-log":
        return { tag: "size", val: await keepLog(command.val, this.#deps) };
      case "drop-container":
        this.agents.close(command.val);
        await this.#copies.spare(command.val);
        await this.#contexts.forget(command.val);
        await this.#copies.forget(command.val);
        await this.filesystems.drop(command.val);
        return DONE;
      case "drop-archive":
        this.#spent.delete(command.val);
        await this.archives.drop(command.val);
        return DONE;
      case "abandon":
        this.#underWay.abandon(command.val);
        return DONE;
    }
  }

  /** Returns the size of the layer's files in bytes. A complete layer is not made again. */
  async #layer(layer: content.Layer, report: Report, signal: AbortSignal): Promise<number> {
    const deps = {
      layers: this.layers,
      workers: this.#workers,
      member: (member: content.Member) => this.archives.member(member),
      spent: ({ archive }: content.Member) => this.#spent.get(archive) ?? null,
      settled: (chain: string) => this.#unpacking.settled(chain),
    };
    const work: Work = async (told, stop) => {
      const dropped = this.layers.dropped(layer.chain);
      if (dropped !== undefined) await dropped;
      return (layer.anew ? undefined : this.layers.record(layer.chain)?.size) ?? makeLayer(layer, deps, told, stop);
    };
    return this.#unpacking.ask(layer.chain, work, report, signal);
  }

  /** Containers whose files the command needs on disk. */
  #onDisk(command: content.ContentCommand): string[] {
    const read = (view: types.View): string[] => (this.#contexts.readers(view) ? [] : [view.container]);
    switch (command.tag) {
      case "stat":
        return [command.val.view.container];
      case "make-directory":
      case "list-files":
        return [command.val.at.view.container];
      case "compare":
      case "commit":
      case "send-files":
        return [command.val.container];
      case "measure":
        return [command.val];
      case "read-file":
        return read(command.val.at.view);
      case "choose":
        return read(command.val.from);
      case "copy": {
        const { into, what } = command.val;
        return [into.container, ...(what.tag === "files" ? read(what.val.from) : [])];
      }
      case "download":
      case "clone":
        return [command.val.into.view.container];
      case "extract":
        return this.#contexts.takes(command.val) ? [] : [command.val.into.view.container];
      default:
        return [];
    }
  }

  /** A commit whose layer is just what was copied. */
  #takesCopy(command: content.ContentCommand): boolean {
    if (command.tag !== "commit") return false;
    const { container, spent, mountPoints } = command.val;
    return spent && mountPoints.length === 0 && this.#copies.has(container);
  }

  #readers(view: types.View): Workers {
    return this.#contexts.readers(view) ?? this.#workers;
  }

  #readFile(file: content.ReadFile, signal: AbortSignal): Promise<Uint8Array> {
    const readers = this.#contexts.readers(file.at.view);
    return readers === undefined ? readFileIn(file, this.#deps) : readers.run("read", file, { signal });
  }

  /** A build's context may have any number of files. What is copied to a container is seldom worth a thread's start. */
  async #extract(command: content.Extract, report: Report, signal: AbortSignal): Promise<void> {
    const before = await sentTarFor(command.source, this.#deps.paths);
    const transfer = new Transfer(report);
    const body = (over: AbortSignal): AsyncIterable<Uint8Array> =>
      fromClient(entriesOf(command.source, this.#deps.bodies, before, transfer.came), over);
    try {
      if (this.#contexts.takes(command)) await this.#contexts.hold(command, body, (tar) => before?.keep(tar), signal);
      else if (!command.scratch) await extract(command, () => body(signal), this.#deps, signal);
      else await this.#workers.run("extract", command, { signal, body });
      transfer.end();
    } finally {
      await before?.close();
    }
  }

  #sendFiles(sent: content.SentFiles, report: Report, signal: AbortSignal): Promise<void> {
    const tar = exportOf({ container: sent.container }, this.#deps);
    return this.#deps.bodies.deliver(sent.session, filesSent(sent, tar, report), signal);
  }

  async #upload(upload: content.Upload, report: Report, signal: AbortSignal): Promise<engine.SentBlob> {
    await this.#size(upload.chain);
    const { chain, to } = upload;
    const what = JSON.stringify([chain, to.endpoint.authority, to.repository]);
    const isSecond = this.#uploading.has(what);
    this.#uploading.add(what);
    try {
      return await this.#workers.run(
        "upload",
        { upload, known: this.layers.known(chain), isSecond },
        { signal, report },
      );
    } finally {
      if (!isSecond) this.#uploading.delete(what);
    }
  }

  /** A layer of an older engine has no size in its record. It is counted once, not again for each push. */
  async #size(chain: string): Promise<number> {
    const { record } = this.layers.known(chain);
    record.tar ??= { size: await this.#workers.run("length", { chain, record }, { signal: NEVER }), as: "blob" };
    return record.tar.size;
  }

  /** To verify it, its checks are made while it is read. */
  async #measureTar({ chain, verify }: content.MeasuredTar): Promise<number> {
    if (!verify) return this.tars.size(chain);
    let size = 0;
    for await (const piece of this.tars.tar(chain)) size += piece.length;
    return size;
  }

  async #download(
    { into, limit, source }: content.Download,
    report: Report,
    signal: AbortSignal,
  ): Promise<engine.Downloaded> {
    const { body, size, header, cancel } = await this.#deps.registry.download(source, signal);
    try {
      const incoming = { into, limit, modified: modifiedAt(header("last-modified")) };
      const wants = { signal, body: () => counted(body, size, report) };
      return { ...(await this.#workers.run("download", incoming, wants)), ...describedBy(header) };
    } catch (error) {
      cancel();
      throw error;
    }
  }

  /** No process runs in the place that it is put in. */
  async #clone(command: content.Clone, signal: AbortSignal): Promise<Uint8Array> {
    const { view, path } = command.into;
    const directory = join(this.#deps.paths.rootfs(checked(view.container)), path);
    const measure = (): Promise<bigint> => this.filesystems.measure(view.container);
    return Buffer.from(await clone(command, { directory, measure, signal }));
  }

  #tar(chain: string): AsyncIterable<Uint8Array> {
    const known = this.layers.known(chain);
    return given((give, signal) => this.#workers.run("tar", known, { signal, give }));
  }

  #stat({ view: wanted, path, follow }: types.FileAt): engine.FileStat {
    const view = openView(wanted, this.#deps);
    try {
      return statIn(view, path, follow);
    } finally {
      view.close();
    }
  }

  #list(listing: content.Listing): engine.ListedFile[] {
    const view = openView(listing.at.view, this.#deps);
    try {
      return listIn(view, listing);
    } finally {
      view.close();
    }
  }

  #makeDirectory({ at, owner }: content.NewDirectory): engine.FileStat {
    const view = openView(at.view, this.#deps);
    try {
      return makeDirectoryIn(view, at.path, owner === undefined ? null : ownerIn(view, owner));
    } finally {
      view.close();
    }
  }

  async #commit(command: content.Commit, signal: AbortSignal): Promise<engine.Committed> {
    const { archive, container, chain, mountPoints, spent } = command;
    if (this.#takesCopy({ tag: "commit", val: command })) {
      return this.archives.make(archive, (directory) => this.#copies.take(container, `${directory}/layer.tar`));
    }
    const upper = this.#deps.paths.upper(checked(container));
    const changes = {
      upper,
      mountPoints,
      lower: mountPoints.length === 0 ? [] : this.layers.lower(chain),
      alone: this.filesystems.isAlone(container),
    };
    const committed = await this.archives.make(archive, (directory) =>
      this.#workers.run("commit", { ...changes, file: `${directory}/layer.tar` }, { signal }),
    );
    if (!spent || this.#contexts.has(container)) return committed;
    // Files must not leave an upper directory that is mounted.
    await this.filesystems.unmount(container);
    this.#spent.set(archive, upper);
    return committed;
  }
}

const DONE: Outcome = { tag: "done" };
const NEVER = new AbortController().signal;
