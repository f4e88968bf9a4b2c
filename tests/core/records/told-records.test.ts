// After every step of every scenario, the core's state matches the records it has put. A container or a volume may be
// ahead of its record only as long as no client was told of the change.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Input } from "../../../hosts/shared/host.js";
import { Instance } from "../../../hosts/driver/instance.js";
import { loadCore } from "../../../hosts/node/core-files.js";
import type { StepOutputs } from "../../../hosts/shared/outputs.js";
import { lateMembers } from "../../support/records/late-members.js";
import { record } from "../support/recordings.js";
import { play } from "../scenario/scenario.js";

const core = loadCore();
const SCENARIOS = new URL("../scenarios/", import.meta.url);

/** Requests whose answers reveal everything that they change or show. */
const TELLING = /^(?:\/v1\.\d+)?\/containers\/([^/?]+)\/(?:json|kill|stop|start|restart|pause|unpause|update|rename)\b/;
/** Those that reveal all containers and volumes. */
const TELLING_ALL = /^(?:\/v1\.\d+)?\/system\/df(?:$|\?(?!.*\btype=))/;
const ALL = "all of them";
/** Those that reveal all listed containers. */
const TELLING_SIZES = /^(?:\/v1\.\d+)?\/containers\/json\?(?=.*\ball=1)(?=.*\bsize=1)/;
const CONTAINERS = "all containers";

test.each(readdirSync(SCENARIOS).sort())("%s", (name) => {
  const text = readFileSync(new URL(name, SCENARIOS), "utf8");
  for (const { open, steps } of record(() => play(text))) {
    const instance = new Instance(core);
    const [, , , before] = open;
    const told = new Told(new Map(before.map(({ key, value }) => [key, value])));
    told.expect(instance, instance.open(...open));
    for (const { now, input } of steps) {
      told.asked(input);
      told.expect(instance, instance.step(now, input));
    }
  }
});

class Told {
  readonly #kept: Map<string, Uint8Array>;
  /** The containers of requests, as named in them. */
  readonly #subjects = new Map<bigint, string>();

  constructor(kept: Map<string, Uint8Array>) {
    this.#kept = kept;
  }

  asked(input: Input): void {
    if (input.tag !== "request") return;
    const subject = subjectOf(input.val.target);
    if (subject !== undefined) this.#subjects.set(input.val.id, subject);
  }

  /** Expects that a step's records match memory. */
  expect(instance: Instance, { records, replies }: StepOutputs): void {
    for (const command of records) {
      if (command.tag === "put") this.#kept.set(command.val.key, command.val.value);
      else if (command.tag === "delete") this.#kept.delete(command.val);
    }
    const memory = instance.records();
    const used = [...this.#kept.keys()].filter((key) => !key.startsWith("damaged/"));
    expect(memory.map(({ key }) => key).sort()).toEqual(used.sort());
    const subjects = replies.flatMap((reply) => this.#toldOf(reply));
    for (const record of memory) {
      const { key, value } = record;
      const late = subjects.some((subject) => isCalled(subject, key, value)) ? [] : lateMembers(record, memory);
      expect([key, form(key, value, late)]).toEqual([key, form(key, this.#kept.get(key)!, late)]);
    }
  }

  #toldOf({ request, command }: StepOutputs["replies"][number]): string[] {
    const subject = this.#subjects.get(request);
    if (subject === undefined || command.tag !== "whole" || command.val.head.status >= 300) return [];
    return [subject];
  }
}

function subjectOf(target: string): string | undefined {
  if (TELLING_ALL.test(target)) return ALL;
  return TELLING_SIZES.test(target) ? CONTAINERS : TELLING.exec(target)?.[1];
}

function isCalled(subject: string, key: string, value: Uint8Array): boolean {
  if (subject === ALL) return true;
  if (!key.startsWith("container/")) return false;
  if (subject === CONTAINERS) return true;
  const { id, name } = JSON.parse(new TextDecoder().decode(value)) as { id: string; name: string };
  return name === subject.replace(/^\//, "") || id.startsWith(subject);
}

function form(key: string, value: Uint8Array, late: string[]): unknown {
  const text = new TextDecoder().decode(value);
  if (!key.startsWith("container/") && !key.startsWith("volume/")) return text;
  const members = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return Object.fromEntries(members.filter(([name]) => !late.includes(name)));
}
