// The Linux machine for the daemon: claims it for one engine, finds its runtimes, opens its records.

import { fileURLToPath } from "node:url";
import { inPlace } from "../../runtime-linux/content/threads/jobs.js";
import { OrHere } from "../../runtime-linux/content/threads/or-here.js";
import { Threads } from "../../runtime-linux/content/threads/threads.js";
import { linuxHost } from "../../runtime-linux/host.js";
import { libc } from "../../runtime-linux/kernel/libc.js";
import { processMemory } from "../../runtime-linux/kernel/memory.js";
import { Paths } from "../../runtime-linux/paths.js";
import { comeFirst } from "../../runtime-linux/launch/priority.js";
import { detectRuntimes, KNOWN } from "../../runtime-linux/launch/runtimes.js";
import type { Swept } from "../../runtime-linux/swept.js";
import { claimRoots } from "./claim-roots.js";
import { systemClock } from "./clock.js";
import { lackingRuntimes } from "./config/config.js";
import type { DaemonConfig } from "./config/config.js";
import { tell } from "./findings.js";
import { loadEmbeddedImage } from "./first-start.js";
import type { Ground, OpenGround } from "./ground.js";
import type { Log } from "./log.js";
import { openRecords } from "./database/records.js";
import { linuxRegistry, type ThreadData } from "./linux-registry.js";
import type { WayOut } from "./registry/index.js";

/** The bundle is in `build`, this file in `hosts/node`. */
const CONTENT_THREAD = fileURLToPath(
  new URL(import.meta.url.endsWith(".cjs") ? "content.cjs" : "../../build/content.cjs", import.meta.url),
);

/**
 * As dockerd's. Users of containers pass through directories that the engine makes for them (mount points, sources of
 * binds), and must not write to them, whatever umask the daemon was started with.
 */
const UMASK = 0o022;

export const openLinux: OpenGround = async (config, closings, log) => {
  const { dataRoot } = config;
  process.umask(UMASK);
  comeFirst(libc);
  // Their programs answer while the records are opened.
  const detected = detectRuntimes(config.runtimes);
  const roots = { data: dataRoot, exec: config.execRoot };
  closings.push(claimRoots(roots).release);
  const paths = new Paths(roots);
  const records = await openRecords(paths.records(), config.eventsSize, paths.owned(), (what, why) =>
    tell({ what, deed: "set-aside", why }, log),
  );
  closings.push(() => records.close());
  const way: WayOut = { certificates: config.registryCerts, proxies: config.proxies };
  const registry = linuxRegistry(way);
  const threadData: ThreadData = { roots, way };
  const threads = new Threads({ path: CONTENT_THREAD, data: threadData });
  const workers = new OrHere(inPlace({ paths, kernel: libc, registry }), threads);
  const swept: Swept = (what, why) => tell({ what, deed: "swept", why }, log);
  const runtimes = await detected;
  const host = await linuxHost({ paths, runtimes, timers: systemClock, records, registry, workers, swept });
  closings.push(() => host.close());
  tellLacking(config, host.runtimes, log);
  const offer: Ground["offer"] = async (config) => {
    const runtimes = host.usable(await detectRuntimes(config.runtimes));
    tellLacking(config, runtimes, log);
    host.offer(runtimes);
  };
  return {
    host,
    offer,
    loadImages: (door, log) => workers.allHere(() => loadEmbeddedImage(dataRoot, door, log)),
    hasHungUp: (descriptor) => libc.hungUp(descriptor),
    peerOf: (descriptor) => libc.peerOf(descriptor),
    quietFile: () => records.quietFile,
    memory: processMemory,
    remarks: [],
  };
};

function tellLacking(config: DaemonConfig, found: readonly { name: string }[], log: Log): void {
  for (const { name, path, why } of lackingRuntimes(config, found, KNOWN)) {
    log.warn("a runtime cannot be used", { runtime: name, path, error: why });
  }
}
