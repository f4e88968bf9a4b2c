// The Linux host: assembles all of `runtime-linux` behind the interfaces of `hosts/shared/host.ts`.

import { closeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { LateBodies, type Clock, type Host, type RecordStore } from "../hosts/shared/index.js";
import { linuxContent } from "./content.js";
import { archiveOf, exportOf } from "./content/files/archive.js";
import type { Registry } from "./content/registry.js";
import type { Workers } from "./content/threads/workers.js";
import { makePrivate, makeSpread } from "./directories.js";
import type { Kernel } from "./kernel.js";
import { libc } from "./kernel/libc.js";
import { describeMachine } from "./machine.js";
import { linuxNetworks } from "./networks.js";
import type { Paths } from "./paths.js";
import { linuxProcesses } from "./processes.js";
import type { Runtime } from "./launch/runtimes.js";
import { UNTOLD, type Swept } from "./swept.js";
import { linuxVolumes } from "./volumes.js";

export interface LinuxHostNeeds {
  paths: Paths;
  /** The result of `detectRuntimes`. */
  runtimes: Runtime[];
  timers: Clock;
  records: RecordStore;
  registry: Registry;
  /** Move the bytes of images and builds; by default the calling thread does. They are closed with the host. */
  workers?: Workers;
  kernel?: Kernel;
  /** Called for each thing that `inventory` removes. */
  swept?: Swept;
}

export interface LinuxHost extends Host {
  /** Replaces the runtimes for later launches with these, as `detectRuntimes` found them. Existing runs keep theirs. */
  offer(runtimes: Runtime[]): void;
  /** Those of the given runtimes that work on this machine. */
  usable(runtimes: Runtime[]): Runtime[];
}

/** `inventory` finds what an earlier engine left on the machine, and removes what a crash left half made. */
export async function linuxHost(needs: LinuxHostNeeds): Promise<LinuxHost> {
  const { paths, timers, records, registry, workers, kernel = libc, swept = UNTOLD } = needs;
  const bodies = new LateBodies();
  // Records hold what clients sent, including environments.
  makePrivate(paths.records());
  makeSpread(paths.containers(), 0o711, kernel);
  // The first call makes the file system that all of them share and that stays open. So a machine that refuses it shows
  // at once.
  closeSync(kernel.openNull());
  // The processes come first: they must prepare the exec root before anything is mounted below it.
  const processes = linuxProcesses({
    paths,
    runtimes: needs.runtimes,
    kernel,
    swept,
    ready: (launch, signal) => content.ready(launch, signal),
  });
  const { log } = processes.stdio;
  const content = linuxContent({ paths, kernel, bodies, registry, swept, log, ...(workers && { workers }) });
  const networks = linuxNetworks({ paths, kernel, swept });
  const volumes = linuxVolumes({ paths, kernel, swept });
  const machine = await describeMachine({ paths, kernel });
  return {
    timers,
    records,
    processes: processes.perform,
    content: (op, command, report) => {
      if (command.tag === "drop-container") processes.forget(command.val);
      if (command.tag === "abandon") for (const part of [processes, volumes]) part.abandon(command.val);
      return content.perform(op, command, report);
    },
    networks: networks.perform,
    volumes: volumes.perform,
    inventory: async () => {
      await Promise.all([content.sweep(), volumes.sweep()]);
      // Kill lost processes first: they would keep mounts and networks busy.
      const found = await processes.inventory();
      return {
        processes: found,
        execs: await processes.execs(found),
        mounts: content.mounts(),
        containers: content.containers(),
        joins: await networks.joins(),
        sandboxes: await networks.sandboxes(),
        networks: await networks.networks(),
        volumes: volumes.names(),
        chains: content.chains(),
        rests: content.rests(),
      };
    },
    listen: (happened, given) => {
      bodies.given = given;
      processes.listen(happened);
    },
    seed: () => randomBytes(32),
    close: async () => {
      content.close();
      await processes.close();
      await networks.close();
      await workers?.close();
    },
    replies: {
      ...processes.stdio,
      archive: (source) => archiveOf(source, { paths, kernel }),
      export: (source) => exportOf(source, { paths, kernel }),
      saved: (members) => content.saved(members),
    },
    machine,
    get runtimes() {
      return processes.runtimes;
    },
    offer: (runtimes) => processes.offer(runtimes),
    usable: (runtimes) => processes.usable(runtimes),
  };
}
