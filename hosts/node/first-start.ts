// Loads the image that a new engine has from the start, so that the first `docker run` needs no registry.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { embeddedBusybox } from "../../runtime-linux/embedded-image.js";
import { keptBusybox } from "../../runtime-linux/kept-image.js";
import type { PlainDoor } from "../engine/index.js";
import { loadImage } from "../engine/index.js";
import type { Fields, Log } from "./log.js";

/** Where the build has made it ahead (setup/build.mjs). The bundle is in `build`, this file in `hosts/node`. */
const BUILD = fileURLToPath(new URL(import.meta.url.endsWith(".cjs") ? "." : "../../build/", import.meta.url));

/**
 * Loads it once for each data root. If a user removes it, it does not come back. `build`: where the one may be that was
 * made ahead. If that is damaged, it is made here.
 */
export async function loadEmbeddedImage(dataRoot: string, door: PlainDoor, log: Log, build = BUILD): Promise<void> {
  const mark = join(dataRoot, "embedded-image");
  if (existsSync(mark)) return;
  const kept = await keptBusybox(build);
  if (kept !== undefined && (await failureOf(piecesOf(kept), door, mark)) === null) return;
  const archive = await embeddedBusybox();
  if (archive === undefined) {
    log.warn("no embedded image: the system has no static busybox");
    return;
  }
  // The engine works without it, and tries again at the next start.
  const failure = await failureOf(archive, door, mark);
  if (failure !== null) log.warn("the embedded image cannot be loaded", failure);
}

/** Why an archive cannot be loaded; null if it was, and is marked so. */
async function failureOf(archive: AsyncIterable<Uint8Array>, door: PlainDoor, mark: string): Promise<Fields | null> {
  try {
    const refused = await loadImage(archive, door);
    if (refused !== null) return { status: refused.status, reply: refused.text };
    writeFileSync(mark, "");
    return null;
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function* piecesOf(...pieces: Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}
