// Checks health checks: the engine's record of a container's health and its events must follow from the results of
// probes. A probe starts when it is due, one at a time, and only in a container that runs and is not paused.

import type { Operation, processes } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import { parsed, wordOf } from "../../ledger.js";
import { type Invariant, type Seen, isComparedWhole } from "../invariant.js";
import { RunLengths } from "../runs/lengths.js";
import { eventsOf } from "../journal.js";
import { type Condition, HealthCourse, type Probed, formOf, planOf } from "./course.js";
import { Probes } from "./probes.js";
import { shownIn } from "./shown.js";

/** A container that runs, is not paused, and has health checks. */
interface Watched {
  readonly run: number;
  readonly course: HealthCourse;
  /** Monotonic time of the next probe. Null during a probe. */
  due: bigint | null;
  /** Timers for that time. Some may be for other purposes. */
  timers: Operation[];
}

export class Health implements Invariant {
  /** By container. */
  readonly #watched = new Map<string, Watched>();
  /** The last health of containers that are not watched any more, and the run that it belongs to. */
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
    if (events.join() !== told.join()) broken(`the events are: ${events.join()}; they should be: ${told.join()}`);
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
      // A paused container keeps the health of its run, and continues with it after the pause.
      const run = wordOf(record) === "paused" ? record.run : null;
      if (condition !== undefined && planOf(config) !== null) this.#left.set(id, { condition, run });
    }
  }

  /** The events that the step must have. */
  #heard(seen: Seen): string[] {
    const found = this.#probes.heard(seen);
    if (found === null) return [];
    const { container, begun, exitCode } = found;
    const watched = this.#watched.get(container);
    if (watched?.run !== found.run) broken(`a probe of ${container} ends, but the container does not run`);
    const runFor = this.#lengths.at(container, begun);
    const isOther = watched.course.add(exitCode, begun.wall, seen.now.wall, runFor);
    this.#wait(container, watched, seen);
    return isOther ? [`health_status: ${watched.course.condition.status} of ${container}`] : [];
  }

  /** Notes which containers started or stopped running in this step. */
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

  /** A container that does not run or is paused is shown as unhealthy. */
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

  /** Notes the probes that the step starts. */
  #began(seen: Seen): void {
    for (const { to, op, command } of seen.outputs.effects) {
      if (to !== "processes" || command.tag !== "exec" || command.val.capture === 0) continue;
      this.#probes.begin(op, command.val, this.#due(command.val, seen).course.plan.timeout, seen);
    }
  }

  #due({ subject: { container, run } }: processes.Exec, { now }: Seen): Watched {
    const watched = this.#watched.get(container);
    if (watched?.run !== run) broken(`${container} is probed, but does not run`);
    if (watched.due === null) broken(`${container} is probed during another probe`);
    if (now.monotonic < watched.due) broken(`${container} is probed ${watched.due - now.monotonic} ns too early`);
    watched.due = null;
    watched.timers = [];
    return watched;
  }

  /** Checks that each waiting container has a timer. */
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

  /** Compares the health in the instance's records and in its answers. */
  #known(seen: Seen): void {
    const { remembered, outputs } = seen;
    for (const { key, value } of this.#size > 0 && isComparedWhole(seen) ? remembered() : []) {
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
    if (own !== other) broken(`the ${how} health of ${id} is ${other}\nby its probes it is ${own}`);
  }
}

function broken(message: string): never {
  throw new Breach("health", message);
}
