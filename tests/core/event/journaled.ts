// An engine with numbered events, its journal, and clients that read as slowly as a test wants.

import type { engine } from "../../../hosts/shared/host.js";
import { Instance } from "../../../hosts/driver/instance.js";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { loadCore } from "../../../hosts/node/core-files.js";
import type { HostEffect, StepOutputs } from "../../../hosts/shared/outputs.js";
import { journalRead, keep } from "../../support/records/kept-records.js";
import type { Event } from "../../support/past-events.js";
import { FIRST_RECORDS, OPTIONS } from "../support/fixtures.js";
import { NOTHING_FOUND } from "../../support/nothing-found.js";

const core = loadCore();
export const BEGAN = 1_767_225_600;
const SECOND = 1_000_000_000n;
/** Nanoseconds within which waiting readers get their turn. */
const TURN = 5_000_000n;

/** The data sent to a client. */
interface Sent {
  text: string;
  unread: number;
  mostUnread: number;
  over: boolean;
}

export class JournaledEngine {
  readonly journal: MemoryJournal;
  readonly #instance = new Instance(core);
  readonly #sent = new Map<bigint, Sent>();
  readonly #timers = new Map<bigint, bigint>();
  /** Seconds since the engine began, by the time of day. */
  seconds: number;
  /** Nanoseconds of each step; at first so many that no two steps share a moment. */
  pace = 5_000_000n;
  #paced = 0n;
  /** The reads that its host was asked for. */
  reads: (HostEffect & { to: "records" })[] = [];
  /** Most bytes of answers sent in one step. */
  mostInStep = 0;
  /** Bytes of all answers. */
  bytesSent = 0;
  /** Most bytes of the core's memory that one step has taken. */
  mostTaken = 0;
  #requests = 0n;

  constructor(journal = new MemoryJournal(), seconds = 0) {
    this.journal = journal;
    this.seconds = seconds;
    const records = [...FIRST_RECORDS].map(([key, value]) => ({ key, value })).sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#take(this.#instance.open(OPTIONS, this.#now(), new Uint8Array(32), records, journal.endsAt, NOTHING_FOUND));
  }

  /** Makes events with these numbers: the configuration is reloaded, with the number in it. */
  happen(from: number, to: number): void {
    for (let number = from; number <= to; number++) this.reload([`number=${number}`]);
  }

  /** Makes one event with these labels. */
  reload(labels: string[]): void {
    const { debug, insecureRegistries, registryMirrors, registryHosts, runtimes, defaultRuntime } = OPTIONS;
    this.#step({
      tag: "reloaded",
      val: { debug, insecureRegistries, registryMirrors, registryHosts, runtimes, defaultRuntime, labels },
    });
  }

  /** A client reads events; `query` as after the question mark, `version` as before the path. */
  follow(query: string, version = ""): bigint {
    const id = ++this.#requests;
    this.#sent.set(id, { text: "", unread: 0, mostUnread: 0, over: false });
    this.#request(id, `${version}/events?${query}`);
    return id;
  }

  /** Sends another request. */
  ping(): void {
    this.#request(++this.#requests, "/_ping");
  }

  #request(id: bigint, target: string): void {
    const request = { id, listener: "unix:///test.sock", method: "GET", target, headers: "Host: x" };
    this.#step({ tag: "request", val: { ...request, body: { tag: "none" } } });
  }

  /** The client reads everything that it was sent. */
  read(id: bigint): void {
    const sent = this.#sent.get(id)!;
    const { unread } = sent;
    sent.unread = 0;
    if (unread > 0) this.#step({ tag: "drained", val: { request: id, bytes: unread } });
  }

  /** The client disconnects. */
  leave(id: bigint): void {
    this.#sent.get(id)!.unread = 0;
    this.#step({ tag: "closed", val: { request: id, why: "client" } });
  }

  /** The host reads a page of the journal, or fails. */
  page(failure?: string): void {
    const effect = this.reads.shift()!;
    const outcome = failure === undefined ? journalRead(this.journal, effect) : failed(failure);
    this.#step({ tag: "completed", val: { op: effect.op, outcome } });
  }

  /** All clients read until nothing more comes. */
  settle(): void {
    for (let turn = 0; this.reads.length > 0 || this.#someUnread() || this.waits; turn++) {
      if (turn > 10_000) throw new Error("it never comes to rest");
      for (const id of this.#sent.keys()) this.read(id);
      if (this.reads.length > 0) this.page();
      this.takeTurn();
    }
  }

  /** Pages are read and timers fire, but no client reads. Returns the number of pages. */
  settleUnread(): number {
    for (let pages = 0; ; pages += 1) {
      while (this.waits) this.takeTurn();
      if (this.reads.length === 0) return pages;
      this.page();
    }
  }

  /** Time passes, with the timers that are due then. */
  pass(seconds: number): void {
    this.seconds += seconds;
    for (const [op, at] of this.#timers) {
      if (at > this.#now().monotonic) continue;
      this.#timers.delete(op);
      this.#step({ tag: "elapsed", val: op });
    }
  }

  /** A waiting turn runs. */
  takeTurn(): void {
    const { monotonic } = this.#now();
    const left = [...this.#timers.values()].map((at) => at - monotonic).filter((left) => left <= TURN);
    const first = left.reduce((one, other) => (one < other ? one : other), TURN);
    if (left.length > 0 && first > 0n) this.#paced += first;
    this.pass(0);
  }

  sent(id: bigint): Sent {
    return this.#sent.get(id)!;
  }

  events(id: bigint): Event[] {
    const lines = this.sent(id).text.split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Event);
  }

  /** The numbers of the events that a client received, in order. */
  numbers(id: bigint): number[] {
    return this.events(id).map(({ Actor }) => Number(/number=(\d+)/.exec(Actor.Attributes["labels"] ?? "")?.[1]));
  }

  /** Size of the core's live memory. */
  size(): number {
    return this.#instance.snapshot().length;
  }

  /** The same without free space and zeros. */
  living(): number {
    const memory = this.#instance.snapshot();
    let sum = 0;
    // By index: there are millions, and a function called for each takes many times as long.
    for (let at = 0; at < memory.length; at += 1) if (memory[at] !== 0) sum += 1;
    return sum;
  }

  notes(): engine.Note[] {
    return this.#instance.explain();
  }

  /** Whether a turn is requested. */
  get waits(): boolean {
    return [...this.#timers.values()].some((at) => at <= this.#now().monotonic + TURN);
  }

  #someUnread(): boolean {
    return [...this.#sent.values()].some(({ unread }) => unread > 0);
  }

  #step(input: engine.Input): void {
    this.#paced += this.pace;
    const before = this.#instance.allocatedBytes;
    this.#take(this.#instance.step(this.#now(), input));
    this.mostTaken = Math.max(this.mostTaken, (this.#instance.allocatedBytes - before) >>> 0);
    if (this.#instance.mustCollect) this.#instance.collect();
  }

  #take({ records, effects, replies }: StepOutputs): void {
    for (const command of records) keep(command, new Map(), this.journal);
    for (const effect of effects) {
      if (effect.to === "records") this.reads.push(effect);
      if (effect.to === "timers" && effect.command.tag === "set") this.#timers.set(effect.op, effect.command.val);
    }
    let bytes = 0;
    for (const { request, command } of replies) {
      const sent = this.#sent.get(request);
      if (sent === undefined) continue;
      if (command.tag === "end") sent.over = true;
      if (command.tag !== "chunk") continue;
      sent.text += new TextDecoder().decode(command.val);
      sent.unread += command.val.length;
      sent.mostUnread = Math.max(sent.mostUnread, sent.unread);
      bytes += command.val.length;
    }
    this.mostInStep = Math.max(this.mostInStep, bytes);
    this.bytesSent += bytes;
  }

  #now() {
    const at = BigInt(Math.round(this.seconds * 1e9));
    return { wall: BigInt(BEGAN) * SECOND + at, monotonic: 100n * SECOND + this.#paced + (at > 0n ? at : 0n) };
  }
}

function failed(message: string): engine.Completed["outcome"] {
  return { tag: "err", val: { tag: "internal", val: message } };
}
