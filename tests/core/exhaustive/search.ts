// All states that up to so many commands of clients lead to, equal ones taken for one: each is gone on from in every way,
// and cut after everything that a host may have done by then. What no single move can break is checked in the end.

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
  /** That differ in more than names. */
  states: number;
  /** From one of them to another, or to itself. */
  moves: number;
  /** What a crash may leave, equal ones taken for one. */
  cuts: number;
  /** States in which nothing goes on any more. */
  rests: number;
}

/** A state that must be gone on from. */
interface State {
  number: number;
  saved: Saved;
  snapshot: Packed;
}

/** Something broke: the story says how to come there. */
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

  /** Of one build; the one in `build/core` if none is given. */
  constructor(build?: Build) {
    this.#memory = new CoreMemory(build);
    this.#unopened = this.#memory.instance.snapshot();
  }

  /**
   * Throws `Broken`. A state that can be had with fewer commands is gone on from with what is left of them.
   * `before`: commands that have been asked one after the other, and are done.
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
        // Nothing is asked behind the last command: what follows need not be kept.
        if (left === 1) this.#close(next);
      }
      level = this.#close(next);
    }
    this.#paths.checkRests((number) => this.#fail(number, [], new Breach("nothing leads from here to a rest")));
    return this.found;
  }

  /** All that follows without clients, the states given included. */
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

  /** The number of the state. */
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

  /** Nothing goes on: all that was promised is there, and everything can be removed. */
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

  /** The engine is cut off; by then the host has carried out nothing, something, or all that it was asked. */
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
  const { mounts, files, joins, processes } = engine.world.state;
  const left = [...mounts.keys(), ...files, ...joins.keys(), ...processes.keys()];
  const records = [...engine.records.keys()].filter((key) => key.startsWith("container/"));
  if (left.length + records.length > 0)
    throw new Breach(`all was removed, and ${[...left, ...records].join()} is there`);
}
