// Carries out `extract`: unpacks a request's body into a directory of a container.

import { closeSync, constants } from "node:fs";
import { ACCOUNTS_BYTES_MAX, identify, interrupted } from "../../../hosts/shared/index.js";
import { TarReader, absolutePath, bytesOf, limitsOf } from "../../../hosts/streams/tar/index.js";
import { openRegular, readOpen } from "../../confine.js";
import { O_PATH } from "../../kernel.js";
import { unlessGivenUp } from "../../under-way.js";
import { decompressed } from "../layers/decompress.js";
import type { Extraction } from "../threads/workers.js";
import { Extractor, type Owner } from "./extractor.js";
import { fileFailure } from "./file-failure.js";
import { openView, type View, type Where } from "./view.js";

/**
 * `body` is called if there is a directory to unpack into. Resolves when everything is on disk, unless it is `scratch`.
 * If it fails, whatever was unpacked before stays, but never part of a file.
 */
export async function extract(
  command: Extraction,
  body: () => AsyncIterable<Uint8Array>,
  where: Where,
  signal: AbortSignal,
): Promise<void> {
  const view = openView(command.into.view, where);
  try {
    const into = bytesOf(absolutePath(command.into.path));
    requireDirectory(view, into);
    const { keepKinds, owner: wanted, limits, scratch, made } = command;
    const owner = wanted === undefined ? null : ownerIn(view, wanted);
    const how = { keepKinds, owner, limits: limitsOf(limits), scratch, ...(made === undefined ? {} : { made }) };
    const extractor = new Extractor(view, into, where.kernel, how);
    try {
      await unpack(body(), extractor, signal);
      if (!scratch) await unlessGivenUp(signal, extractor.flush());
    } finally {
      extractor.close();
    }
  } finally {
    view.close();
  }
}

async function unpack(body: AsyncIterable<Uint8Array>, extractor: Extractor, signal: AbortSignal): Promise<void> {
  const reader = new TarReader(extractor);
  for await (const chunk of decompressed(body)) {
    if (signal.aborted) throw interrupted("given-up");
    await reader.push(chunk);
  }
  reader.end();
  extractor.finish();
}

function requireDirectory(view: View, path: string): void {
  try {
    closeSync(view.open(path, O_PATH | constants.O_DIRECTORY));
  } catch (error) {
    throw fileFailure(error, "lstat", path);
  }
}

/** Looks the user up in the container's own passwd and group files. */
export function ownerIn(view: View, user: string): Owner {
  const [passwd, group] = ["/etc/passwd", "/etc/group"].map((path) => readIn(view, path));
  return identify(user, [], passwd ?? "", group ?? "");
}

function readIn(view: View, path: string): string {
  let file: number | undefined;
  try {
    file = openRegular((flags) => view.open(path, flags));
  } catch {
    return "";
  }
  return file === undefined ? "" : readOpen(file, ACCOUNTS_BYTES_MAX);
}
