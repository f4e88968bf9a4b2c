// Loads the image that a new engine has from the start, so that the first `docker run` needs no registry.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { embeddedBusybox } from "../../runtime-linux/embedded-image.js";
import { keptBusybox } from "../../runtime-linux/kept-image.js";
import type { PlainDoor } from "../engine/index.js";
import { loadImage } from "../engine/index.js";
import type { Log } from "./log.js";

/** Where the build has made it ahead (setup/build.mjs). The bundle is in `build`, this file in `hosts/node`. */
const BUILD = fileURLToPath(new URL(import.meta.url.endsWith(".cjs") ? "." : "../../build/", import.meta.url));

/** Loads it once for each data root. If a user removes it, it does not come back. */
export async function loadEmbeddedImage(dataRoot: string, door: PlainDoor, log: Log): Promise<void> {
  const mark = join(dataRoot, "embedded-image");
  if (existsSync(mark)) return;
  const kept = await keptBusybox(BUILD);
  const archive = kept === undefined ? await embeddedBusybox() : piecesOf(kept);
  if (archive === undefined) {
    log.warn("no embedded image: the system has no static busybox");
    return;
  }
  try {
    const refused = await loadImage(archive, door);
    if (refused === null) writeFileSync(mark, "");
    else log.warn("the embedded image cannot be loaded", { status: refused.status, reply: refused.text });
  } catch (error) {
    // The engine works without it, and tries again at the next start.
    log.warn("the embedded image cannot be loaded", { error: error instanceof Error ? error.message : String(error) });
  }
}

async function* piecesOf(...pieces: Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}
