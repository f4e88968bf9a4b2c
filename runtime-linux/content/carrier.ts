// Carries out each `content` command, after what it needs of a build's context or of a copy is on disk.

import { mayBeGivenUp } from "../../hosts/shared/index.js";
import type { Bodies, Operation, Outcome, Report, Stdio, content, processes, types } from "../../hosts/shared/index.js";
import { blobsGiven, filesSent, imagesSent, received } from "../../hosts/streams/index.js";
import type { LayerTars } from "../../hosts/streams/tar/index.js";
import type { Kernel } from "../kernel.js";
import { freeSpace } from "../machine/storage.js";
import type { Paths } from "../paths.js";
import type { Swept } from "../swept.js";
import { UnderWay } from "../under-way.js";
import { Agents } from "./agents.js";
import { Archives } from "./archives.js";
import { Commits } from "./commits.js";
import { Copies } from "./copies.js";
import { exportOf } from "./files/archive.js";
import { compare } from "./files/changes.js";
import { readFileIn } from "./files/copy-files.js";
import { listOf, newDirectory, statOf } from "./files/viewed.js";
import { Filesystems } from "./filesystems.js";
import { Contexts } from "./held/contexts.js";
import { neededOnDisk, takesCopy } from "./held/needed.js";
import { Incoming } from "./incoming.js";
import { keepLog } from "./kept-log.js";
import { LayerWork } from "./layers/layer-work.js";
import { Layers } from "./layers/layers.js";
import type { Registry } from "./registry.js";
import { inPlace } from "./threads/jobs.js";
import type { Workers } from "./threads/workers.js";

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

export class Carrier {
  readonly layers: Layers;
  readonly agents: Agents;
  readonly archives: Archives;
  readonly filesystems: Filesystems;
  readonly tars: LayerTars;
  readonly #deps: ContentDeps;
  readonly #workers: Workers;
  readonly #layerWork: LayerWork;
  readonly #contexts: Contexts;
  readonly #copies: Copies;
  readonly #incoming: Incoming;
  readonly #commits: Commits;
  readonly #underWay = new UnderWay();

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
    const rooms = {
      ...deps,
      workers: this.#workers,
      layers: this.layers,
      archives: this.archives,
      filesystems: this.filesystems,
      contexts: this.#contexts,
      copies: this.#copies,
    };
    this.#incoming = new Incoming(rooms);
    this.#commits = new Commits(rooms);
    this.#layerWork = new LayerWork({ ...rooms, spent: (member) => this.#commits.spent(member) });
    this.tars = this.#layerWork.tars;
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
    for (const container of neededOnDisk(command, this.#contexts)) {
      await this.#contexts.ready(container, signal);
      const isTaken = command.tag === "commit" && takesCopy(command.val, this.#copies);
      if (!isTaken) await this.#copies.ready(container, signal);
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
        return { tag: "size", val: BigInt(await this.#layerWork.make(command.val, report, signal)) };
      case "blob-of":
        return { tag: "sent", val: await this.#layerWork.blobOf(command.val) };
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
        return { tag: "sent", val: await this.#layerWork.upload(command.val, report, signal) };
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
        return { tag: "size", val: BigInt(await this.#layerWork.measureTar(command.val)) };
      case "free-space":
        return { tag: "size", val: await freeSpace(this.#deps.paths.roots.data) };
      case "stat":
        return { tag: "stat", val: statOf(command.val, this.#deps) };
      case "make-directory":
        return { tag: "stat", val: newDirectory(command.val, this.#deps) };
      case "extract":
        await this.#incoming.extract(command.val, report, signal);
        return DONE;
      case "read-file":
        return { tag: "bytes", val: await this.#readFile(command.val, signal) };
      case "list-files":
        return { tag: "listed", val: listOf(command.val, this.#deps) };
      case "choose":
        return { tag: "chosen", val: await this.#readers(command.val.from).run("choose", command.val, { signal }) };
      case "copy":
        await this.#copies.copy(command.val, signal);
        return DONE;
      case "download":
        return { tag: "downloaded", val: await this.#incoming.download(command.val, report, signal) };
      case "clone":
        return { tag: "bytes", val: await this.#incoming.clone(command.val, signal) };
      case "compare":
        return { tag: "changed", val: await compare(command.val, this.#deps, this.layers) };
      case "commit":
        return { tag: "committed", val: await this.#commits.commit(command.val, signal) };
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
        this.#commits.forget(command.val);
        await this.archives.drop(command.val);
        return DONE;
      case "abandon":
        this.#underWay.abandon(command.val);
        return DONE;
    }
  }

  #readers(view: types.View): Workers {
    return this.#contexts.readers(view) ?? this.#workers;
  }

  #readFile(file: content.ReadFile, signal: AbortSignal): Promise<Uint8Array> {
    const readers = this.#contexts.readers(file.at.view);
    return readers === undefined ? readFileIn(file, this.#deps) : readers.run("read", file, { signal });
  }

  #sendFiles(sent: content.SentFiles, report: Report, signal: AbortSignal): Promise<void> {
    const tar = exportOf({ container: sent.container }, this.#deps);
    return this.#deps.bodies.deliver(sent.session, filesSent(sent, tar, report), signal);
  }
}

const DONE: Outcome = { tag: "done" };
const NEVER = new AbortController().signal;
