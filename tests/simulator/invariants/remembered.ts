// Checks that records equal memory: the records that an instance would write now are the ones that it has written. It
// does so after each step that changes a record or the machine, at rest, before an instance is lost, and at times between.

import type { engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { isEqual } from "../ledger.js";
import { lateMembers } from "../../support/records/late-members.js";
import { SET_ASIDE } from "./spared.js";
import { type Invariant, type Seen, isComparedWhole } from "./invariant.js";

/** This member belongs to a removal, which begins only when the run is over. */
const REMOVAL = "removeVolumes";

const decoder = new TextDecoder();

/** Records of containers, with the last version from memory that differed only in late members. */
const agreeing = new WeakMap<Uint8Array, Uint8Array>();

export class Remembered implements Invariant {
  /** The newest step, unless it has been compared. */
  #left: Seen | null = null;

  stepped(seen: Seen): void {
    this.#left = seen;
    if (isComparedWhole(seen)) this.#compare();
  }

  rested(): void {
    this.#compare();
  }

  crashed(): void {
    this.#compare();
  }

  #compare(): void {
    if (this.#left !== null) expectRemembered("records", this.#left.remembered(), this.#left.ledger.records);
    this.#left = null;
  }
}

/** Throws a `Breach`. */
export function expectRemembered(
  rule: string,
  remembered: readonly engine.Stored[],
  kept: ReadonlyMap<string, Uint8Array>,
): void {
  const told = new Set<string>();
  for (const record of remembered) {
    const { key, value } = record;
    told.add(key);
    const written = kept.get(key);
    if (written === undefined) throw new Breach(rule, `${key} is in memory, but has no record`);
    // Most are identical, and most others were already compared in an earlier step.
    if (isEqual(written, value) || isEqual(agreeing.get(written), value)) continue;
    // A volume with a damaged record gets its size later, since a new record would replace the damaged one.
    const figures = kept.has(SET_ASIDE + key) ? ["size"] : [];
    expectSame(rule, record, written, [...lateMembers(record, remembered), ...figures]);
    // Not for volumes: which of their members may be late depends on the records of containers.
    if (key.startsWith("container/")) agreeing.set(written, value);
  }
  for (const key of kept.keys()) {
    if (!key.startsWith(SET_ASIDE) && !told.has(key))
      throw new Breach(rule, `${key} has a record, but is not in memory`);
  }
}

function expectSame(rule: string, { key, value }: engine.Stored, written: Uint8Array, late: readonly string[]): void {
  const [remembered, recorded] = [form(key, value, late), form(key, written, late)];
  if (remembered === recorded) return;
  throw new Breach(rule, `${key} differs:\nin memory   ${remembered}\nby records  ${recorded}`);
}

function form(key: string, value: Uint8Array, late: readonly string[]): string {
  const text = decoder.decode(value);
  if (!key.startsWith("container/") && !key.startsWith("volume/")) return text;
  const members = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return JSON.stringify(members.filter(([name]) => name !== REMOVAL && !late.includes(name)));
}
