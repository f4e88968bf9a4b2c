// Collects the plan of a dry run, step by step.

import { onlyAsks } from "../shared/index.js";
import type { Effect, Input, Operation, RecordChange, Reply, RequestId, StepOutputs, types } from "../shared/index.js";
import type { ObservedStep } from "../driver/index.js";
import { withoutCredentials } from "../redaction/index.js";
import type { Plan, PlanEntry, PlannedEffect, PlannedRecord } from "./format.js";
import { readable, readableBytes, readableTime } from "./readable.js";

const MOST_ENTRIES = 10_000;

export class DryRunJournal {
  readonly #began: types.Instant;
  readonly #isOwn: (request: RequestId) => boolean;
  #entries: PlanEntry[] = [];
  #left = 0;
  #now: types.Instant;
  readonly #numbers = new Map<RequestId, number>();
  #requests = 0;
  /** Effects that have not ended. */
  readonly #effects = new Map<Operation, PlannedEffect>();

  /** `isOwn`: whether the dry run made the request itself, so that the plan leaves it out. */
  constructor(began: types.Instant, isOwn: (request: RequestId) => boolean) {
    this.#began = this.#now = began;
    this.#isOwn = isOwn;
  }

  stepped({ now, outputs }: ObservedStep, input: Input): void {
    this.#now = now;
    this.#input(input);
    this.#outputs(outputs);
  }

  event(json: unknown): void {
    this.#add({ at: this.#at, event: json });
  }

  /** The request is over. */
  forget(request: RequestId): void {
    this.#numbers.delete(request);
  }

  /** How many entries there have been. */
  get length(): number {
    return this.#left + this.#entries.length;
  }

  /** The plan without its first `from` entries. */
  plan(now: types.Instant, from: number): Plan {
    const [began, ends] = [readableTime(this.#began.wall), readableTime(now.wall)];
    const left = Math.max(0, this.#left - from);
    const plan = this.#entries.slice(Math.max(0, from - this.#left));
    return { format: "coracle-dry-run", version: 2, began, now: ends, left, plan };
  }

  get #at(): string {
    return readableTime(this.#now.wall);
  }

  #add(entry: PlanEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length <= MOST_ENTRIES + MOST_ENTRIES / 10) return;
    this.#left += this.#entries.length - MOST_ENTRIES;
    this.#entries = this.#entries.slice(-MOST_ENTRIES);
  }

  #input(input: Input): void {
    if (input.tag === "completed") return this.#completed(input);
    if (input.tag === "exited") {
      const { container, run, exit } = input.val;
      this.#add({ at: this.#at, ended: { container, run, code: exit.code } });
    } else if (input.tag === "exec-exited") {
      const { exec, exit } = input.val;
      this.#add({ at: this.#at, ended: { exec, code: exit.code } });
    } else if (input.tag === "request" && !this.#isOwn(input.val.id)) {
      this.#request(input);
    }
  }

  #request(input: Input & { tag: "request" }): void {
    const masked = withoutCredentials(input).input as typeof input;
    const { id, method, target } = masked.val;
    this.#numbers.set(id, ++this.#requests);
    this.#add({ at: this.#at, request: { id: this.#requests, method, target } });
  }

  #completed(input: Input & { tag: "completed" }): void {
    const { op, outcome } = input.val;
    const effect = this.#effects.get(op);
    this.#effects.delete(op);
    if (effect === undefined) return;
    if (outcome.tag === "err") effect.outcome = { failure: readable(outcome.val) };
    else effect.outcome = outcome.val.tag === "token" ? { tag: "token" } : readable(outcome.val);
  }

  #outputs({ records, effects, replies }: StepOutputs): void {
    for (const change of records) this.#add({ at: this.#at, record: recordOf(change) });
    for (const effect of effects) this.#effect(effect);
    for (const reply of replies) this.#reply(reply);
  }

  #effect(effect: Effect): void {
    const { to, op, command } = effect;
    const planned: PlannedEffect = { to, command: command.tag, ...this.#with(effect), how: howOf(effect) };
    this.#add({ at: this.#at, effect: planned });
    if (to !== "timers") this.#effects.set(op, planned);
  }

  #with({ to, command }: Effect): { with?: unknown } {
    if (!("val" in command)) return {};
    if (to !== "timers") return { with: readable(command.val) };
    const wall = this.#now.wall - this.#now.monotonic + (command.val as bigint);
    return { with: { at: readableTime(wall) } };
  }

  #reply({ request, command }: Reply): void {
    const id = this.#numbers.get(request);
    const head = "val" in command && headOf(command);
    if (id !== undefined && head) this.#add({ at: this.#at, answer: { id, status: head.status } });
  }
}

function recordOf(change: RecordChange): PlannedRecord {
  if (change.tag === "put") return { put: change.val.key, value: readableBytes(change.val.value) };
  if (change.tag === "delete") return { delete: change.val };
  return { append: String(change.val.position), value: readableBytes(change.val.bytes) };
}

function howOf(effect: Effect): PlannedEffect["how"] {
  if (effect.to === "timers") return "timer";
  return onlyAsks(effect) ? "asked" : "imagined";
}

function headOf(command: Reply["command"]): { status: number } | null {
  if (command.tag === "whole" || command.tag === "bare" || command.tag === "hijack" || command.tag === "calls")
    return command.val.head;
  return command.tag === "open" ? command.val : null;
}
