// Records equal memory: what an instance would put now is what it has put.

import type { Instance } from "../../../hosts/instance.js";
import { Breach } from "../breach.js";

/** Fields of containers, and of their health, that are put with the next change of another. */
const LATE = ["log", "streak", "written", "countedRun", "populated", "manuallyStopped", "disarmed"];

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
  return JSON.stringify(JSON.parse(text, (name, part: unknown) => (LATE.includes(name) ? undefined : part)));
}
