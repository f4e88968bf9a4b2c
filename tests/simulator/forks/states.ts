// The states that engines leave: the records, and what is on the machine.

import type { engine } from "../../../hosts/shared/host.js";
import type { Machine } from "./machine.js";

/** Stored bytes never change, so the same bytes are the same value. Other bytes may be an equal one, too. */
const numbers = new WeakMap<Uint8Array, number>();
let last = 0;

/** Equal texts stand for equal states. */
export function stateOf(machine: Machine, records: readonly engine.Stored[]): string {
  return `${records.map(({ value }) => numberOf(value)).join()} ${machine.text}`;
}

export class States {
  readonly #all = new Set<string>();

  /** Whether the state was not in the set. It is afterwards. */
  isNew(state: string): boolean {
    if (this.#all.has(state)) return false;
    this.#all.add(state);
    return true;
  }

  clear(): void {
    this.#all.clear();
  }
}

function numberOf(value: Uint8Array): number {
  const known = numbers.get(value);
  if (known !== undefined) return known;
  numbers.set(value, (last += 1));
  return last;
}
