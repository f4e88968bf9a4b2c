// File systems without a chain, such as a build's context. Each is only mounted once its files are needed on disk: most
// builds do no more than read from their context, and that is done from the tar in which it has arrived.

import * as fs from "node:fs";
import { unlink } from "node:fs/promises";
import { joined, type content, type processes, type types } from "../../../hosts/shared/index.js";
import { compressionOf } from "../../../hosts/streams/compression/index.js";
import { limitsOf } from "../../../hosts/streams/tar/index.js";
import { makePrivate } from "../../directories.js";
import type { Paths } from "../../paths.js";
import { unlessGivenUp } from "../../under-way.js";
import { checked } from "../filesystems.js";
import type { Workers } from "../threads/workers.js";
import { forgetTree, type Arrival } from "./held-tar.js";

export interface ContextNeeds {
  paths: Paths;
  /** Threads, and the calling one: a thread that is not running yet takes longer to start than a few files take. */
  workers: Workers;
  here: Workers;
  /** Mounts a file system for real. */
  mount(mount: content.Mount): Promise<void>;
}

interface Context {
  /** The tar that is there, and the command that it came with; null if there is none. */
  held: { command: content.Extract; size: number } | null;
  /** While its files are put on disk. */
  putting: Promise<void> | null;
  over: AbortController;
}

type Body = (signal: AbortSignal) => AsyncIterable<Uint8Array>;

export class Contexts {
  readonly #needs: ContextNeeds;
  readonly #contexts = new Map<string, Context>();

  constructor(needs: ContextNeeds) {
    this.#needs = needs;
  }

  /** Ids of those that are not mounted. */
  all(): string[] {
    return [...this.#contexts.keys()];
  }

  has(container: string): boolean {
    return this.#contexts.has(container);
  }

  /** True if the file system need not be mounted before its files are used. */
  begin({ container, chain, bare }: content.Mount): boolean {
    if (!bare || chain !== undefined) return false;
    if (this.has(checked(container))) return true;
    if (fs.existsSync(this.#needs.paths.rootfs(container))) return false;
    this.#contexts.set(container, { held: null, putting: null, over: new AbortController() });
    return true;
  }

  /** Whether what is to be unpacked can be kept as a tar: nothing is there yet. */
  takes({ into, scratch, keepKinds, owner }: content.Extract): boolean {
    const context = this.#contexts.get(into.view.container);
    const isFree = context !== undefined && context.held === null && context.putting === null;
    return isFree && scratch && !keepKinds && owner === undefined && into.path === "/" && isOwn(into.view);
  }

  /** Keeps the tar, or unpacks it if only that tells what its files are. `came`: is called once it is complete. */
  async hold(command: content.Extract, body: Body, came: (tar: string) => void, signal: AbortSignal): Promise<void> {
    const { container } = command.into.view;
    const { paths } = this.#needs;
    const file = paths.heldTar(container);
    makePrivate(paths.container(container));
    let arrived: Arrival;
    try {
      arrived = await this.#arrive({ file, limits: limitsOf(command.limits) }, body, signal);
      came(file);
    } catch (error) {
      await unlink(file).catch(() => {});
      throw error;
    }
    const context = this.#contexts.get(container);
    if (context !== undefined) context.held = { command, size: arrived.size };
    if (!arrived.plain) await this.ready(container, signal);
  }

  /** Who reads these files; undefined if they are not held as a tar. */
  readers({ container }: types.View): Workers | undefined {
    const context = this.#contexts.get(container);
    if (context === undefined || context.held === null || context.putting !== null) return undefined;
    return context.held.size <= FEW_BYTES ? this.#needs.here : this.#needs.workers;
  }

  /** Resolves when the container's files are on disk and mounted. */
  async ready(container: string, signal: AbortSignal): Promise<void> {
    const context = this.#contexts.get(container);
    if (context === undefined) return;
    context.putting ??= this.#put(container, context).finally(() => (context.putting = null));
    await unlessGivenUp(signal, context.putting);
  }

  /** The same for all containers that a run mounts files of. */
  async readyFor({ spec }: processes.Launch, signal: AbortSignal): Promise<void> {
    if (this.#contexts.size === 0) return;
    const text = new TextDecoder().decode(spec);
    for (const container of this.all()) if (text.includes(`files:${container}`)) await this.ready(container, signal);
  }

  /** What the files are used for is over. Its directory stays. */
  async forget(container: string): Promise<void> {
    const context = this.#contexts.get(container);
    context?.over.abort();
    await context?.putting?.catch(() => {});
    this.#contexts.delete(container);
    forgetTree(this.#needs.paths.heldTar(container));
  }

  /** A small tar is read by the engine's own thread. */
  async #arrive(
    wanted: { file: string; limits: ReturnType<typeof limitsOf> },
    body: Body,
    signal: AbortSignal,
  ): Promise<Arrival> {
    const { here, workers } = this.#needs;
    const over = new AbortController();
    const bytes = body(AbortSignal.any([signal, over.signal]))[Symbol.asyncIterator]();
    const first: Uint8Array[] = [];
    let [size, next] = [0, await bytes.next()];
    for (; next.done !== true && size <= FEW_BYTES; next = await bytes.next()) {
      first.push(next.value);
      size += next.value.length;
    }
    const isSmall = next.done === true && compressionOf(joined(first)) === "none";
    if (next.done !== true) first.push(next.value);
    try {
      return await (isSmall ? here : workers).run("hold", wanted, { signal, body: () => continued(first, bytes) });
    } finally {
      // Nobody waits for what the client still sends.
      if (next.done !== true) over.abort();
    }
  }

  async #put(container: string, context: Context): Promise<void> {
    const { paths, workers, mount } = this.#needs;
    const { signal } = context.over;
    await mount({ container, bare: true });
    if (context.held !== null) {
      const file = paths.heldTar(container);
      const made = fs.statSync(file, { bigint: true }).mtimeNs;
      await workers.run(
        "extract",
        { ...context.held.command, made },
        { signal, body: () => fs.createReadStream(file) },
      );
      await unlink(file);
      forgetTree(file);
    }
    this.#contexts.delete(container);
  }
}

/** A view of the container's own files. */
function isOwn({ run, places }: types.View): boolean {
  return run === undefined && places.length === 0;
}

async function* continued(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** A tar of up to this size takes a millisecond. */
const FEW_BYTES = 256 << 10;
