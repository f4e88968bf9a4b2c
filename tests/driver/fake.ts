// A core and a host made of plain functions, so that tests can see what the driver does.

import type { ImportObject } from "../../build/core/core.js";
import { RequestBodies } from "../../hosts/request/bodies.js";
import { Driver } from "../../hosts/driver/driver.js";
import type { DriverOptions } from "../../hosts/driver/driver.js";
import type {
  Clock,
  Host,
  Input,
  Outcome,
  Perform,
  RecordChange,
  RecordStore,
  RequestId,
  engine,
  replies,
} from "../../hosts/shared/host.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { MemoryJournal } from "../../hosts/shared/journal.js";
import type { Fork } from "../../hosts/driver/life.js";
import { keysOf } from "../support/records/kept-records.js";
import { NO_STREAMS, PLAIN_LAUNCH } from "../support/no-streams.js";
import { NOTHING_FOUND } from "../support/nothing-found.js";

export interface Script {
  open?: (imports: ImportObject, options: engine.Options, records: engine.Stored[]) => void;
  refuses?: (records: engine.Stored[]) => string | undefined;
  step: (imports: ImportObject, input: Input) => void;
  /** A whole collection, or a slice, which returns false while the collection is not over. */
  collect?: () => boolean | undefined;
  /** Bytes of garbage that a step leaves behind; 100 if not given. */
  garbage?: number;
}

export function scripted(script: Script): CompiledCore {
  return {
    instantiate(imports) {
      let allocated = 0;
      const exports: engine_ = {
        open: (options, _now, _seed, records) => script.open?.(imports, options, records),
        step: (_now, input) => {
          allocated += script.garbage ?? 100;
          script.step(imports, input);
        },
        collect: () => void script.collect?.(),
        collectSlice: () => script.collect?.() !== false,
        snapshot: () => new Uint8Array(),
        restore: () => {},
        explain: () => [],
        refuses: (_options, records) => script.refuses?.(records),
        records: () => [],
        rules: () => [],
      };
      return {
        exports: { engine: exports, "coracle:engine/engine": exports },
        trapMessage: () => undefined,
        memoryBytes: () => 1 << 20,
        allocatedBytes: () => allocated >>> 0,
        sliceWork: () => 0,
        collectAndWipe: () => () => new Uint8Array(1 << 20),
        restore: () => {},
      };
    },
  };
}

type engine_ = ReturnType<CompiledCore["instantiate"]>["exports"]["engine"];

/** Records whose transactions end when the test says so. */
export class HeldRecords implements RecordStore {
  readonly commits: { keys: string[]; keep: () => void; lose: (error: Error) => void }[] = [];

  readonly journal = new MemoryJournal();

  async load(): Promise<engine.Stored[]> {
    return [];
  }

  commit(changes: RecordChange[]): Promise<void> {
    return new Promise((keep, lose) => this.commits.push({ keys: keysOf(changes), keep, lose }));
  }

  async close(): Promise<void> {}
}

export class FastRecords extends HeldRecords {
  override async commit(): Promise<void> {}
}

/** A clock that stands still until it is moved. */
export class HandClock implements Clock {
  #now = 1n;
  #alarms: { at: bigint; wake: () => void }[] = [];

  now() {
    return { wall: this.#now, monotonic: this.#now };
  }

  at(at: bigint, wake: () => void): () => void {
    const alarm = { at, wake };
    this.#alarms.push(alarm);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  advance(ns: bigint): void {
    this.#now += ns;
    const due = this.#alarms.filter((alarm) => alarm.at <= this.#now);
    this.#alarms = this.#alarms.filter((alarm) => alarm.at > this.#now);
    for (const alarm of due) alarm.wake();
  }
}

export interface World {
  driver: Driver;
  clock: HandClock;
  /** What left the driver, in order: `REQUEST:tag` for replies, `processes:OP` and the like for started effects. */
  left: string[];
  /** Bodies of complete replies with a `message`. */
  messages: string[];
  lost: unknown[];
  /** Incident ids of the answers about traps. */
  incidents: string[];
  fatal: unknown[];
  happen: (input: Input) => void;
  request: (target: string) => RequestId;
}

export async function openWorld(
  script: Script,
  parts: Partial<Host> = {},
  more: Partial<DriverOptions> = {},
): Promise<World> {
  const world = beginWorld(script, parts, more);
  await world.driver.opened;
  return world;
}

/** A world whose driver may not be open yet, or continues from a fork. */
export function beginWorld(
  script: Script,
  parts: Partial<Host> = {},
  more: Partial<DriverOptions> = {},
  fork?: Fork,
): World {
  const left: string[] = [];
  const messages: string[] = [];
  const lost: unknown[] = [];
  const incidents: string[] = [];
  const fatal: unknown[] = [];
  const clock = new HandClock();
  let happen: (input: Input) => void = () => {};
  const perform =
    (name: string): Perform<unknown> =>
    async (op) => {
      left.push(`${name}:${op}`);
      return { tag: "done" };
    };
  const host = idleHost({
    timers: clock,
    processes: perform("processes"),
    content: perform("content"),
    networks: perform("networks"),
    volumes: perform("volumes"),
    listen: (happened) => void (happen = happened),
    ...parts,
  });
  const replies = {
    perform(request: RequestId, command: replies.ReplyCommand) {
      const detail = command.tag === "whole" ? ` ${command.val.head.status}` : "";
      left.push(`${request}:${command.tag}${detail}`);
      if (command.tag === "whole" && command.val.body.length > 0) messages.push(messageIn(command.val.body));
    },
  };
  const options = {
    engine: {} as Omit<engine.Options, "epoch">,
    lost: (error: unknown, incident: string | null) => {
      lost.push(error);
      if (incident !== null) incidents.push(incident);
    },
    fatal: (error: unknown) => void fatal.push(error),
    ...more,
  };
  const given = [scripted(script), host, replies, new RequestBodies(), options] as const;
  const driver = fork === undefined ? Driver.begin(...given) : Driver.resume(...given, fork);
  const request = (target: string): RequestId => {
    const id = driver.nextRequest();
    const body = { tag: "none" } as const;
    driver.deliver({ tag: "request", val: { id, listener: "test", method: "GET", target, headers: "", body } });
    return id;
  };
  return { driver, clock, left, messages, lost, incidents, fatal, happen: (input) => happen(input), request };
}

/** A host that implements `parts` and otherwise does nothing. */
export function idleHost(parts: Partial<Host> = {}): Host {
  const done = async (): Promise<Outcome> => ({ tag: "done" });
  return {
    timers: new HandClock(),
    records: new FastRecords(),
    ...{ processes: done, content: done, networks: done, volumes: done },
    inventory: async () => NOTHING_FOUND,
    replies: { log: () => Promise.reject(new Error("no log")), stdin: () => NO_STDIN, ...NO_STREAMS },
    machine: {} as engine.Machine,
    runtimes: [],
    listen: () => {},
    seed: () => new Uint8Array(32),
    close: async () => {},
    ...parts,
  };
}

function messageIn(body: Uint8Array): string {
  return (JSON.parse(new TextDecoder().decode(body)) as { message: string }).message;
}

const NO_STDIN = { write: async () => {}, end: () => {}, release: () => {} };

// Shortcuts for scripts.

export function answer(imports: ImportObject, request: RequestId, status = 200, stateless = false): void {
  const val = { head: { status, headers: "" }, body: new Uint8Array(), stateless };
  imports["coracle:engine/replies"].perform(request, { tag: "whole", val });
}

export function put(imports: ImportObject, key: string): void {
  imports["coracle:engine/records"].perform(0n, { tag: "put", val: { key, value: new Uint8Array() } });
}

export function signal(imports: ImportObject, op: bigint, container: string): void {
  const subject = { container, run: 1 };
  imports["coracle:engine/processes"].perform(op, { tag: "signal", val: { subject, number: 15 } });
}

export function unmount(imports: ImportObject, op: bigint, container: string): void {
  imports["coracle:engine/content"].perform(op, { tag: "unmount", val: container });
}

export function launch(imports: ImportObject, op: bigint, container: string): void {
  imports["coracle:engine/processes"].perform(op, {
    tag: "launch",
    val: {
      container,
      run: 1,
      runtime: "",
      spec: new Uint8Array(),
      user: "",
      seccomp: "default",
      ...PLAIN_LAUNCH,
    },
  });
}

/** Runs everything that can happen without outside help. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

export type { Outcome };
