// Puts the Linux host together: see `node-linux.ts`.

import { join, resolve } from "node:path";
import { embeddedBusybox } from "../../runtime-linux/embedded-image.js";
import { linuxHost } from "../../runtime-linux/host.js";
import { Paths } from "../../runtime-linux/paths.js";
import { detectRuntimes } from "../../runtime-linux/runtimes.js";
import type { Host } from "../host.js";
import { systemClock } from "../node/clock.js";
import { claimPidFile } from "../node/pid-file.js";
import { openRecords } from "../node/records.js";
import { nodeTransport } from "../node/registry-transport.js";
import { registryClient } from "../registry/client.js";
import { VERSION } from "../version.js";
import type { HostOffers } from "./host-offers.js";
import type { LinuxOptions } from "./node-linux.js";

export async function openLinuxHost(options: LinuxOptions): Promise<Host & HostOffers> {
  const { dataRoot, execRoot } = options;
  const runtimes = await detectRuntimes(new Map(Object.entries(options.runtimes ?? {})));
  const claim = claimed(dataRoot);
  try {
    const paths = new Paths({ data: dataRoot, exec: execRoot });
    const records = await openRecords(paths.records());
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
      directories: { data: dataRoot, exec: execRoot },
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

const inThisProcess = new Set<string>();

/** For one engine on this machine, which may be in this process. Throws when it belongs to another one. */
function claimed(dataRoot: string): { release: () => void } {
  const root = resolve(dataRoot);
  if (inThisProcess.has(root)) throw new Error(`${root} belongs to another engine of this process`);
  const file = claimPidFile(join(root, "daemon.pid"), true);
  inThisProcess.add(root);
  const release = (): void => {
    inThisProcess.delete(root);
    file.release();
  };
  return { release };
}

async function busybox(): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await embeddedBusybox()) ?? []) chunks.push(chunk);
  return chunks.length === 0 ? [] : [Buffer.concat(chunks)];
}
