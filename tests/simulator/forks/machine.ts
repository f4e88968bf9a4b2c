// An independent copy of the machine in a story's world at one moment.

import type { engine } from "../../../hosts/shared/host.js";
import { subjectOf } from "../../../hosts/driver/order.js";
import type { Effect, HostEffect } from "../../../hosts/shared/outputs.js";
import { emptyState, processOf } from "../../core/crash/state.js";
import { Failed, portsTaken, World } from "../../core/crash/world.js";
import { CHANGES, type HostCommand } from "../commands.js";
import type { Ledger } from "../ledger.js";

/** Changing commands whose effects the next engine cannot find. */
const TRACELESS: ReadonlySet<string> = new Set<HostCommand>([
  ...(["resize", "signal-exec", "resize-exec", "limit", "rewrite", "abandon", "populate"] as const),
  ...(["make-directory", "extract", "commit", "ingest", "receive", "download", "clone", "drop-archive"] as const),
  ...(["mount-blob", "upload", "publish", "send-files", "send-images", "give-blobs"] as const),
]);

/** Commands that change the inventory that the next engine finds. */
const CHANGING: ReadonlySet<string> = new Set(CHANGES.filter((command) => !TRACELESS.has(command)));

export class Machine {
  readonly world: World;
  readonly #found: engine.Inventory;

  constructor(found: engine.Inventory, ledger: Ledger, world = worldOf(found, ledger)) {
    this.#found = found;
    this.world = world;
  }

  /** The inventory after a crash. It includes ends of processes that were not reported. */
  afterCrash(): engine.Inventory {
    return { ...this.world.inventory(), processes: this.#processes() };
  }

  /** A copy of the machine after a crash, for another engine. */
  copy(ledger: Ledger): Machine {
    return new Machine(this.#found, ledger, this.world.afterCrash());
  }

  /** Equal for machines that another engine finds, and that behave, alike. */
  get text(): string {
    return JSON.stringify([this.world.afterCrash().state, this.#processes()], plain);
  }

  /**
   * Performs a command. False if the host could not, or if the command leaves no trace. `waiting`: subjects whose
   * earlier commands are still pending.
   */
  perform(effect: Effect, waiting: Set<string>): boolean {
    if (effect.to === "timers" || effect.to === "records" || !CHANGING.has(effect.command.tag)) return false;
    const subject = subjectOf(effect);
    if (subject !== null && waiting.has(subject)) return false;
    if (effect.command.tag === "layer") return !effect.command.val.unflushed && this.#keep([effect.command.val.chain]);
    if (effect.command.tag === "flush-layers") return this.#keep(effect.command.val);
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

  #keep(chains: string[]): boolean {
    for (const chain of chains) this.world.state.chains.set(chain, null);
    return true;
  }

  /** The processes. An unchanged one is reported as it was found. */
  #processes(): engine.FoundProcess[] {
    return this.world.inventory().processes.map((one) => {
      const known = this.#found.processes.find(({ container, run }) => container === one.container && run === one.run);
      return known?.state.tag === one.state.tag ? known : one;
    });
  }
}

/** What JSON has no form for. */
function plain(_: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [...value];
  return typeof value === "bigint" ? String(value) : value;
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
  for (const { container, network, address, ipv6Address } of found.joins) {
    const { ports = [] } = ledger.containers.get(container)?.sandbox ?? {};
    state.joins.set(`${container} ${network}`, { container, network, address, ipv6Address, ports: portsTaken(ports) });
  }
  for (const id of found.mounts) state.mounts.set(id, null);
  for (const id of found.containers) state.mountedOnce.add(id);
  state.files = new Set(found.containers);
  state.sandboxes = new Set(found.sandboxes);
  state.networks = new Set(found.networks);
  state.volumes = new Set(found.volumes);
  for (const chain of found.chains) state.chains.set(chain, null);
  return new World(state);
}
