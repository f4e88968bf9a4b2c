// Health checks: from what becomes of probes follows what the engine knows and tells of a container's health. A probe is
// made when it is due, while no other is made, and of no container that is paused or does not run.

import type { Operation, processes } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import { parsed, wordOf } from "../../ledger.js";
import type { Invariant, Seen } from "../invariant.js";
import { RunLengths } from "../runs/lengths.js";
import { eventsOf } from "../journal.js";
import { type Condition, HealthCourse, type Probed, formOf, planOf } from "./course.js";
import { Probes } from "./probes.js";
import { shownIn } from "./shown.js";

/** A container that runs, is not paused, and has health checks. */
interface Watched {
  readonly run: number;
  readonly course: HealthCourse;
  /** When it is probed next, of monotonic time; null while it is probed. */
  due: bigint | null;
  /** Set for then, some of them perhaps for others. */
  timers: Operation[];
}

export class Health implements Invariant {
  /** By container. */
  readonly #watched = new Map<string, Watched>();
  /** What is known of those that are not, if they ever were; and in which run that was found. */
  readonly #left = new Map<string, { condition: Condition; run: number | null }>();
  readonly #probes = new Probes();
  readonly #lengths = new RunLengths();

  stepped(seen: Seen): void {
    if (seen.opening !== null) this.#opened(seen.opening.records);
    this.#lengths.stepped(seen);
    const told = this.#heard(seen);
    this.#follow(seen);
    this.#began(seen);
    this.#timed(seen);
    const own = eventsOf(seen.outputs.records).filter(({ action }) => action.startsWith("health_status"));
    const events = own.map(({ id, action }) => `${action} of ${id}`);
    if (events.join() !== told.join()) broken(`${events.join() || "nothing"} is told, not ${told.join() || "nothing"}`);
    this.#known(seen);
  }

  #opened(records: NonNullable<Seen["opening"]>["records"]): void {
    this.#watched.clear();
    this.#left.clear();
    this.#probes.clear();
    for (const { key, value } of records) {
      if (!key.startsWith("container/")) continue;
      const record = parsed(value) as Probed;
      const { id, health: condition, config } = record;
      // A pause is found as it was: thawed, its run goes on being what that has made of it.
      const run = wordOf(record) === "paused" ? record.run : null;
      if (condition !== undefined && planOf(config) !== null) this.#left.set(id, { condition, run });
    }
  }

  /** What the step must tell. */
  #heard(seen: Seen): string[] {
    const found = this.#probes.heard(seen);
    if (found === null) return [];
    const { container, begun, exitCode } = found;
    const watched = this.#watched.get(container);
    if (watched?.run !== found.run) broken(`a probe of ${container} is awaited, and it does not run`);
    const runFor = this.#lengths.at(container, begun);
    const isOther = watched.course.add(exitCode, begun.wall, seen.now.wall, runFor);
    this.#wait(container, watched, seen);
    return isOther ? [`health_status: ${watched.course.condition.status} of ${container}`] : [];
  }

  /** Who runs since this step, and who does no more. */
  #follow(seen: Seen): void {
    const { ledger, notes, opening } = seen;
    const moved = notes.flatMap((note) => (note.tag === "moved" ? [note.val.container] : []));
    for (const id of new Set(opening === null ? moved : ledger.containers.keys())) {
      const record = ledger.json<Probed>(`container/${id}`);
      const status = record === undefined ? "removed" : wordOf(record);
      const watched = this.#watched.get(id);
      if (watched !== undefined && (status !== "running" || watched.run !== record?.run)) {
        this.#watched.delete(id);
        this.#left.set(id, { condition: watched.course.condition, run: watched.run });
        this.#probes.giveUp(id, status === "paused", seen);
      }
      if (record === undefined) this.#left.delete(id);
      else if (status !== "running") this.#lose(id);
      else if (!this.#watched.has(id)) this.#watch(record, seen);
    }
  }

  /** Of one that does not run, or is paused, nobody knows how it is. */
  #lose(id: string): void {
    const left = this.#left.get(id);
    if (left !== undefined) left.condition = { ...left.condition, status: "unhealthy" };
  }

  #watch({ id, run, config }: Probed, seen: Seen): void {
    const plan = planOf(config);
    if (plan === null) return;
    const left = this.#left.get(id);
    this.#left.delete(id);
    const log = left?.condition.log ?? [];
    const condition = left?.run === run ? left.condition : { status: "starting", streak: 0, log };
    const course = new HealthCourse(plan, condition);
    const watched: Watched = { run, course, due: null, timers: [] };
    this.#watched.set(id, watched);
    this.#wait(id, watched, seen);
  }

  #wait(id: string, watched: Watched, { now }: Seen): void {
    watched.due = now.monotonic + watched.course.waitAt(this.#lengths.at(id, now));
    watched.timers = [];
  }

  /** Probes that the step asks for. */
  #began(seen: Seen): void {
    for (const { to, op, command } of seen.outputs.effects) {
      if (to !== "processes" || command.tag !== "exec" || command.val.capture === 0) continue;
      this.#probes.begin(op, command.val, this.#due(command.val, seen).course.plan.timeout, seen);
    }
  }

  #due({ subject: { container, run } }: processes.Exec, { now }: Seen): Watched {
    const watched = this.#watched.get(container);
    if (watched?.run !== run) broken(`${container} is probed, and does not run`);
    if (watched.due === null) broken(`${container} is probed, and a probe of it goes on`);
    if (now.monotonic < watched.due) broken(`${container} is probed ${watched.due - now.monotonic} ns too early`);
    watched.due = null;
    watched.timers = [];
    return watched;
  }

  /** For whoever waits a timer is set. Whose went off is told by who was probed. */
  #timed({ input, outputs, now }: Seen): void {
    const timers = outputs.effects.flatMap((effect) => (effect.to === "timers" ? [effect] : []));
    const gone = new Set(timers.flatMap(({ op, command }) => (command.tag === "cancel" ? [op] : [])));
    if (input?.tag === "elapsed") gone.add(input.val);
    for (const [id, watched] of this.#watched) {
      const { due } = watched;
      if (due === null) continue;
      watched.timers = watched.timers.filter((op) => !gone.has(op));
      for (const { op, command } of timers) {
        if (command.tag === "set" && command.val === due) watched.timers.push(op);
      }
      if (watched.timers.length === 0) broken(`no timer is set for the probe of ${id} in ${due - now.monotonic} ns`);
    }
  }

  /** What the instance knows, and what it shows. */
  #known({ remembered, outputs }: Seen): void {
    for (const { key, value } of this.#size === 0 ? [] : remembered()) {
      const id = key.startsWith("container/") ? key.slice("container/".length) : "";
      const condition = this.#conditionOf(id);
      if (condition !== null) this.#compare("remembered", id, condition, (parsed(value) as Probed).health ?? null);
    }
    for (const { command } of outputs.replies) {
      const shown = command.tag === "whole" ? shownIn(command.val) : null;
      const condition = this.#conditionOf(shown?.id ?? "");
      if (shown !== null && condition !== null) this.#compare("shown", shown.id, condition, shown.condition);
    }
  }

  get #size(): number {
    return this.#watched.size + this.#left.size;
  }

  #conditionOf(id: string): Condition | null {
    return this.#watched.get(id)?.course.condition ?? this.#left.get(id)?.condition ?? null;
  }

  #compare(how: string, id: string, expected: Condition, given: Condition | null): void {
    const [own, other] = [formOf(expected), given === null ? "nothing" : formOf(given)];
    if (own !== other) broken(`of ${id} is ${how}: ${other}\nby its probes it is ${own}`);
  }
}

function broken(message: string): never {
  throw new Breach("health", message);
}
