// What instances are asked to see whether they know the same.

import type { engine, types } from "../../../hosts/host.js";
import type { Instance } from "../../../hosts/instance.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, wordOf } from "../ledger.js";

/** What no two instances may answer otherwise, whoever is asked about whichever container. */
export const LISTS = ["/images/json", "/volumes", "/networks", "/networks/bridge"];

const SETTLED = ["created", "running", "paused", "exited", "dead"];

/** Asks an instance that nobody else asks: what it tells of it puts before that. */
export class Questions {
  readonly #instance: Instance;
  readonly #now: types.Instant;
  #last = 1n << 60n;

  constructor(instance: Instance, now: types.Instant) {
    this.#instance = instance;
    this.#now = now;
  }

  ask(target: string): string {
    const id = ++this.#last;
    const request = { id, listener: "internal", method: "GET", target: `/v1.55${target}`, headers: "" };
    const outputs = this.#instance.step(this.#now, { tag: "request", val: { ...request, body: { tag: "none" } } });
    const [reply] = outputs.replies;
    if (reply?.command.tag !== "whole") return "no answer";
    return new TextDecoder().decode(reply.command.val.body);
  }
}

/** Throws a `Breach` where one that remembers and one that has read the records answer otherwise. */
export function same(rule: string, what: string, memory: Questions, records: Questions, target: string): void {
  const [remembered, recorded] = [memory.ask(target), records.ask(target)].map(inOrder) as [string, string];
  if (remembered === recorded) return;
  const at = Math.max(0, [...remembered].findIndex((letter, place) => letter !== recorded[place]) - 100);
  const [left, right] = [remembered.slice(at, at + 300), recorded.slice(at, at + 300)];
  throw new Breach(rule, `${what} differs:\nin memory   ${left}\nby records  ${right}`);
}

/** Nothing is being done with it, and its process is as its record says. */
export function isSettled(container: ContainerRecord, processes: readonly engine.FoundProcess[]): boolean {
  if (!SETTLED.includes(wordOf(container)) || container.unclean) return false;
  const process = processes.find((one) => one.container === container.id && one.run === container.run);
  const runs = wordOf(container) === "running" || wordOf(container) === "paused";
  return runs ? process?.state.tag === "running" : process === undefined;
}

/** Containers that the core has moved in this step. */
export function movedIn(notes: readonly engine.Note[]): Set<string> {
  return new Set(notes.flatMap((note) => (note.tag === "moved" ? [note.val.container] : [])));
}

/**
 * Lists and tables promise no order. What probes found is in no record: a restart begins to probe anew; execs that an instance has
 * begun end with it.
 */
function inOrder(text: string): string {
  const value = JSON.parse(text) as unknown;
  const { State } = value as { State?: { Health?: unknown } };
  if (State !== undefined) {
    return JSON.stringify({ ...(value as object), ExecIDs: null, State: { ...State, Health: null } });
  }
  const { IPAM, Containers } = value as { IPAM?: unknown; Containers?: object };
  if (IPAM !== undefined) {
    return JSON.stringify({ ...(value as object), Containers: Object.entries(Containers ?? {}).sort() });
  }
  const { Volumes = value } = value as { Volumes?: unknown };
  if (!Array.isArray(Volumes)) return text;
  return Volumes.map((one) => JSON.stringify(one))
    .sort()
    .join("\n");
}
