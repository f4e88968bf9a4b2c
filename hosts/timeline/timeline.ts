// The timeline of a session. It observes the driver and keeps every step, in words and with the world after it.

import type { Effect, Input, RequestId, StepOutputs, engine, types } from "../shared/index.js";
import type { ObservedStep, Observer, Opening } from "../driver/index.js";
import { eventOf } from "./journal-event.js";
import { changesBetween } from "./changes.js";
import { EMPTY_WORLD, WorldFold } from "./fold.js";
import type { Happened } from "./fold.js";
import type { Step } from "./step.js";
import { valuesOf } from "./json-values.js";
import { causeOf, effectWords, replyWords } from "./words.js";
import type { Naming } from "./words.js";
import type { EventView } from "./event-view.js";
import type { World } from "./world.js";

export interface TimelineOptions {
  /** Whose request this is: the number of an exchange, or `events` for the stream that supplies the world's events. */
  claim: (request: engine.Request) => number | "events" | null;
  /** The world's time. */
  now: () => types.Instant;
  /** Whether the session is still being prepared and the user has done nothing yet. */
  preparing: () => boolean;
  /** A hash of a step's outputs. */
  hashOf: (outputs: StepOutputs) => string;
  /** A step was added. */
  added: (step: Step) => void;
  /** Reads the world's events from additions to the journal, because no client follows them here. */
  readsJournal?: true;
  /** Forgets steps after they were reported, for a caller that only reads along. */
  forgets?: true;
}

export class Timeline implements Observer {
  readonly steps: Step[] = [];
  readonly #options: TimelineOptions;
  readonly #fold = new WorldFold();
  readonly #requests = new Map<RequestId, { name: string; exchange: number | null }>();
  /** Operations that are running in this life of the engine. */
  readonly #asked = new Map<bigint, { effect: Effect; exchange: number | null }>();
  readonly #naming: Naming = {
    world: EMPTY_WORLD,
    effectOf: (op) => this.#asked.get(op)?.effect,
    requestOf: (id) => this.#requests.get(id)?.name,
  };
  #events: RequestId | null = null;
  #eventCount = 0;
  #stepCount = 0;
  #before: World = EMPTY_WORLD;
  #last = { epoch: 0, inEpoch: 0 };

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  opened(observed: ObservedStep, opening: Opening): void {
    this.#asked.clear();
    const notes = observed.explain();
    const world = this.#fold.opened(opening.records, this.#happened(observed, notes));
    const cause = observed.epoch === 1 ? "the engine starts" : "the engine starts again, from its records";
    this.#add(observed, { kind: "opened", cause, input: null, opening, exchange: null, notes }, world);
  }

  stepped(observed: ObservedStep, input: Input): void {
    const exchange = this.#exchangeOf(input);
    const cause = causeOf(input, this.#naming);
    const notes = observed.explain();
    const world = this.#fold.stepped(this.#happened(observed, notes));
    this.#add(observed, { kind: "stepped", cause, input, opening: null, exchange, notes }, world);
    if (input.tag === "completed") this.#asked.delete(input.val.op);
    if (input.tag === "elapsed") this.#asked.delete(input.val);
  }

  /** The instance continued from here. `records` are all its records. */
  resumed(at: { epoch: number; step: number; now: types.Instant }, records: readonly engine.Stored[]): void {
    this.#asked.clear();
    const world = this.#fold.opened(records, { records: [], moved: [], events: [] });
    this.#last = { epoch: at.epoch, inEpoch: at.step };
    const { monotonic, wall } = at.now;
    const cause = "the recording begins here, during the engine's life";
    this.#quiet("resumed", cause, world, { at: monotonic, wall });
  }

  lost(_epoch: number, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    const { monotonic: at, wall } = this.#options.now();
    this.#quiet("lost", `the engine is gone: ${why}`, this.#fold.lost(), { at, wall });
    this.#events = null;
  }

  /** A step without outputs. */
  #quiet(kind: Step["kind"], cause: string, world: World, time: Pick<Step, "at" | "wall">): void {
    const changes = changesBetween(this.#before, world);
    this.#push({ ...NOTHING, ...this.#last, ...time, kind, cause, world, changes, number: this.#stepCount });
  }

  /** The world after the last step. */
  get world(): World {
    return this.#fold.world;
  }

  #add(
    observed: ObservedStep,
    what: Pick<Step, "kind" | "cause" | "input" | "opening" | "exchange" | "notes">,
    world: World,
  ): void {
    const { outputs } = observed;
    const before = this.#before;
    // Names come from before and after: a container that is removed in this step still has one.
    const { containers } = world;
    const same = containers === before.containers;
    this.#naming.world = same ? world : { ...world, containers: [...containers, ...before.containers] };
    for (const effect of outputs.effects) {
      if (!cancelsTimer(effect)) this.#asked.set(effect.op, { effect, exchange: what.exchange });
    }
    this.#last = { epoch: observed.epoch, inEpoch: observed.step };
    this.#push({
      ...what,
      ...this.#last,
      at: observed.now.monotonic,
      wall: observed.now.wall,
      number: this.#stepCount,
      effects: outputs.effects.map((effect) => effectWords(effect, this.#naming)),
      records: outputs.records.flatMap((command) => {
        if (command.tag === "put") return { key: command.val.key, deleted: false };
        return command.tag === "delete" ? { key: command.val, deleted: true } : [];
      }),
      replies: outputs.replies.map((reply) => replyWords(reply, this.#naming)).filter((words) => words !== null),
      answers: this.#answered(outputs),
      outputs,
      hash: this.#options.hashOf(outputs),
      quiet: this.#isQuiet(what.input),
      world,
      changes: changesBetween(before, world),
    });
  }

  #push(step: Step): void {
    this.#stepCount++;
    this.#before = step.world;
    if (this.#options.forgets !== true) this.steps.push(step);
    this.#naming.world = step.world;
    this.#options.added(step);
  }

  #exchangeOf(input: Input): number | null {
    switch (input.tag) {
      case "request":
        return this.#claim(input.val);
      case "completed":
      case "progress":
        return this.#asked.get(input.val.op)?.exchange ?? null;
      case "elapsed":
        return this.#asked.get(input.val)?.exchange ?? null;
      case "closed":
      case "source-failed":
      case "drained":
        return this.#requests.get(input.val.request)?.exchange ?? null;
      case "exited":
      case "exec-exited":
      case "out-of-memory":
      case "reloaded":
        return null;
    }
  }

  #claim(request: engine.Request): number | null {
    const whose = this.#options.claim(request);
    if (whose === "events") this.#events = request.id;
    const exchange = typeof whose === "number" ? whose : null;
    this.#requests.set(request.id, { name: `${request.method} ${request.target}`, exchange });
    return exchange;
  }

  #isQuiet(input: Input | null): boolean {
    if (input === null) return false;
    if (input.tag === "drained" || this.#options.preparing()) return true;
    if (input.tag === "request") return this.#requests.get(input.val.id)?.exchange === null;
    if (input.tag === "closed" || input.tag === "source-failed")
      return this.#requests.get(input.val.request)?.exchange === null;
    return false;
  }

  #answered(outputs: StepOutputs): number[] {
    const exchanges = outputs.replies.map(({ request }) => this.#requests.get(request)?.exchange ?? null);
    return [...new Set(exchanges.filter((exchange) => exchange !== null))];
  }

  #happened(observed: ObservedStep, notes: readonly engine.Note[]): Happened {
    const moved = notes.flatMap((note) => (note.tag === "moved" ? [note.val] : []));
    const chunks = observed.outputs.replies.flatMap(({ request, command }) =>
      request === this.#events && command.tag === "chunk" ? [command.val] : [],
    );
    const { records } = observed.outputs;
    const events = this.#options.readsJournal ? this.#added(records) : chunks.flatMap((chunk) => this.#eventsOf(chunk));
    return { records, moved, events };
  }

  #added(records: StepOutputs["records"]): EventView[] {
    return records.flatMap((command) => {
      const event = command.tag === "append" ? eventOf(command.val.bytes) : null;
      return event === null ? [] : [{ number: this.#eventCount++, ...event }];
    });
  }

  #eventsOf(chunk: Uint8Array): EventView[] {
    return (valuesOf(new TextDecoder().decode(chunk)) as EventLine[]).map((line) => ({
      number: this.#eventCount++,
      type: line.Type,
      action: line.Action,
      id: line.Actor.ID,
      attributes: line.Actor.Attributes,
      at: BigInt(line.timeNano),
    }));
  }
}

/** The fields of a step that did nothing. */
const NOTHING = {
  ...{ input: null, opening: null, exchange: null, answers: [], quiet: false, hash: "" },
  ...{ effects: [], records: [], replies: [], notes: [], outputs: { records: [], effects: [], replies: [] } },
};

interface EventLine {
  Type: string;
  Action: string;
  Actor: { ID: string; Attributes: Record<string, string> };
  timeNano: number;
}

function cancelsTimer(effect: Effect): boolean {
  return effect.to === "timers" && effect.command.tag === "cancel";
}
