// A copy of an engine and of its machine, for what the story does not do. Whatever the copy asks for is carried out at
// once, unless it is held back.

import type { Input, RequestId, types } from "../../../../hosts/shared/host.js";
import type { Instance } from "../../../../hosts/driver/instance.js";
import type { Effect, HostEffect, StepOutputs } from "../../../../hosts/shared/outputs.js";
import { Failed, type World } from "../../../core/crash/world.js";

/** The answer to a request, as far as it has come. */
export interface Answer {
  /** Null if there is none yet. */
  status: number | null;
  text: string;
  isOver: boolean;
}

/**
 * Timers up to this length are no plays' own: the story's readers of events wait for their next turn
 * (core/assembly/event/reader-throttle.ts).
 */
const TURN = 5_000_000n;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Scene {
  readonly world: World;
  /** Commands by name that the machine does not begin yet. */
  readonly held = new Set<string>();
  /** The subnets to which the machine has routes. */
  routes: string[] = [];
  readonly #instance: Instance;
  readonly #answers = new Map<RequestId, Answer>();
  readonly #waiting: HostEffect[] = [];
  #now: types.Instant;
  #outputs: Effect[] = [];
  #timers = new Map<bigint, bigint>();
  /** Timers up to the length of `TURN`. */
  readonly #turns = new Map<bigint, bigint>();
  #last = 1n << 61n;

  constructor(instance: Instance, world: World, now: types.Instant) {
    [this.#instance, this.world, this.#now] = [instance, world, now];
  }

  /** `target`: without the version. */
  ask(method: string, target: string, json?: object): Answer {
    const id = ++this.#last;
    const answer: Answer = { status: null, text: "", isOver: false };
    this.#answers.set(id, answer);
    const request = { id, listener: "internal", method, target: `/v1.55${target}` };
    const body = json === undefined ? NO_BODY : ({ tag: "whole", val: encoder.encode(JSON.stringify(json)) } as const);
    const headers = json === undefined ? "" : "Content-Type: application/json";
    this.#hear({ tag: "request", val: { ...request, headers, body } });
    this.settle();
    return answer;
  }

  json<Value>(target: string): Value {
    return JSON.parse(this.ask("GET", target).text) as Value;
  }

  /** Carries out all that is not held back, and what follows from it. */
  settle(): void {
    for (let input = this.#next(); input !== null; input = this.#next()) this.#hear(input);
  }

  /** No longer holds anything back. */
  release(): void {
    this.held.clear();
    this.settle();
  }

  /** What it has asked for since the last call. */
  asked(): Effect[] {
    return this.#outputs.splice(0);
  }

  /** The container's process ends by itself. */
  end(container: string, code: number): void {
    const process = this.world.running(container);
    if (process !== undefined) this.world.end(process, code);
    this.settle();
  }

  pass(ns: bigint): void {
    this.#now = { wall: this.#now.wall + ns, monotonic: this.#now.monotonic + ns };
  }

  /** Nanoseconds until each timer that was set and not cancelled, but for turns. */
  get timers(): bigint[] {
    return [...this.#timers.values()].map((at) => at - this.#now.monotonic);
  }

  /** Waits for the timer that was set last, and for the turns before it. */
  elapse(): void {
    const [op, at] = [...this.#timers].at(-1) ?? [0n, 0n];
    if (op === 0n) return;
    // A turn may set the next one, which the loop then comes to.
    for (const [turn, due] of this.#turns) if (due <= at) this.#elapse(turn, due);
    this.#elapse(op, at);
  }

  #elapse(op: bigint, at: bigint): void {
    this.#cancel(op);
    // A timer may be late, if the play has let time pass.
    if (at > this.#now.monotonic) this.pass(at - this.#now.monotonic);
    this.#hear({ tag: "elapsed", val: op });
    this.settle();
  }

  #hear(input: Input): void {
    this.#take(this.#instance.step(this.#now, input));
  }

  #take({ effects, replies }: StepOutputs): void {
    this.#outputs.push(...effects);
    for (const effect of effects) {
      if (effect.to !== "timers") this.#waiting.push(effect);
      else if (effect.command.tag === "cancel") this.#cancel(effect.op);
      else this.#set(effect.op, effect.command.val);
    }
    for (const { request, command } of replies) {
      const answer = this.#answers.get(request);
      if (answer === undefined) continue;
      if (command.tag === "open") answer.status = command.val.status;
      if (command.tag === "whole")
        [answer.status, answer.text] = [command.val.head.status, decoder.decode(command.val.body)];
      if (command.tag === "chunk") answer.text += decoder.decode(command.val);
      if (command.tag === "whole" || command.tag === "end") answer.isOver = true;
    }
  }

  #set(op: bigint, at: bigint): void {
    const timers = at - this.#now.monotonic > TURN ? this.#timers : this.#turns;
    timers.set(op, at);
  }

  #cancel(op: bigint): void {
    this.#timers.delete(op);
    this.#turns.delete(op);
  }

  #next(): Input | null {
    const at = this.#waiting.findIndex(({ command }) => !this.held.has(command.tag));
    const [effect] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (effect !== undefined) return { tag: "completed", val: { op: effect.op, outcome: this.#outcome(effect) } };
    const exit = { outOfMemory: false, lost: false, at: this.#now.wall };
    const process = this.world.exits.shift();
    if (process !== undefined) {
      const { container, run, code } = process;
      return { tag: "exited", val: { container, run, exit: { ...exit, code } } };
    }
    const end = this.world.execEnds.shift();
    if (end === undefined) return null;
    const ended = { exec: end.exec, exit: { ...exit, code: end.code }, output: new Uint8Array(), truncated: false };
    return { tag: "exec-exited", val: ended };
  }

  #outcome(effect: HostEffect): Extract<Input, { tag: "completed" }>["val"]["outcome"] {
    if (effect.command.tag === "routes") return { tag: "ok", val: { tag: "names", val: this.routes } };
    try {
      return { tag: "ok", val: this.world.perform(effect, false) };
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      return { tag: "err", val: error.failure };
    }
  }
}

const NO_BODY = { tag: "none" } as const;
