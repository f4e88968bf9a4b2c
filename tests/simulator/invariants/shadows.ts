// An instance that is restored from a snapshot goes on as the one that it was taken of; one that is opened from the
// records says of everything that is settled what the one that wrote them says.

import { createHash } from "node:crypto";
import type { engine, types } from "../../../hosts/host.js";
import { Instance, type CompiledCore } from "../../../hosts/instance.js";
import type { Opening } from "../../../hosts/observer.js";
import type { StepOutputs } from "../../../hosts/outbox.js";
import { hashesOf } from "../../../hosts/trace/hash.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, wordOf } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";

/** How often, in steps, and for how many steps the one restored is held against the other. */
const EVERY = 50;
const FOLLOWED = 8;
const SETTLED = ["created", "running", "paused", "exited"];
/** Of instances that no driver opens: their operations are nobody's. */
const SHADOW_EPOCH = 1_000_000;
const LISTS = ["/images/json", "/volumes", "/networks"];

export class Shadows implements Invariant {
  readonly #core: CompiledCore;
  readonly #found: () => engine.Inventory;
  #twin: { instance: Instance; left: number } | null = null;
  #opening: Opening | null = null;

  constructor(core: CompiledCore, found: () => engine.Inventory) {
    this.#core = core;
    this.#found = found;
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
    this.#twin = { instance: this.#restored(snapshot), left: FOLLOWED };
    // Another one: what a client is told is put before that, and what was put is not put again.
    const memory = new Questions(this.#restored(snapshot), seen.now);
    const { instance, moved } = this.#opened(seen);
    const records = new Questions(instance, seen.now);
    for (const container of seen.ledger.containers.values()) {
      if (moved.has(container.id) || !this.#isSettled(container)) continue;
      same(`container ${container.id} (${wordOf(container)})`, memory, records, `/containers/${container.id}/json`);
    }
    if (moved.size === 0) for (const list of LISTS) same(list, memory, records, list);
  }

  #restored(snapshot: Uint8Array): Instance {
    const instance = new Instance(this.#core);
    instance.restore(snapshot);
    return instance;
  }

  /** And the containers that it moved as it was opened. */
  #opened({ now, ledger }: Seen): { instance: Instance; moved: Set<string> } {
    const instance = new Instance(this.#core);
    const { options, seed } = this.#opening as Opening;
    const journal = { next: 1n << 40n, at: now.wall };
    instance.open({ ...options, epoch: SHADOW_EPOCH }, now, seed, ledger.stored(), journal, this.#found());
    const notes = instance.explain();
    return { instance, moved: new Set(notes.flatMap((note) => (note.tag === "moved" ? [note.val.container] : []))) };
  }

  /** Nothing is being done with it, and its process is as its record says. */
  #isSettled(container: ContainerRecord): boolean {
    if (!SETTLED.includes(wordOf(container)) || container.unclean) return false;
    const process = this.#found().processes.find((one) => one.container === container.id && one.run === container.run);
    const runs = wordOf(container) === "running" || wordOf(container) === "paused";
    return runs ? process?.state.tag === "running" : process === undefined;
  }
}

/** Asks an instance that nobody else asks. */
class Questions {
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

function same(what: string, memory: Questions, records: Questions, target: string): void {
  const [remembered, recorded] = [memory.ask(target), records.ask(target)].map(inOrder) as [string, string];
  if (remembered === recorded) return;
  const at = Math.max(0, [...remembered].findIndex((letter, place) => letter !== recorded[place]) - 100);
  const [left, right] = [remembered.slice(at, at + 300), recorded.slice(at, at + 300)];
  throw new Breach("shadows", `${what} differs:\nin memory   ${left}\nby records  ${right}`);
}

/**
 * Lists promise no order. What probes found is in no record: a restart begins to probe anew; execs that an instance has
 * begun end with it.
 */
function inOrder(text: string): string {
  const value = JSON.parse(text) as unknown;
  const { State } = value as { State?: { Health?: unknown } };
  if (State !== undefined) {
    return JSON.stringify({ ...(value as object), ExecIDs: null, State: { ...State, Health: null } });
  }
  const { Volumes = value } = value as { Volumes?: unknown };
  if (!Array.isArray(Volumes)) return text;
  return Volumes.map((one) => JSON.stringify(one))
    .sort()
    .join("\n");
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();

/** Of all that a step asked for. */
export function digest(outputs: StepOutputs): string {
  const { records = "", effects = "", replies = "" } = hashesOf(outputs, false, sha256);
  return `${records} ${effects} ${replies}`;
}

function short({ records, effects, replies }: StepOutputs): string {
  const bytes = (_: string, value: unknown): unknown => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? new TextDecoder().decode(value).slice(0, 400) : value;
  };
  return JSON.stringify({ records, effects, replies }, bytes).slice(0, 4000);
}
