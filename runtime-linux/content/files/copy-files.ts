// Chooses and copies files of containers, and reads a single one.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { interrupted, tooLarge, wrongKind } from "../../../hosts/shared/index.js";
import type { content, engine, types } from "../../../hosts/shared/index.js";
import {
  chosenFiles,
  copyFiles,
  copyGiven,
  endsOf,
  pour,
  putDownload,
  upTo,
} from "../../../hosts/streams/copying/index.js";
import type { Arrived, CopySource, CopyTarget, Hashing, Incoming } from "../../../hosts/streams/copying/index.js";
import { UNLIMITED, absolutePath, bytesOf, textOf, limitsOf } from "../../../hosts/streams/tar/index.js";
import { openRegular } from "../../confine.js";
import { O_PATH } from "../../kernel.js";
import { decompressed } from "../layers/decompress.js";
import { openHeld } from "../held/held-files.js";
import { archiveIn } from "./archive.js";
import { bodyOf } from "./file-bytes.js";
import type { Copying } from "../threads/workers.js";
import { CopiedTar, NotPlain } from "./copied-tar.js";
import { fileFailure } from "./file-failure.js";
import { ownerIn } from "./extract.js";
import { Extractor, type Owner } from "./extractor.js";
import { openView, type View, type Where } from "./view.js";

/** The bytes of a file or of a part of it, unless there are more than the limit. */
export async function readFileIn({ at, limit, part }: content.ReadFile, where: Where): Promise<Uint8Array> {
  const source = await openSource(at.view, where);
  try {
    const pieces: Uint8Array[] = [];
    let size = 0;
    const [from, to] = endsOf(part);
    for await (const piece of upTo(to - from, source.read(source.locate(absolutePath(at.path)), from))) {
      size += piece.length;
      if (size > limit) throw tooLarge("member", at.path, limit);
      pieces.push(Buffer.from(piece));
    }
    return Buffer.concat(pieces);
  } finally {
    source.close();
  }
}

export async function choose(selection: content.Selection, where: Where, signal: AbortSignal): Promise<engine.Chosen> {
  const source = await openSource(selection.from, where);
  try {
    return await chosenFiles(selection, source, new Sha256(), () => throwIfStopped(signal));
  } finally {
    source.close();
  }
}

/**
 * The files do not outlast the engine, so nothing is flushed. If it fails, whatever was copied before stays, but never
 * part of a file. If a tar is wanted and the copy is plain, that is all that is made.
 */
export async function copy(
  { command, tar }: Copying,
  where: Where,
  signal: AbortSignal,
): Promise<engine.Committed | null> {
  const view = openView(command.into, where);
  try {
    const owner = command.owner === undefined ? null : ownerIn(view, command.owner);
    const written = tar === null ? null : await copyToTar(command, owner, tar, { view, where, signal });
    if (written !== null) return written;
    const how = { keepKinds: false, owner: null, limits: limitsOf(command.limits), scratch: true };
    const extractor = new Extractor(view, "/", where.kernel, how);
    try {
      await fill(command, owner, targetIn(view, extractor), where, signal);
      extractor.finish();
    } finally {
      extractor.close();
    }
    return null;
  } finally {
    view.close();
  }
}

/** Null if the copy is not plain: then there is no tar. */
async function copyToTar(
  command: content.Copy,
  owner: Owner | null,
  file: string,
  { view, where, signal }: { view: View; where: Where; signal: AbortSignal },
): Promise<engine.Committed | null> {
  const tar = new CopiedTar(view, file, limitsOf(command.limits));
  try {
    await fill(command, owner, tar.target(), where, signal);
    return tar.finish();
  } catch (error) {
    fs.unlinkSync(file);
    if (error instanceof NotPlain) return null;
    throw error;
  } finally {
    tar.close();
  }
}

/** The file does not outlast the engine either. It is there completely or not at all. */
export async function download(
  incoming: Incoming,
  body: AsyncIterable<Uint8Array>,
  where: Where,
  signal: AbortSignal,
): Promise<Arrived> {
  const view = openView(incoming.into.view, where);
  const how = { keepKinds: false, owner: null, limits: UNLIMITED, scratch: true };
  const extractor = new Extractor(view, "/", where.kernel, how);
  try {
    const arrived = await putDownload(incoming, stoppable(body, signal), targetIn(view, extractor), new Sha256());
    extractor.finish();
    return arrived;
  } finally {
    extractor.close();
    view.close();
  }
}

async function* stoppable(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    throwIfStopped(signal);
    yield piece;
  }
}

async function fill(
  { what, mode }: content.Copy,
  owner: Owner | null,
  into: CopyTarget,
  where: Where,
  signal: AbortSignal,
): Promise<void> {
  if (what.tag === "given") return copyGiven(what.val, into, { owner, mode });
  const source = await openSource(what.val.from, where);
  try {
    const how = { decompressed, stopped: () => throwIfStopped(signal) };
    await copyFiles(what.val, source, into, { owner, mode }, how);
  } finally {
    source.close();
  }
}

function targetIn(view: View, sink: Extractor): CopyTarget {
  return {
    sink,
    locate: (path) => textOf(view.locate(bytesOf(path))),
    has: (path) => {
      try {
        fs.closeSync(view.open(bytesOf(path), O_PATH));
        return true;
      } catch {
        return false;
      }
    },
    now: () => BigInt(Date.now()) * 1_000_000n,
  };
}

interface OpenSource extends CopySource {
  close(): void;
}

/** Reads from a tar if the files are still in one. The caller closes it. */
async function openSource(wanted: types.View, where: Where): Promise<OpenSource> {
  const held = await openHeld(where.paths, wanted.container);
  if (held !== undefined) return held;
  const view = openView(wanted, where);
  return {
    locate: (path) => textOf(view.locate(bytesOf(path))),
    send: (path, sink, stopped, wants) => pour(archiveIn(view, path, where.kernel, wants), sink, stopped),
    read: (path, without) => readIn(view, path, without),
    close: () => view.close(),
  };
}

async function* readIn(view: View, path: string, without = 0): AsyncGenerator<Uint8Array> {
  let file: number | undefined;
  try {
    file = openRegular((flags) => view.open(bytesOf(path), flags));
  } catch (error) {
    throw fileFailure(error, "lstat", path);
  }
  if (file === undefined) throw wrongKind("member", path);
  try {
    const { size } = fs.fstatSync(file);
    if (size > without) yield* bodyOf(file, size, without);
  } finally {
    fs.closeSync(file);
  }
}

function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted("given-up");
}

class Sha256 implements Hashing {
  readonly #hash = createHash("sha256");

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  digest(): string {
    return `sha256:${this.#hash.digest("hex")}`;
  }
}
