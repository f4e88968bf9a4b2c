// Asks two instances the same questions, to compare what they know.

import type { engine, types } from "../../../hosts/shared/host.js";
import type { Instance } from "../../../hosts/driver/instance.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, wordOf } from "../ledger.js";
import { type Shown, wrongAfter } from "./forgotten.js";

/** Requests to which both instances must give the same answers, in addition to the ones about each container. */
export const LISTS = ["/images/json", "/volumes", "/networks", "/networks/bridge"];

const SETTLED = ["created", "running", "paused", "exited", "dead"];

/** Asks an instance that has no other clients. Requests must not change its answers. */
export class Questions {
  readonly #instance: Pick<Instance, "step">;
  readonly #now: types.Instant;
  /** By target. */
  readonly #answers = new Map<string, string>();
  #last = 1n << 60n;

  constructor(instance: Pick<Instance, "step">, now: types.Instant) {
    this.#instance = instance;
    this.#now = now;
  }

  /** Sends each request only once, and caches the answer. */
  ask(target: string): string {
    const known = this.#answers.get(target) ?? this.#asked(target);
    this.#answers.set(target, known);
    return known;
  }

  #asked(target: string): string {
    const id = ++this.#last;
    const request = { id, listener: "internal", method: "GET", target: `/v1.55${target}`, headers: "" };
    const outputs = this.#instance.step(this.#now, { tag: "request", val: { ...request, body: { tag: "none" } } });
    const [reply] = outputs.replies;
    if (reply?.command.tag !== "whole") return "no answer";
    return new TextDecoder().decode(reply.command.val.body);
  }
}

/** Throws a `Breach` if an instance and one that was opened from its records give different answers. */
export function same(rule: string, what: string, memory: Questions, records: Questions, target: string): void {
  const told = [memory.ask(target), records.ask(target)] as [string, string];
  if (told[0] === told[1] && NOTHING_TO_FORGET.test(told[0])) return;
  const [before, after] = told.map((text) => JSON.parse(text) as unknown);
  const wrong = isContainer(after) ? wrongAfter(before as Shown, after) : null;
  if (wrong !== null) throw new Breach(rule, `${what}: ${wrong}`);
  const [remembered, recorded] = [before, after].map(inOrder) as [string, string];
  if (remembered === recorded) return;
  const at = Math.max(0, [...remembered].findIndex((letter, place) => letter !== recorded[place]) - 100);
  const [left, right] = [remembered.slice(at, at + 300), recorded.slice(at, at + 300)];
  throw new Breach(rule, `${what} differs:\nin memory   ${left}\nby records  ${right}`);
}

/** Whether nothing is pending for the container, and its process matches its record. */
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

/** An answer about no container, or about one without execs and probes. A container's config has `Volumes`, too. */
const NOTHING_TO_FORGET = /^\[|^\{"(?:Volumes|Name)":|^(?!.*"Health":).*"ExecIDs":null/;

function isContainer(value: unknown): value is Shown {
  return typeof value === "object" && value !== null && "State" in value;
}

/** Sorts lists and tables, whose order is not promised. Leaves out what `forgotten.ts` checks. */
function inOrder(value: unknown): string {
  if (isContainer(value)) return JSON.stringify({ ...value, ExecIDs: null, State: { ...value.State, Health: null } });
  const { IPAM, Containers } = value as { IPAM?: unknown; Containers?: object };
  if (IPAM !== undefined) {
    return JSON.stringify({ ...(value as object), Containers: Object.entries(Containers ?? {}).sort() });
  }
  const { Volumes = value } = value as { Volumes?: unknown };
  if (!Array.isArray(Volumes)) return JSON.stringify(value);
  return Volumes.map((one) => JSON.stringify(one))
    .sort()
    .join("\n");
}
