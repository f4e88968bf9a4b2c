// A running session: actions enter the simulated world, each at its own moment, and steps come out.

import { computed, signal } from "@preact/signals-core";
import type { Engine } from "../../embedding/engine.js";
import type { Fault, FileSystem, Pace, SetFault, SimulatedHost } from "../../simulated/index.js";
import { Actor } from "./actor.js";
import type { Action, EnteredAction } from "./action.js";
import { branched, branchedWith } from "./branch.js";
import type { Cell } from "./cell.js";
import { EMPTY_WORLD } from "../../timeline/index.js";
import type { Rule, Step, World } from "../../timeline/index.js";
import { entriesOf } from "./view/logs.js";
import { Notebook } from "./notebook.js";
import type { KeptCell } from "./notebook.js";
import type { WrittenRequest } from "./request.js";
import type { Sending } from "./sending.js";
import type { LogEntry, NamedCore, Session, SessionOptions, Visit } from "./session.js";

/** What a session is built on: see `create.ts`. */
export interface Ground {
  readonly core: NamedCore;
  readonly seed: number;
  readonly images: readonly string[];
  readonly host: SimulatedHost;
  readonly engine: Engine;
  /** Kept up to date by the timeline. */
  readonly steps: Step[];
  /** Listener for new steps. */
  readonly added: { tell: (step: Step) => void };
  /** The engine answers again. */
  readonly reopened: () => void;
  /** Opens another session. */
  readonly create: (options: SessionOptions, cells: readonly KeptCell[]) => Promise<LiveSession>;
  readonly pace: Pace;
  readonly cells: readonly KeptCell[];
}

/** How often changes of the world's time are reported, so that a visitor can watch them. */
const CHANGES_MS = 50;

export class LiveSession implements Session {
  readonly recording = null;
  readonly core: NamedCore;
  readonly seed: number;
  readonly images: readonly string[];
  readonly notebook: Notebook;
  readonly actions = signal<readonly EnteredAction[]>([]);
  readonly faults = signal<readonly SetFault[]>([]);
  readonly pace = signal<Pace>("stopped");
  readonly steps = signal<readonly Step[]>([]);
  readonly changes = signal(0);
  readonly looking = signal<number | null>(null);
  readonly lit = computed((): Step | null => {
    const steps = this.steps.value;
    return (this.looking.value === null ? steps.findLast((step) => !step.quiet) : steps[this.looking.value]) ?? null;
  });
  readonly world = computed((): World => {
    const steps = this.steps.value;
    return (this.looking.value === null ? steps.at(-1) : steps[this.looking.value])?.world ?? EMPTY_WORLD;
  });
  readonly rules: readonly Rule[];
  readonly #ground: Ground;
  readonly #actor: Actor;
  readonly visits = computed((): readonly Visit[] => [...this.#actor.visits.value.values()]);
  #nextExchange = 1;
  #nextVisit = 1;
  #telling = false;
  #changing = false;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.core = ground.core;
    this.seed = ground.seed;
    this.images = ground.images;
    this.#actor = new Actor(ground.host, ground.engine, ground.reopened);
    this.notebook = new Notebook(this.exchanges, ground.cells);
    this.rules = ground.engine.rules();
    this.steps.value = [...ground.steps];
    ground.added.tell = (step) => this.#stepped(step);
    ground.host.timers.onChange(() => this.#timeChanged());
    this.setPace(ground.pace);
  }

  get cells() {
    return this.notebook.cells;
  }

  get exchanges() {
    return this.#actor.exchanges;
  }

  get engine() {
    return this.#actor.engine;
  }

  add(request: WrittenRequest, place?: number): Cell {
    return this.notebook.add(request, place);
  }

  edit(cell: string, request: Partial<WrittenRequest>): void {
    this.notebook.edit(cell, request);
  }

  duplicate(cell: string): Cell {
    return this.notebook.duplicate(cell);
  }

  remove(cell: string): void {
    this.notebook.remove(cell);
  }

  move(cell: string, place: number): void {
    this.notebook.move(cell, place);
  }

  async send(cell: string): Promise<Sending> {
    const request = this.notebook.find(cell).request.value;
    const exchange = this.#nextExchange++;
    await this.enter({ kind: "send", exchange, cell, request });
    return this.#actor.exchange(exchange)!;
  }

  type(exchange: number, text: string): Promise<void> {
    return this.enter({ kind: "type", exchange, text });
  }

  endInput(exchange: number): Promise<void> {
    return this.enter({ kind: "end-input", exchange });
  }

  cancel(exchange: number): Promise<void> {
    return this.enter({ kind: "cancel", exchange });
  }

  inject(fault: Fault, times?: number): Promise<void> {
    if (fault.kind === "engine-crash" && fault.afterOutputs === 0) return this.crash();
    return this.enter({ kind: "inject", fault, times: times ?? null });
  }

  visit(port: number, address?: string): Promise<void> {
    return this.enter({ kind: "visit", visit: this.#nextVisit++, port, ...(address !== undefined && { address }) });
  }

  lift(fault: Fault["kind"]): Promise<void> {
    return this.enter({ kind: "lift", fault });
  }

  crash(): Promise<void> {
    return this.enter({ kind: "crash" });
  }

  async reopen(): Promise<void> {
    await this.enter({ kind: "reopen" });
    await this.#actor.reopening;
  }

  setPace(pace: Pace): void {
    this.pace.value = pace;
    this.#ground.host.timers.pace = pace;
  }

  get next(): bigint | null {
    return this.#ground.host.timers.next;
  }

  step(): Promise<boolean> {
    return this.#ground.host.timers.step();
  }

  advance(ns: bigint): Promise<void> {
    return this.#ground.host.timers.advance(ns);
  }

  now(): { monotonic: bigint; wall: bigint } {
    return this.#ground.host.timers.now();
  }

  goTo(step: number | null): void {
    this.looking.value = step;
  }

  async logs(container: string): Promise<readonly LogEntry[]> {
    const step = this.looking.value === null ? null : this.steps.value[this.looking.value];
    const log = await this.#ground.host.replies.log(container);
    try {
      return await entriesOf(log, step?.wall ?? this.now().wall);
    } finally {
      await log.close();
    }
  }

  files(container: string): FileSystem | null {
    return this.#ground.host.world.files(container);
  }

  branch(step: number | null): Promise<Session> {
    return branched(this, step);
  }

  branchWith(cell: string, before: number): Promise<Session> {
    return branchedWith(this, cell, before);
  }

  async close(): Promise<void> {
    this.engine.value = "closed";
    this.setPace("fast");
    await this.#ground.engine.close();
  }

  /** Enters an action at its own moment: now, or at `at`. */
  async enter(action: Action, at?: bigint): Promise<void> {
    const { timers } = this.#ground.host;
    await timers.enter(() => {
      this.actions.value = [...this.actions.value, { at: timers.now().monotonic, action }];
      if (action.kind === "send") this.#nextExchange = Math.max(this.#nextExchange, action.exchange + 1);
      if (action.kind === "visit") this.#nextVisit = Math.max(this.#nextVisit, action.visit + 1);
      this.#actor.act(action);
      this.faults.value = [...this.#ground.host.faults.set];
    }, at);
  }

  /** A new session on the same core, in the state in which this one began; its time stands still. */
  afresh(cells: readonly KeptCell[]): Promise<LiveSession> {
    const { core, seed, images } = this;
    return this.#ground.create({ core, seed, images, pace: "stopped" }, cells);
  }

  /** The exchange that this request belongs to, on the first call. */
  claim(method: string, target: string): number | null {
    return this.#actor.claim(method, target);
  }

  #stepped(step: Step): void {
    for (const number of [step.exchange, ...step.answers]) {
      if (number !== null) this.#actor.exchange(number)?.reached(step.number);
    }
    if (step.kind !== "stepped") queueMicrotask(() => this.#actor.checkEngine(step.kind === "opened"));
    if (this.#telling) return;
    this.#telling = true;
    queueMicrotask(() => this.#tell());
  }

  /** Changes that follow each other quickly are reported together. */
  #timeChanged(): void {
    if (this.#changing) return;
    this.#changing = true;
    setTimeout(() => {
      this.#changing = false;
      this.changes.value += 1;
    }, CHANGES_MS);
  }

  /** Steps that arrive together are reported together. */
  #tell(): void {
    this.#telling = false;
    this.steps.value = [...this.#ground.steps];
    this.faults.value = [...this.#ground.host.faults.set];
  }
}
