// The image that a new engine has from the start, so that the first `docker run` needs no registry.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedBusybox } from "../../runtime-linux/embedded-image.js";
import type { PlainDoor } from "../engine/index.js";
import { loadImage } from "../engine/index.js";
import type { Log } from "./log.js";

/** Loads it once in the life of a data root; one that a user has removed does not come back. */
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
    // The engine does without it, and tries again at the next start.
    log.warn("the embedded image cannot be loaded", { error: error instanceof Error ? error.message : String(error) });
  }
}
