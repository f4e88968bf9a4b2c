// The machine as a story's world has it at a moment, copied: what is done to the copy is done to nothing else.

import type { engine } from "../../../hosts/shared/host.js";
import { subjectOf } from "../../../hosts/driver/order.js";
import type { Effect, HostEffect } from "../../../hosts/shared/outputs.js";
import { emptyState, processOf } from "../../core/crash/state.js";
import { Failed, World } from "../../core/crash/world.js";
import { CHANGES, type HostCommand } from "../commands.js";
import type { Ledger } from "../ledger.js";

/** Those of them that the next engine finds nothing of. */
const TRACELESS: ReadonlySet<string> = new Set<HostCommand>([
  ...(["resize", "signal-exec", "resize-exec", "limit", "rewrite", "abandon", "populate"] as const),
  ...(["make-directory", "extract", "commit", "ingest", "drop-archive"] as const),
]);

/** Commands that change what the next engine finds. */
const CHANGING: ReadonlySet<string> = new Set(CHANGES.filter((command) => !TRACELESS.has(command)));

export class Machine {
  readonly world: World;
  readonly #found: engine.Inventory;

  constructor(found: engine.Inventory, ledger: Ledger, world = worldOf(found, ledger)) {
    this.#found = found;
    this.world = world;
  }

  /** What a crash leaves: ends that nobody was told of are found. */
  afterCrash(): engine.Inventory {
    return { ...this.world.inventory(), processes: this.#processes() };
  }

  /** As it is after a crash, for another engine to go on with. */
  copy(ledger: Ledger): Machine {
    return new Machine(this.#found, ledger, this.world.afterCrash());
  }

  /** Does what was asked for. False if the host could not, or if that leaves no trace. `waiting`: subjects of what comes first. */
  perform(effect: Effect, waiting: Set<string>): boolean {
    if (effect.to === "timers" || effect.to === "records" || !CHANGING.has(effect.command.tag)) return false;
    const subject = subjectOf(effect);
    if (subject !== null && waiting.has(subject)) return false;
    if (effect.command.tag === "layer") return this.#unpack(effect.command.val.chain);
    return this.#done(effect);
  }

  #done(effect: HostEffect): boolean {
    try {
      this.world.perform(effect, false);
      return true;
    } catch (error) {
      if (error instanceof Failed) return false;
      throw error;
    }
  }

  #unpack(chain: string): boolean {
    this.world.state.chains.set(chain, null);
    return true;
  }

  /** Those that nothing was done to, as they were found. */
  #processes(): engine.FoundProcess[] {
    return this.world.inventory().processes.map((one) => {
      const known = this.#found.processes.find(({ container, run }) => container === one.container && run === one.run);
      return known?.state.tag === one.state.tag ? known : one;
    });
  }
}

function worldOf(found: engine.Inventory, ledger: Ledger): World {
  const state = emptyState();
  for (const { container, run, state: was } of found.processes) {
    const process = processOf(container, run, was.tag);
    if (was.tag === "exited") process.code = was.val.code;
    state.processes.set(`${container} ${run}`, process);
  }
  for (const { exec, subject, running, exit } of found.execs)
    state.execs.set(exec, { exec, ...subject, running, ...(exit && { code: exit.code }) });
  for (const { container, network, address } of found.joins) {
    const { ports = [] } = ledger.containers.get(container)?.endpoint ?? {};
    const taken = ports.map((one) => `${one.protocol}${one.hostAddress.includes(":") ? 6 : 4} ${one.hostPort}`);
    state.joins.set(container, { network, address, ports: taken });
  }
  for (const id of found.mounts) state.mounts.set(id, null);
  for (const id of found.containers) state.mountedOnce.add(id);
  state.files = new Set(found.containers);
  state.networks = new Set(found.networks);
  state.volumes = new Set(found.volumes);
  for (const chain of found.chains) state.chains.set(chain, null);
  return new World(state);
}
