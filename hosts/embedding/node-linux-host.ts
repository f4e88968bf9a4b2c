// Assembles the Linux host: see `node-linux.ts`.

import { resolve } from "node:path";
import { embeddedBusybox } from "../../runtime-linux/embedded-image.js";
import { linuxHost } from "../../runtime-linux/host.js";
import { Paths } from "../../runtime-linux/paths.js";
import { detectRuntimes } from "../../runtime-linux/launch/runtimes.js";
import type { HostOffers } from "../engine/index.js";
import { VERSION } from "../shared/index.js";
import type { Host } from "../shared/index.js";
import { claimRoots } from "../node/claim-roots.js";
import { systemClock } from "../node/clock.js";
import { openRecords } from "../node/database/records.js";
import { nodeTransport } from "../node/registry/index.js";
import { registryClient } from "../registry/index.js";
import type { LinuxOptions } from "./linux-options.js";

export async function openLinuxHost(options: LinuxOptions): Promise<Host & HostOffers> {
  const { dataRoot, execRoot } = options;
  const runtimes = await detectRuntimes(new Map(Object.entries(options.runtimes ?? {})));
  const roots = { data: resolve(dataRoot), exec: resolve(execRoot) };
  const claim = claimRoots(roots);
  try {
    const paths = new Paths(roots);
    const records = await openRecords(paths.records(), options.journalBytes, paths.owned());
    const isNew = (await records.load()).length === 0;
    const registry = registryClient({
      transport: nodeTransport(),
      clock: systemClock,
      userAgent: `coracle/${VERSION}`,
    });
    const host = await linuxHost({ paths, runtimes, timers: systemClock, records, registry });
    const images = isNew ? await busybox() : [];
    return {
      ...host,
      directories: roots,
      firstImages: () => images,
      close: async () => {
        await host.close();
        claim.release();
      },
    };
  } catch (error) {
    claim.release();
    throw error;
  }
}

async function busybox(): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await embeddedBusybox()) ?? []) chunks.push(chunk);
  return chunks.length === 0 ? [] : [Buffer.concat(chunks)];
}
