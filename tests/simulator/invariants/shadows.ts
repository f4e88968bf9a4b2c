// An instance that is restored from a snapshot goes on as the one that it was taken of; one that is opened from the
// records says of everything that is settled what the one that wrote them says; and what that one remembers is what it
// has written.

import { Instance, type CompiledCore } from "../../../hosts/instance.js";
import type { Opening } from "../../../hosts/observer.js";
import type { StepOutputs } from "../../../hosts/outbox.js";
import { hashesOf } from "../../../hosts/trace/hash.js";
import { Breach } from "../breach.js";
import { wordOf } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";
import { LISTS, Questions, isSettled, movedIn, same } from "./questions.js";

/** How often, in steps, and for how many steps the one restored is held against the other. */
const EVERY = 50;
const FOLLOWED = 8;
/** Of instances that no driver opens: their operations are nobody's. */
export const SHADOW_EPOCH = 1_000_000;

export class Shadows implements Invariant {
  readonly #core: CompiledCore;
  #twin: { instance: Instance; left: number } | null = null;
  #opening: Opening | null = null;

  constructor(core: CompiledCore) {
    this.#core = core;
  }

  stepped(seen: Seen): void {
    if (seen.opening !== null) [this.#opening, this.#twin] = [seen.opening, null];
    else this.#follow(seen);
    if (seen.count % EVERY === 0) this.#compare(seen);
  }

  crashed(): void {
    this.#twin = null;
  }

  #follow({ now, input, outputs }: Seen): void {
    const twin = this.#twin;
    if (twin === null || input === null) return;
    const others = twin.instance.step(now, input);
    if (digest(others) !== digest(outputs)) {
      throw new Breach(
        "shadows",
        `restored, it answers ${input.tag} with\n${short(others)}\nnot with\n${short(outputs)}`,
      );
    }
    if ((twin.left -= 1) === 0) this.#twin = null;
  }

  #compare(seen: Seen): void {
    const snapshot = seen.snapshot();
    const twin = this.#restored(snapshot);
    this.#twin = { instance: twin, left: FOLLOWED };
    // Another one: what a client is told is put before that, and what was put is not put again.
    const memory = new Questions(this.#restored(snapshot), seen.now);
    const { instance, moved } = this.#opened(seen);
    const records = new Questions(instance, seen.now);
    const { processes } = seen.found();
    for (const container of seen.ledger.containers.values()) {
      if (moved.has(container.id) || !isSettled(container, processes)) continue;
      const what = `container ${container.id} (${wordOf(container)})`;
      same("shadows", what, memory, records, `/containers/${container.id}/json`);
    }
    if (moved.size === 0) for (const list of LISTS) same("shadows", list, memory, records, list);
  }

  #restored(snapshot: Uint8Array): Instance {
    const instance = new Instance(this.#core);
    instance.restore(snapshot);
    return instance;
  }

  /** And the containers that it moved as it was opened. */
  #opened({ now, ledger, found }: Seen): { instance: Instance; moved: Set<string> } {
    const instance = new Instance(this.#core);
    const { options, seed } = this.#opening as Opening;
    const journal = { next: 1n << 40n, at: now.wall };
    instance.open({ ...options, epoch: SHADOW_EPOCH }, now, seed, ledger.stored(), journal, found());
    return { instance, moved: movedIn(instance.explain()) };
  }
}

/** Of all that a step asked for. */
export function digest(outputs: StepOutputs): string {
  const { records = "", effects = "", replies = "" } = hashesOf(outputs, false);
  return `${records} ${effects} ${replies}`;
}

function short({ records, effects, replies }: StepOutputs): string {
  const bytes = (_: string, value: unknown): unknown => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? new TextDecoder().decode(value).slice(0, 400) : value;
  };
  return JSON.stringify({ records, effects, replies }, bytes).slice(0, 4000);
}
