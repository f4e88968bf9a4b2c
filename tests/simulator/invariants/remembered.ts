// Records equal memory: what an instance would put now is what it has put.

import type { Instance } from "../../../hosts/instance.js";
import { Breach } from "../breach.js";

/**
 * Members of a container's record that may wait until a client is told of them. `removeVolumes` belongs to a removal that
 * does not begin before the run is over.
 */
const LATE = ["health", "manuallyStopped", "disarmed", "removeVolumes"];

const decoder = new TextDecoder();

/** Throws a `Breach`. */
export function expectRemembered(rule: string, instance: Instance, kept: ReadonlyMap<string, Uint8Array>): void {
  const told = new Map(instance.records().map(({ key, value }) => [key, value]));
  for (const key of kept.keys()) {
    if (!key.startsWith("damaged/") && !told.has(key)) throw new Breach(rule, `${key} is kept and not remembered`);
  }
  for (const [key, value] of told) {
    const written = kept.get(key);
    if (written === undefined) throw new Breach(rule, `${key} is remembered and not kept`);
    const [remembered, recorded] = [form(key, value), form(key, written)];
    if (remembered !== recorded) {
      throw new Breach(rule, `${key} differs:\nin memory   ${remembered}\nby records  ${recorded}`);
    }
  }
}

function form(key: string, value: Uint8Array): string {
  const text = decoder.decode(value);
  if (!key.startsWith("container/")) return text;
  const members = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return JSON.stringify(members.filter(([name]) => !LATE.includes(name)));
}
