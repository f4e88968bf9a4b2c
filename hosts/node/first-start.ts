// Loads the image that a new engine has from the start, so that the first `docker run` needs no registry.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedBusybox } from "../../runtime-linux/embedded-image.js";
import type { PlainDoor } from "../engine/index.js";
import { loadImage } from "../engine/index.js";
import type { Log } from "./log.js";

/** Loads it once for each data root. If a user removes it, it does not come back. */
export async function loadEmbeddedImage(dataRoot: string, door: PlainDoor, log: Log): Promise<void> {
  const mark = join(dataRoot, "embedded-image");
  if (existsSync(mark)) return;
  const archive = await embeddedBusybox();
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
