// The core in its world, driven like in hosts/driver/driver.ts, but one thing at a time: a step's records are written,
// its effects wait to be carried out in any order that the contracts allow, its replies are sent. The engine can be cut
// off between any two of these.

import type { Input, engine, replies, types } from "../../../hosts/shared/host.js";
import type { Instance } from "../../../hosts/driver/instance.js";
import { subjectOf } from "../../../hosts/driver/order.js";
import type { Effect, HostEffect, StepOutputs } from "../../../hosts/shared/outputs.js";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { journalRead, keep } from "../../support/records/kept-records.js";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, FIRST_RECORDS, OPTIONS } from "../support/fixtures.js";
import { giveBack, unopened } from "./unopened.js";
import { Breach, Failed, World } from "./world.js";

const START = 1_767_225_600_000_000_000n;

export interface Request {
  id: bigint;
  method: string;
  target: string;
  /** What the core has sent so far. */
  status: number;
  text: string;
  over: boolean;
  /** The run whose stdio it is bound to; 0 for none. */
  run: number;
  /** Layers whose tars are being sent to its client. */
  chains: string[];
  /** Whether its client has hung up. */
  gone: boolean;
}

export interface Sending {
  body?: unknown;
  image?: string | undefined;
  sent: (request: Request) => void;
}

/** Counters shared by the engines of one world. */
export interface Counted {
  readonly epoch: number;
  /** Nanoseconds since the first engine began. */
  readonly now: bigint;
  readonly lastRequest: bigint;
  readonly journal: MemoryJournal;
}

/** A state from which stories can continue. */
export interface Saved extends Counted {
  world: World;
  records: ReadonlyMap<string, Uint8Array>;
  requests: readonly Request[];
  timers: ReadonlyMap<bigint, bigint>;
  abandoned: ReadonlySet<bigint>;
  /** In the order of the commands. */
  waiting: readonly HostEffect[];
  outcomes: ReadonlyMap<HostEffect, engine.Completed["outcome"]>;
}

export class Engine implements Counted {
  readonly world: World;
  readonly records: Map<string, Uint8Array>;
  readonly journal: MemoryJournal;
  readonly requests: Request[] = [];
  readonly epoch: number;
  /** Called when something became durable or happened in the world. */
  changed: () => void = () => {};
  /** Called when a request was told something new. */
  told: (request: Request) => void = () => {};
  readonly #instance: Instance;
  readonly #timers = new Map<bigint, bigint>();
  readonly #abandoned = new Set<bigint>();
  #waiting: HostEffect[] = [];
  /** Outcomes of carried out commands that the core has not received yet. */
  readonly #outcomes = new Map<HostEffect, engine.Completed["outcome"]>();
  /** Requests whose bytes the host sends. */
  #moving: Request[] = [];
  #unread: { request: bigint; bytes: number }[] = [];
  #last: Input | null = null;
  #now: bigint;
  #lastRequest: bigint;

  constructor(world: World, records: Map<string, Uint8Array>, before?: Counted, instance = unopened()) {
    this.world = world;
    this.records = records;
    this.journal = before === undefined ? new MemoryJournal() : before.journal.copy();
    this.#instance = instance;
    this.epoch = (before?.epoch ?? 0) + 1;
    this.#now = (before?.now ?? 0n) + 1_000_000_000n;
    this.#lastRequest = before?.lastRequest ?? 0n;
  }

  /** The first start of an engine with one image. */
  static first(instance?: Instance): Engine {
    const world = new World();
    world.state.chains.set(BUSYBOX_CHAIN, null);
    return new Engine(world, new Map([...FIRST_RECORDS, ...BUSYBOX_RECORDS]), undefined, instance);
  }

  /** Continues from a saved state. The instance has already restored the matching snapshot. */
  static resumed(saved: Saved, instance: Instance): Engine {
    const before = { ...saved, epoch: saved.epoch - 1 };
    const engine = new Engine(saved.world.copy(), new Map(saved.records), before, instance);
    [engine.#now, engine.#waiting] = [saved.now, [...saved.waiting]];
    for (const [op, at] of saved.timers) engine.#timers.set(op, at);
    for (const op of saved.abandoned) engine.#abandoned.add(op);
    for (const [effect, outcome] of saved.outcomes) engine.#outcomes.set(effect, outcome);
    for (const request of saved.requests) engine.requests.push({ ...request });
    return engine;
  }

  /** The current state except the core's own. Finished requests are left out. */
  save(): Saved {
    if (this.#moving.length > 0) throw new Error("what a host moves cannot be saved");
    return {
      epoch: this.epoch,
      now: this.#now,
      lastRequest: this.#lastRequest,
      journal: this.journal.copy(),
      world: this.world.copy(),
      records: new Map(this.records),
      requests: this.requests.filter(({ over }) => !over).map((request) => ({ ...request })),
      timers: new Map(this.#timers),
      abandoned: new Set(this.#abandoned),
      waiting: [...this.#waiting],
      outcomes: new Map(this.#outcomes),
    };
  }

  /** The engine is no longer used. */
  close(): void {
    giveBack(this.#instance);
  }

  get hasTimers(): boolean {
    return this.#timers.size > 0;
  }

  get now(): bigint {
    return this.#now;
  }

  get lastRequest(): bigint {
    return this.#lastRequest;
  }

  open(): void {
    const records = [...this.records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => ({ key, value }));
    const journal = this.journal.endsAt;
    const seed = new Uint8Array(32).fill(this.epoch);
    const options: engine.Options = { ...OPTIONS, epoch: this.epoch };
    this.#take(this.#instance.open(options, this.#time(), seed, records, journal, this.world.inventory()));
  }

  /** What the last call, `open`, did with its findings: `swept volume x: why`. */
  found(): string[] {
    const notes = this.#instance.explain();
    return notes.flatMap(({ tag, val }) => (tag === "found" ? [`${val.deed} ${val.what}: ${val.why}`] : []));
  }

  /** Everything that a crash leaves, as one text. */
  fingerprint(): string {
    const texts = [...this.records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `${key} ${text(value)}`);
    const { archives: _, ...state } = this.world.state;
    const lists = Object.values(state).map((part) => (typeof part === "number" ? part : [...part]));
    return `${this.epoch} ${texts.join("\n")} ${JSON.stringify(lists)}`;
  }

  /**
   * Number of things that can happen next without a client: the heads of all subjects' queues, and ends of processes.
   */
  get choices(): number {
    return this.#ready().length + this.world.execEnds.length + this.world.exits.length + this.#moving.length;
  }

  /** Makes the `at`-th of them happen. */
  work(at: number): void {
    const ready = this.#ready();
    const choice = at % this.choices;
    const effect = ready[choice];
    if (effect !== undefined) return this.#carryOut(effect);
    if (choice - ready.length < this.world.execEnds.length) return this.#execEnded(choice - ready.length);
    const left = choice - ready.length - this.world.execEnds.length;
    if (left >= this.world.exits.length) return this.#moved(left - this.world.exits.length);
    const [process] = this.world.exits.splice(left, 1);
    if (process === undefined) return;
    const exit = { code: process.code, outOfMemory: false, lost: false, at: this.#time().wall };
    this.#step({ tag: "exited", val: { container: process.container, run: process.run, exit } });
  }

  /** Commands that could be carried out without the core's knowing it yet. */
  get untold(): readonly HostEffect[] {
    return this.#ready().filter((effect) => !this.#outcomes.has(effect));
  }

  /** Carries one of them out: its consequences may arrive before its completion. */
  perform(effect: HostEffect): void {
    this.#outcomes.set(effect, this.#outcome(effect));
    this.changed();
  }

  #execEnded(at: number): void {
    const [end] = this.world.execEnds.splice(at, 1);
    if (end === undefined) return;
    const exit = { code: end.code, outOfMemory: false, lost: false, at: this.#time().wall };
    this.#step({ tag: "exec-exited", val: { exec: end.exec, exit, output: new Uint8Array(), truncated: false } });
  }

  /** A reply whose bytes the core does not see has been sent completely. */
  #moved(at: number): void {
    const [request] = this.#moving.splice(at, 1);
    if (request === undefined || request.over || request.gone) return;
    this.world.requireChains(request.chains);
    request.over = true;
    this.#step({ tag: "closed", val: { request: request.id, why: "source-ended" } });
  }

  /** Time passes until the next timer; false if there is none. */
  pass(): boolean {
    const [next] = [...this.#timers].sort(([, a], [, b]) => (a < b ? -1 : 1));
    if (next === undefined) return false;
    const [op, at] = next;
    this.#timers.delete(op);
    if (at > this.#now) this.#now = at;
    this.#step({ tag: "elapsed", val: op });
    return true;
  }

  /** Everything happens that can happen without a client, except ends of processes that run by themselves. */
  settle(): void {
    for (let turns = 0; this.choices > 0 || this.pass(); turns++) {
      if (this.choices > 0) this.work(0);
      if (turns > 10_000) throw new Breach("the engine never comes to rest");
    }
  }

  /** `image`: the archive of this image is the body. `sent` is called before any answer. */
  request(method: string, target: string, { body, image, sent }: Sending): void {
    const id = ++this.#lastRequest;
    const request: Request = { id, method, target, status: 0, text: "", run: 0, chains: [], over: false, gone: false };
    this.requests.push(request);
    sent(request);
    if (image !== undefined) this.world.bodies.set(request.id, image);
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    this.#step({
      tag: "request",
      val: {
        id: request.id,
        listener: "unix:///test.sock",
        method,
        target: `/v1.55${target}`,
        headers: body === undefined ? "" : "Content-Type: application/json",
        body:
          image !== undefined ? { tag: "stream" } : body === undefined ? { tag: "none" } : { tag: "whole", val: bytes },
      },
    });
  }

  hangUp(request: Request): void {
    request.gone = true;
    this.#step({ tag: "closed", val: { request: request.id, why: "client" } });
  }

  /** Delivers the last completion again: it must have no effect. */
  repeat(): void {
    if (this.#last === null) return;
    const { records, effects, replies: sent } = this.#instance.step(this.#time(), this.#last);
    if (records.length + effects.length + sent.length > 0) throw new Breach("a completion that came twice had effects");
  }

  /** Clients read everything at once. */
  #step(input: Input): void {
    this.#take(this.#instance.step(this.#time(), input));
    for (let read = this.#unread.shift(); read !== undefined; read = this.#unread.shift()) {
      this.#take(this.#instance.step(this.#time(), { tag: "drained", val: read }));
    }
  }

  #take({ records, effects, replies: sent }: StepOutputs): void {
    this.#keep(records);
    for (const effect of effects) this.#start(effect);
    for (const { request, command } of sent) this.#reply(request, command);
  }

  #keep(records: StepOutputs["records"]): void {
    if (records.length === 0) return;
    for (const command of records) keep(command, this.records, this.journal);
    this.changed();
  }

  #start(effect: Effect): void {
    if (effect.to === "timers") {
      if (effect.command.tag === "set") this.#timers.set(effect.op, effect.command.val);
      else this.#timers.delete(effect.op);
      return;
    }
    if (effect.command.tag === "abandon") this.#abandoned.add(effect.command.val as bigint);
    this.#waiting.push(effect);
  }

  /** The first command of each subject; a layer waits for the one below while that is being pulled. */
  #ready(): HostEffect[] {
    const seen = new Set<string>();
    const coming = new Set(this.#waiting.map((effect) => chainOf(effect)));
    return this.#waiting.filter((effect) => {
      const subject = subjectOf(effect);
      const first = subject === null || !seen.has(subject);
      if (subject !== null) seen.add(subject);
      const below = effect.command.tag === "layer" ? effect.command.val.parent : undefined;
      return first && (below === undefined || !coming.has(below) || this.#abandoned.has(effect.op));
    });
  }

  #carryOut(effect: HostEffect): void {
    this.#waiting = this.#waiting.filter((other) => other !== effect);
    const outcome = this.#outcomes.get(effect) ?? this.#outcome(effect);
    this.#outcomes.delete(effect);
    this.changed();
    const input: Input = { tag: "completed", val: { op: effect.op, outcome } };
    this.#last = input;
    this.#step(input);
  }

  #outcome(effect: HostEffect): engine.Completed["outcome"] {
    if (effect.to === "records") return journalRead(this.journal, effect);
    try {
      return { tag: "ok", val: this.world.perform(effect, this.#abandoned.has(effect.op)) };
    } catch (thrown) {
      if (!(thrown instanceof Failed)) throw thrown;
      return { tag: "err", val: thrown.failure };
    }
  }

  #reply(id: bigint, command: replies.ReplyCommand): void {
    const request = this.requests.find((one) => one.id === id);
    if (request === undefined) throw new Breach(`a reply to request ${id}, which nobody sent`);
    if (request.over) throw new Breach(`${command.tag} to request ${id}, which has been answered`);
    const whole = command.tag === "whole" || command.tag === "bare";
    if (whole) [request.status, request.text] = [command.val.head.status, text(command.val.body)];
    if (command.tag === "open") request.status = command.val.status;
    if (command.tag === "splice" && command.val.tag !== "logs") this.#moving.push(request);
    if (command.tag === "splice" && command.val.tag === "saved") request.chains = chainsIn(command.val.val);
    if (command.tag === "hijack") {
      const { head, stdio } = command.val;
      [request.status, request.run] = [head.status, stdio.tag === "run" ? stdio.val.run : 0];
    }
    if (command.tag === "calls") request.status = command.val.head.status;
    if (command.tag === "chunk") request.text += text(command.val);
    if (whole || command.tag === "end") request.over = true;
    if (request.gone) return;
    if (command.tag === "chunk") this.#unread.push({ request: id, bytes: command.val.length });
    this.told(request);
  }

  #time(): types.Instant {
    return { wall: START + this.#now, monotonic: this.#now };
  }
}

function chainOf({ to, command }: HostEffect): string | null {
  return to === "content" && command.tag === "layer" ? (command.val as { chain: string }).chain : null;
}

function chainsIn(members: replies.SavedMember[]): string[] {
  return members.flatMap(({ content }) => (content.tag === "layer" ? [content.val] : []));
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
