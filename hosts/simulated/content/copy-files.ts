// Chooses and copies files of containers, and reads a single one.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { interrupted, tooLarge, wrongKind } from "../../shared/index.js";
import type { content, engine } from "../../shared/index.js";
import { decompressed } from "../../streams/compression/index.js";
import {
  chosenFiles,
  copyFiles,
  copyGiven,
  describedBy,
  endsOf,
  modifiedAt,
  pour,
  putDownload,
} from "../../streams/copying/index.js";
import type { CopySource, CopyTarget, Hashing } from "../../streams/copying/index.js";
import { absolutePath } from "../../streams/tar/index.js";
import { contentOf } from "../files/inode.js";
import type { MountedFiles } from "../files/mounted-files.js";
import { archiveIn } from "./archive.js";
import { Extractor } from "./extract.js";
import { ownerIn } from "./owner.js";
import { locate, openView, placeAt, type Looks } from "./view.js";

/** The bytes of a file or of a part of it, unless there are more than the limit. */
export function readFileIn({ at, limit, part }: content.ReadFile, looks: Looks): Uint8Array {
  const all = bytesIn(openView(at.view, looks), absolutePath(at.path));
  const bytes = all.subarray(...endsOf(part));
  if (bytes.length > limit) throw tooLarge("member", at.path, limit);
  return bytes;
}

export async function choose(selection: content.Selection, looks: Looks, signal: AbortSignal): Promise<engine.Chosen> {
  const source = sourceIn(openView(selection.from, looks));
  return chosenFiles(selection, source, new Sha256(), () => throwIfStopped(signal));
}

/** After a failure, what was copied before stays, but never part of a file. */
export async function copy(command: content.Copy, looks: Looks, signal: AbortSignal): Promise<void> {
  const { what, mode, limits } = command;
  const files = openView(command.into, looks);
  const owner = command.owner === undefined ? null : ownerIn(files, command.owner);
  const extractor = new Extractor(files, "/", { keepKinds: false, limits }, null);
  const target = targetIn(files, extractor, looks);
  if (what.tag === "given") await copyGiven(what.val, target, { owner, mode });
  else {
    const how = { decompressed, stopped: () => throwIfStopped(signal) };
    await copyFiles(what.val, sourceIn(openView(what.val.from, looks)), target, { owner, mode }, how);
  }
  extractor.finish();
}

/** The file is there completely or not at all. */
export async function download(
  { into, limit }: content.Download,
  { body, header }: { body: AsyncIterable<Uint8Array>; header: (name: string) => string | null },
  looks: Looks,
): Promise<engine.Downloaded> {
  const files = openView(into.view, looks);
  const extractor = new Extractor(files, "/", { keepKinds: false, limits: { unpacked: limit, holes: 0n } }, null);
  const incoming = { into, limit, modified: modifiedAt(header("last-modified")) };
  const arrived = await putDownload(incoming, body, targetIn(files, extractor, looks), new Sha256());
  extractor.finish();
  return { ...arrived, ...describedBy(header) };
}

function targetIn({ mounts }: MountedFiles, sink: Extractor, { disk }: Looks): CopyTarget {
  return {
    sink,
    locate: (path) => locate(mounts, path),
    has: (path) => {
      try {
        return placeAt(mounts, path, true) !== null;
      } catch {
        return false;
      }
    },
    now: () => disk.now(),
  };
}

function sourceIn(files: MountedFiles): CopySource {
  return {
    locate: (path) => locate(files.mounts, path),
    send: (path, sink, stopped, wants) => pour(archiveIn(files, path, wants), sink, stopped),
    read: async function* (path) {
      yield bytesIn(files, path);
    },
  };
}

function bytesIn(files: MountedFiles, path: string): Uint8Array {
  const { inode } = placeAt(files.mounts, path, true);
  if (inode.kind !== "file") throw wrongKind("member", path);
  return contentOf(inode);
}

function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted("given-up");
}

class Sha256 implements Hashing {
  readonly #hash = sha256.create();

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  digest(): string {
    return `sha256:${bytesToHex(this.#hash.digest())}`;
  }
}
