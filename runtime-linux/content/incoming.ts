// Commands that put files into a container: from a client, a web server or a git repository.

import { join } from "node:path";
import type { Bodies, Report, content, engine } from "../../hosts/shared/index.js";
import { Transfer, counted, entriesOf, fromClient } from "../../hosts/streams/index.js";
import { describedBy, modifiedAt } from "../../hosts/streams/copying/index.js";
import type { Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import { extract } from "./files/extract.js";
import { checked, type Filesystems } from "./filesystems.js";
import { clone } from "./git.js";
import type { Contexts } from "./held/contexts.js";
import { sentTarFor } from "./held/sent-tar.js";
import type { Registry } from "./registry.js";
import type { Workers } from "./threads/workers.js";

export interface IncomingDeps {
  paths: Paths;
  kernel: Kernel;
  bodies: Bodies;
  registry: Registry;
  workers: Workers;
  filesystems: Filesystems;
  contexts: Contexts;
}

export class Incoming {
  readonly #deps: IncomingDeps;

  constructor(deps: IncomingDeps) {
    this.#deps = deps;
  }

  /** A build's context may have any number of files. What is copied to a container is seldom worth a thread's start. */
  async extract(command: content.Extract, report: Report, signal: AbortSignal): Promise<void> {
    const { bodies, contexts, paths, workers } = this.#deps;
    const before = await sentTarFor(command.source, paths);
    const transfer = new Transfer(report);
    const body = (over: AbortSignal): AsyncIterable<Uint8Array> =>
      fromClient(entriesOf(command.source, bodies, before, transfer.came), over);
    try {
      if (contexts.takes(command)) await contexts.hold(command, body, (tar) => before?.keep(tar), signal);
      else if (!command.scratch) await extract(command, () => body(signal), this.#deps, signal);
      else await workers.run("extract", command, { signal, body });
      transfer.end();
    } finally {
      await before?.close();
    }
  }

  async download(
    { into, limit, source }: content.Download,
    report: Report,
    signal: AbortSignal,
  ): Promise<engine.Downloaded> {
    const { registry, workers } = this.#deps;
    const { body, size, header, cancel } = await registry.download(source, signal);
    try {
      const incoming = { into, limit, modified: modifiedAt(header("last-modified")) };
      const wants = { signal, body: () => counted(body, size, report) };
      return { ...(await workers.run("download", incoming, wants)), ...describedBy(header) };
    } catch (error) {
      cancel();
      throw error;
    }
  }

  /** No process runs in the place that it is put in. Returns the commit's id. */
  async clone(command: content.Clone, signal: AbortSignal): Promise<Uint8Array> {
    const { view, path } = command.into;
    const directory = join(this.#deps.paths.rootfs(checked(view.container)), path);
    const measure = (): Promise<bigint> => this.#deps.filesystems.measure(view.container);
    return Buffer.from(await clone(command, { directory, measure, signal }));
  }
}
