// Copies files of one container into another, by way of a tar that is read while it is made.

import { HostFailure } from "../../shared/index.js";
import type { content } from "../../shared/index.js";
import { TarReader, UNLIMITED } from "../tar/index.js";
import type { TarSink } from "../tar/index.js";
import { joinedPath, relative } from "./below.js";
import { CopyingSink, UnpackingSink } from "./copying-sink.js";
import { Missing } from "./missing.js";
import { makeDirectories, placeOf, type CopiedAttributes } from "./places.js";
import { pour } from "./source.js";
import type { CopySource, CopyTarget } from "./source.js";

export interface CopyHow {
  /** Undoes a compression, if there is one. */
  decompressed: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  /** Throws if the operation was given up. */
  stopped: () => void;
}

/** Copies files, one after the other. */
export async function copyFiles(
  copies: Pick<content.FileCopies, "files" | "missing" | "parents" | "unpack" | "ownsPlace">,
  source: CopySource,
  target: CopyTarget,
  attributes: CopiedAttributes,
  how: CopyHow,
): Promise<void> {
  const missing = new Missing(copies.missing);
  for (const file of copies.files) {
    const at = source.locate(`/${file.path}`);
    if (copies.unpack !== undefined && (await isTar(at, source, how))) {
      const into = relative(target.locate(copies.unpack));
      if (copies.ownsPlace) await makeDirectories(into, target, attributes.owner);
      await pour(how.decompressed(source.read(at)), new UnpackingSink(target.sink, into), how.stopped);
    } else await copyOne(file, at);
  }

  async function copyOne({ path, to, fresh }: content.CopiedFile, at: string): Promise<void> {
    const { parents } = copies;
    const place = placeOf(to, target);
    if (parents) await copyParents(path, place.name, place.directory);
    const [given, top] = [relative(path), relative(at)];
    const sink = new CopyingSink(target, { place: place.path, fresh, parents, given, top, missing }, attributes);
    await source.send(at, sink, how.stopped, (name, isDirectory) => sink.reads(name, isDirectory));
  }

  /** The directories in the name: copies of those above the file. */
  async function copyParents(path: string, name: string, directory: string): Promise<void> {
    await makeDirectories(directory, target, attributes.owner);
    const [names, above] = [name.split("/"), relative(path).split("/")];
    for (let left = names.length - 1; left > 0; left--) {
      const place = joinedPath(directory, names.slice(0, -left).join("/"));
      if (target.has(`/${place}`)) continue;
      const given = above.slice(0, -left).join("/");
      const at = source.locate(`/${given}`);
      const about = { place, fresh: true, parents: true, given, top: relative(at), missing: NOTHING_MISSING };
      const sink = new CopyingSink(target, about, attributes);
      await source.send(at, sink, how.stopped, () => false);
    }
  }
}

const NOTHING_MISSING = new Missing({ ignored: [], patterns: [], byRoot: false });

/** Whether a file begins as a tar does, once it is decompressed. Zeros alone, however many, do not. */
async function isTar(path: string, source: CopySource, { decompressed, stopped }: CopyHow): Promise<boolean> {
  const seen = new FirstEntry();
  const reader = new TarReader(seen);
  let size = 0;
  try {
    for await (const piece of decompressed(source.read(path))) {
      stopped();
      await reader.push(piece);
      size += piece.length;
      if (seen.found || size > FIRST_ENTRY_WITHIN) break;
    }
    return seen.found;
  } catch (error) {
    if (error instanceof HostFailure && ["damaged", "wrong-kind"].includes(error.failure.tag)) return seen.found;
    throw error;
  }
}

class FirstEntry implements TarSink {
  readonly limits = UNLIMITED;
  found = false;

  entry(): void {
    this.found = true;
  }

  data(): void {}

  hole(): void {}

  end(): void {}
}

/** Most bytes before the first entry of a tar: room for a header of each kind before it, at their limit of a MiB. */
const FIRST_ENTRY_WITHIN = 4 << 20;
