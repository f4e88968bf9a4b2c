// The Linux host of `content`: registries, layers, containers' file systems, archives.

import type { Perform, content, engine, processes, replies } from "../hosts/shared/index.js";
import { savedArchive } from "../hosts/streams/tar/index.js";
import { Carrier, type ContentDeps } from "./content/carrier.js";
import { UNTOLD } from "./swept.js";

export interface LinuxContent {
  perform: Perform<content.ContentCommand>;
  /** Removes all archives and whatever a crash has left half made. Call it when nothing is in flight. */
  sweep(): Promise<void>;
  /** An archive of images. */
  saved(members: replies.SavedMember[]): AsyncIterable<Uint8Array>;
  /** For the inventory: chains whose top layer is complete. */
  chains(): string[];
  /** For the inventory: layers of which only a beginning is there. */
  rests(): engine.FoundRest[];
  /** For the inventory: containers whose file system is mounted. */
  mounts(): string[];
  /** For the inventory: containers that have anything on disk. */
  containers(): string[];
  /** Resolves when all other files that a run mounts are on disk. */
  ready(launch: processes.Launch, signal: AbortSignal): Promise<void>;
  /** No client is reached any more. */
  close(): void;
}

export function linuxContent(deps: ContentDeps): LinuxContent {
  const carrier = new Carrier(deps);
  return {
    perform: (op, command, report) => carrier.perform(op, command, report),
    sweep: async () => {
      const { swept = UNTOLD } = deps;
      await carrier.layers.sweep(swept, carrier.filesystems.mounts().length > 0);
      await carrier.archives.sweep(swept);
    },
    saved: (members) => savedArchive(members, carrier.tars),
    chains: () => carrier.layers.all(),
    rests: () => carrier.layers.restsFound(),
    mounts: () => carrier.filesystems.mounts(),
    containers: () => carrier.containers(),
    ready: (launch, signal) => carrier.ready(launch, signal),
    close: () => carrier.agents.closeAll(),
  };
}
