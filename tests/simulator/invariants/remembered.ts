// Records equal memory: what an instance would put now is what it has put.

import type { engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { isEqual } from "../ledger.js";
import { lateMembers } from "../../support/records/late-members.js";
import { SET_ASIDE } from "./spared.js";
import type { Invariant, Seen } from "./invariant.js";

/** Belongs to a removal that does not begin before the run is over. */
const REMOVAL = "removeVolumes";

const decoder = new TextDecoder();

/** What is kept of containers, and what was remembered last that differs and is the same but for late members. */
const agreeing = new WeakMap<Uint8Array, Uint8Array>();

export class Remembered implements Invariant {
  stepped({ remembered, ledger }: Seen): void {
    expectRemembered("records", remembered(), ledger.records);
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
    if (written === undefined) throw new Breach(rule, `${key} is remembered and not kept`);
    // Most are the same byte by byte, and most others are what they were a step ago.
    if (isEqual(written, value) || isEqual(agreeing.get(written), value)) continue;
    // Of a volume whose damaged record is kept the new one waits with figures: it would take the place of the other.
    const figures = kept.has(SET_ASIDE + key) ? ["size"] : [];
    expectSame(rule, record, written, [...lateMembers(record, remembered), ...figures]);
    // What may be late of a volume is told by the records of containers.
    if (key.startsWith("container/")) agreeing.set(written, value);
  }
  for (const key of kept.keys()) {
    if (!key.startsWith(SET_ASIDE) && !told.has(key)) throw new Breach(rule, `${key} is kept and not remembered`);
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
