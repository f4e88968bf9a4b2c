// Visits all states that a given number of client commands can lead to, with equal ones merged: each is continued in
// every way, and cut off after every subset of work that a host may have done by then. What no single move can break is
// checked at the end.

import type { HostEffect } from "../../../hosts/shared/outputs.js";
import { subjectOf } from "../../../hosts/driver/order.js";
import { Engine, type Saved } from "../crash/engine.js";
import { checkAtRest, checkHangs, checkUnique } from "../crash/truths.js";
import { Breach, Failed, type World } from "../crash/world.js";
import { type Build, CoreMemory } from "./core-memory.js";
import { fingerprint, remains } from "./fingerprint.js";
import { type Move, NAMES, clientMoves, hostMoves } from "./moves.js";
import { Paths } from "./paths.js";
import { checkAnswer, checkMove } from "./promises.js";
import { Snapshots, type Packed } from "./snapshots.js";

export interface Found {
  /** States that differ in more than names. */
  states: number;
  /** Moves from one of them to another, or to itself. */
  moves: number;
  /** Different states after a crash. */
  cuts: number;
  /** States in which nothing is pending. */
  rests: number;
}

/** A state that must be continued. */
interface State {
  number: number;
  saved: Saved;
  snapshot: Packed;
}

/** The search has made as many moves as it should. */
export class Enough extends Error {}

/** Something broke: the story tells how to get there. */
export class Broken extends Error {
  constructor(
    readonly story: readonly string[],
    cause: unknown,
  ) {
    super(`${cause instanceof Error ? cause.message : String(cause)}\n  ${story.join("\n  ")}`, { cause });
  }
}

export class Search {
  readonly found: Found = { states: 0, moves: 0, cuts: 0, rests: 0 };
  readonly #memory: CoreMemory;
  readonly #unopened: Uint8Array;
  readonly #snapshots = new Snapshots();
  readonly #numbers = new Map<string, number>();
  readonly #remains = new Set<string>();
  readonly #paths = new Paths();
  readonly #clientMoves = clientMoves();
  readonly #most: number;

  /** For one build; the one in `build/core` if none is given. After `most` moves it throws `Enough`. */
  constructor(build?: Build, most = Infinity) {
    this.#most = most;
    this.#memory = new CoreMemory(build);
    this.#unopened = this.#memory.instance.snapshot();
  }

  /**
   * Throws `Broken`. A state that can be reached with fewer commands is continued with the rest of them. `before`:
   * commands that were sent one after the other and are done.
   */
  run(commands: number, before: readonly string[] = []): Found {
    const seeds: State[] = [];
    const first = Engine.first(this.#fresh());
    this.#try(null, before.join(", "), () => begin(first, before));
    this.#meet(first, null, ["begin", ...before].join(", "), seeds);
    let level = this.#close(seeds);
    for (let left = commands; left > 0; left--) {
      const next: State[] = [];
      for (const state of level) {
        this.#expand(state, this.#clientMoves, next);
        // No command follows the last one, so later states need not be kept.
        if (left === 1) this.#close(next);
      }
      level = this.#close(next);
    }
    this.#paths.checkRests((number) => this.#fail(number, [], new Breach("nothing leads from here to a rest")));
    return this.found;
  }

  /** Everything that follows without clients, the given states included. */
  #close(open: State[]): State[] {
    const closed: State[] = [];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      closed.push(state);
      const moves = hostMoves(Engine.resumed(state.saved, this.#memory.instance));
      if (!moves.some(({ isWork }) => isWork)) this.#rest(state);
      this.#expand(state, moves, open);
      this.#cut(state, open);
    }
    return closed;
  }

  #expand(state: State, moves: readonly Move[], into: State[]): void {
    const whole = this.#snapshots.unpack(state.snapshot);
    for (const { line, make, isWork } of moves) {
      if (this.found.moves === this.#most) throw new Enough();
      this.#memory.instance.restore(whole);
      const engine = Engine.resumed(state.saved, this.#memory.instance);
      this.found.moves += 1;
      this.#try(state.number, line, () => {
        this.#watch(engine, state.saved.records);
        make(engine);
      });
      const number = this.#meet(engine, state.number, line, into);
      if (isWork) this.#paths.leads(state.number, number);
    }
  }

  #watch(engine: Engine, before: Saved["records"]): void {
    engine.changed = () => checkUnique(engine);
    engine.told = (request) => request.over && checkAnswer(engine, request);
    const { changed } = engine;
    engine.changed = () => {
      changed();
      checkMove(before, engine);
    };
  }

  /** Returns the number of the state. */
  #meet(engine: Engine, from: number | null, line: string, into: State[]): number {
    const saved = engine.save();
    const key = fingerprint(this.#memory, saved);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#paths.add(from, line);
    this.#numbers.set(key, number);
    this.found.states += 1;
    into.push({ number, saved, snapshot: this.#snapshots.pack(this.#memory.instance.snapshot()) });
    return number;
  }

  /** Nothing is pending: all promises are kept, and everything can be removed. */
  #rest(state: State): void {
    this.found.rests += 1;
    this.#paths.rests(state.number);
    const engine = this.#resume(state);
    this.#try(state.number, "", () => {
      checkAtRest(engine);
      checkHangs(engine);
      removeAll(engine);
    });
  }

  #resume(state: State): Engine {
    this.#memory.instance.restore(this.#snapshots.unpack(state.snapshot));
    return Engine.resumed(state.saved, this.#memory.instance);
  }

  /** Cuts the engine off; by then the host has carried out nothing, something, or everything that was pending. */
  #cut({ number, saved }: State, into: State[]): void {
    const queues = new Map<string, HostEffect[]>();
    for (const effect of saved.waiting) {
      if (saved.outcomes.has(effect)) continue;
      const subject = subjectOf(effect) ?? String(effect.op);
      queues.set(subject, [...(queues.get(subject) ?? []), effect]);
    }
    this.#cutEach(number, saved, saved.world, [...queues.values()], into);
  }

  #cutEach(from: number, saved: Saved, world: World, [queue, ...others]: HostEffect[][], into: State[]): void {
    if (queue === undefined) return this.#reopen(from, saved, world.afterCrash(), into);
    this.#cutEach(from, saved, world, others, into);
    const next = world.copy();
    for (const effect of queue) {
      this.#try(from, `cut behind ${effect.command.tag}`, () => performed(next, effect));
      this.#cutEach(from, saved, next, others, into);
    }
  }

  #reopen(from: number, saved: Saved, world: World, into: State[]): void {
    const key = remains(world, saved.records);
    if (this.#remains.has(key)) return;
    this.#remains.add(key);
    this.found.cuts += 1;
    const engine = new Engine(world, new Map(saved.records), saved, this.#fresh());
    this.#watch(engine, saved.records);
    this.#try(from, "cut", () => engine.open());
    this.#meet(engine, from, "cut", into);
  }

  /** As it was before it was opened. */
  #fresh(): CoreMemory["instance"] {
    this.#memory.instance.restore(this.#unopened);
    return this.#memory.instance;
  }

  #try(from: number | null, line: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(from, line === "" ? [] : [line], error);
    }
  }

  #fail(from: number | null, lines: string[], error: unknown): never {
    throw new Broken([...this.#paths.to(from), ...lines], error);
  }
}

function begin(engine: Engine, commands: readonly string[]): void {
  engine.open();
  for (const line of commands) {
    const move = clientMoves().find((one) => one.line === line);
    if (move === undefined) throw new Error(`no such command: ${line}`);
    move.make(engine);
    while (engine.choices > 0) engine.work(0);
  }
}

function performed(world: World, effect: HostEffect): void {
  try {
    if (effect.to !== "records") world.perform(effect, false);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
  }
}

function removeAll(engine: Engine): void {
  for (const name of NAMES) engine.request("DELETE", `/containers/${name}?force=1`, { sent: () => {} });
  engine.settle();
  const { mounts, files, sandboxes, processes } = engine.world.state;
  const left = [...mounts.keys(), ...files, ...sandboxes, ...processes.keys()];
  const records = [...engine.records.keys()].filter((key) => key.startsWith("container/"));
  if (left.length + records.length > 0)
    throw new Breach(`all was removed, and ${[...left, ...records].join()} is there`);
}
