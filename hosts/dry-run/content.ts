// The `content` interface of a dry run. It really asks registries for manifests and configurations. It only imagines
// layers, with the sizes that their manifest gives. It reads archives to their end and discards them.

import { imaginedOnly, interrupted, isQuestion } from "../shared/index.js";
import type { Bodies, Operation, Outcome, QuestionOf, content, engine, types } from "../shared/index.js";
import { lastPart } from "../streams/tar/index.js";
import type { ThrownArchives } from "./archives.js";
import type { Asks } from "./asks.js";
import type { Imagined } from "./imagined.js";

export class DryRunContent {
  readonly #imagined: Imagined;
  readonly #asks: Asks;
  readonly #archives: ThrownArchives;
  readonly #bodies: () => Bodies;
  readonly #reading = new Map<Operation, AbortController>();

  constructor(imagined: Imagined, asks: Asks, archives: ThrownArchives, bodies: () => Bodies) {
    this.#imagined = imagined;
    this.#asks = asks;
    this.#archives = archives;
    this.#bodies = bodies;
  }

  async perform(op: Operation, command: content.ContentCommand): Promise<Outcome> {
    if (!isQuestion("content", command)) return this.#imagine(op, command);
    return this.#known(command) ?? this.#asks.ask({ to: "content", op, command });
  }

  /** Null if the machine or a registry must be asked. Throws `imagined` if only a real object could answer. */
  #known(command: content.ContentCommand): Outcome | null {
    const { created, chains } = this.#imagined;
    switch (command.tag) {
      case "measure":
        return created.has(command.val) ? { tag: "size", val: 0n } : null;
      case "compare":
        return created.has(command.val.container) ? { tag: "changed", val: [] } : null;
      case "measure-tar":
        if (chains.has(command.val.chain)) throw imaginedOnly("layer");
        return null;
      case "blob-of":
        if (chains.has(command.val)) throw imaginedOnly("layer");
        return null;
      case "stat":
        this.requireReal(command.val.view);
        return null;
      case "read-file":
      case "list-files":
        this.requireReal(command.val.at.view);
        return null;
      case "choose":
        this.requireReal(command.val.from);
        return null;
      case "read":
        if (!this.#archives.has(command.val.archive)) return null;
        return { tag: "bytes", val: this.#archives.read(command.val) };
      default:
        return null;
    }
  }

  async #imagine(op: Operation, command: Change): Promise<Outcome> {
    switch (command.tag) {
      case "make-directory":
        return { tag: "stat", val: imaginedDirectory(command.val.at.path) };
      case "layer":
        this.#imagined.chains.add(command.val.chain);
        return { tag: "size", val: this.#sizeOf(command.val.source) };
      case "ingest":
        return { tag: "ingested", val: await this.#ingest(op, command.val) };
      case "extract":
        // A client's files are not asked for: the plan does not depend on them.
        if (command.val.source.tag === "body") await this.#throwAway(op, command.val.source.val);
        return DONE;
      case "commit":
        return this.#commit(op, command.val);
      case "receive":
        return this.#receive(op, command.val);
      case "upload":
        return this.#upload(op, command.val);
      case "keep-log":
        // What the container would have written is not known.
        return { tag: "size", val: 0n };
      case "download":
        throw imaginedOnly("member", command.val.source.address);
      case "clone":
        throw imaginedOnly("member", command.val.repository.address);
      default:
        this.#change(command);
        return DONE;
    }
  }

  /** Throws `imagined` for a container that only the dry run has mounted or started. */
  requireReal({ container, run }: types.View): void {
    const { created, mounted } = this.#imagined;
    const isImagined = run === undefined ? mounted.has(container) : this.#imagined.runs({ container, run });
    if (isImagined || created.has(container)) throw imaginedOnly("file-system", container);
  }

  /** What only a registry would see leaves no trace. */
  #change(command: Quiet): void {
    const { mounted, chains } = this.#imagined;
    switch (command.tag) {
      case "mount":
        mounted.add(command.val.container);
        return;
      case "unmount":
      case "drop-container":
        mounted.delete(command.val);
        return;
      case "drop-chain":
        chains.delete(command.val);
        return;
      case "drop-archive":
        return this.#archives.drop(command.val);
      case "abandon":
        this.#reading.get(command.val)?.abort();
        return this.#asks.abandon(command.val);
      case "mount-blob":
      case "publish":
      case "copy":
      case "flush-layers":
        return;
    }
  }

  #sizeOf(source: content.LayerSource): bigint {
    if (source.tag === "registry") return source.val.size;
    // The live engine has this archive, and the dry run does not know the size of its members.
    return this.#archives.has(source.val.archive) ? BigInt(this.#archives.size(source.val)) : 0n;
  }

  /** The digest is made up, since the bytes are thrown away. */
  async #receive(op: Operation, { archive, source, unpacked }: content.Receive): Promise<Outcome> {
    if (source.tag === "web") throw imaginedOnly("archive", source.val.address);
    if (source.tag === "store") throw imaginedOnly("archive", source.val.digest);
    if (source.tag === "body") {
      const body = this.#bodies().take(source.val);
      await this.#read(op, (signal) => this.#archives.receive({ archive, unpacked }, body, signal));
    } else {
      this.#archives.imagine(archive, "layer.tar", 0);
    }
    return { tag: "received", val: madeUp(archive) };
  }

  /** The digest is made up, since only the size of the changes is measured, not their content. */
  async #commit(op: Operation, { archive, container }: content.Commit): Promise<Outcome> {
    const measured = await this.perform(op, { tag: "measure", val: container });
    const size = measured.tag === "size" ? measured.val : 0n;
    this.#archives.imagine(archive, "layer.tar", Number(size));
    return { tag: "committed", val: { diffId: madeUp(archive), size, empty: false } };
  }

  /** Nothing is sent, and what the blob would be is not known either. */
  async #upload(op: Operation, { chain }: content.Upload): Promise<Outcome> {
    const isReal = !this.#imagined.chains.has(chain);
    const measured = isReal ? await this.perform(op, { tag: "measure-tar", val: { chain, verify: false } }) : null;
    const size = measured?.tag === "size" ? measured.val : 0n;
    return { tag: "sent", val: { digest: madeUp(chain.slice("sha256:".length)), size, compression: "gzip" } };
  }

  #ingest(op: Operation, command: content.Ingest) {
    return this.#read(op, (signal) => this.#archives.ingest(command, this.#bodies().take(command.request), signal));
  }

  async #throwAway(op: Operation, request: bigint): Promise<void> {
    await this.#read(op, async (signal) => {
      for await (const _bytes of this.#bodies().take(request)) signal.throwIfAborted();
    });
  }

  async #read<T>(op: Operation, reading: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#reading.set(op, controller);
    try {
      return await reading(controller.signal);
    } catch (error) {
      if (controller.signal.aborted) throw interrupted("given-up");
      throw error;
    } finally {
      this.#reading.delete(op);
    }
  }
}

/** All commands that do not only ask. */
type Change = Exclude<content.ContentCommand, { tag: QuestionOf<"content"> }>;
/** Commands whose outcome is only `done`. */
type Quiet = Exclude<
  Change,
  {
    tag:
      | "make-directory"
      | "layer"
      | "ingest"
      | "extract"
      | "commit"
      | "receive"
      | "upload"
      | "download"
      | "clone"
      | "keep-log";
  }
>;

/** A digest of nothing, from a name. */
function madeUp(name: string): string {
  const digits = name.replaceAll(/[^0-9a-f]/g, "");
  return `sha256:${digits.padEnd(64, "0").slice(0, 64)}`;
}

/** A directory, whatever exists at the path: the container's file system is not mounted, so it cannot be looked up. */
function imaginedDirectory(path: string): engine.FileStat {
  const about = { name: lastPart(path), mode: 0o040755, size: 0n, modified: 0n };
  return { ...about, linkTarget: "", place: "/", readOnly: false };
}

const DONE: Outcome = { tag: "done" };
