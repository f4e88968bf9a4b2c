// What the core tells of its records is what it has put, behind every step of every scenario.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Instance } from "../../hosts/instance.js";
import { loadCore } from "../../hosts/node/core-files.js";
import type { StepOutputs } from "../../hosts/outbox.js";
import { record } from "./recordings.js";
import { play } from "./scenario.js";

const core = loadCore();
const SCENARIOS = new URL("./scenarios/", import.meta.url);

test.each(readdirSync(SCENARIOS).sort())("%s", (name) => {
  const text = readFileSync(new URL(name, SCENARIOS), "utf8");
  for (const { open, steps } of record(() => play(text))) {
    const instance = new Instance(core);
    const [, , , before] = open;
    const kept = new Map(before.map(({ key, value }) => [key, value]));
    keep(kept, instance.open(...open));
    expectTold(instance, kept);
    for (const { now, input } of steps) {
      keep(kept, instance.step(now, input));
      expectTold(instance, kept);
    }
  }
});

function keep(kept: Map<string, Uint8Array>, { records }: StepOutputs): void {
  for (const command of records) {
    if (command.tag === "put") kept.set(command.val.key, command.val.value);
    else if (command.tag === "delete") kept.delete(command.val);
  }
}

function expectTold(instance: Instance, kept: Map<string, Uint8Array>): void {
  const told = new Map(instance.records().map(({ key, value }) => [key, value]));
  const used = [...kept.keys()].filter((key) => !key.startsWith("damaged/"));
  expect([...told.keys()].sort()).toEqual(used.sort());
  for (const [key, value] of told) expect([key, form(key, value)]).toEqual([key, form(key, kept.get(key)!)]);
}

/** Fields of containers, and of their health, that are put with the next change of another. */
const LATE = ["log", "streak", "written", "countedRun", "populated", "manuallyStopped", "disarmed"];

function form(key: string, value: Uint8Array): unknown {
  const text = new TextDecoder().decode(value);
  if (!key.startsWith("container/")) return text;
  return JSON.parse(text, (name, part: unknown) => (LATE.includes(name) ? undefined : part));
}
