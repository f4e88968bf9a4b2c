// The real core in the real driver, on a small world that carries commands out at once, with a recorder.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RequestBodies } from "../../hosts/request/bodies.js";
import { Driver } from "../../hosts/driver/driver.js";
import { HostFailure } from "../../hosts/shared/failure.js";
import type { Host, Input, Outcome, Perform, RecordStore, engine, replies } from "../../hosts/shared/host.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { MemoryJournal } from "../../hosts/shared/journal.js";
import { loadCore } from "../../hosts/node/core-files.js";
import type { Observer } from "../../hosts/driver/observer.js";
import type { HostEffect } from "../../hosts/shared/outputs.js";
import { identityOf } from "../../hosts/hashes/output-hashes.js";
import { Recorder } from "../../hosts/trace/recorder.js";
import type { RecorderOptions } from "../../hosts/trace/recorder.js";
import { Ring } from "../../hosts/trace/ring.js";
import { Failed, World } from "../core/crash/world.js";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, FIRST_RECORDS, OPTIONS } from "../core/support/fixtures.js";
import { HandClock, settle } from "../driver/fake.js";
import { keep } from "../support/records/kept-records.js";
import { NO_STREAMS } from "../support/no-streams.js";

export const core: CompiledCore = loadCore();
export const identity = identityOf(
  readFileSync(fileURLToPath(new URL("../../build/core/core.core.wasm", import.meta.url))),
);

/** The core, except that it traps on requests for `target`. */
export function trappingOn(target: string): CompiledCore {
  return {
    instantiate(imports) {
      const instance = core.instantiate(imports);
      const { engine: real } = instance.exports;
      const step: typeof real.step = (now, input) => {
        if (input.tag === "request" && input.val.target === target) throw new Error("unreachable");
        real.step(now, input);
      };
      return { ...instance, exports: { ...instance.exports, engine: { ...real, step } } };
    },
  };
}

export const trapping = trappingOn("/trap");

export interface Sent {
  method: string;
  target: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Told {
  status: number;
  text: string;
}

export const TOKEN = "identity-token-of-the-registry";

const TURNS_MAX = 1000;

export class RecordedEngine {
  readonly ring = new Ring();
  readonly world = new World();
  readonly stored = new Map<string, Uint8Array>([...FIRST_RECORDS, ...BUSYBOX_RECORDS]);
  readonly told = new Map<bigint, Told>();
  /** Answers that have begun and are not over. */
  readonly #begun = new Set<Told>();
  readonly lost: unknown[] = [];
  readonly recorder: Recorder;
  readonly #core: CompiledCore;
  readonly #clock = new HandClock();
  readonly #journal = new MemoryJournal();
  readonly #host: Host;
  #happen: (input: Input) => void = () => {};
  driver!: Driver;

  /** `records`: the store; `stored` if not given. */
  constructor(options: Partial<RecorderOptions> = {}, run: CompiledCore = trapping, records?: RecordStore) {
    this.#core = run;
    this.recorder = new Recorder({ core: identity, sink: this.ring, ...options });
    this.world.state.chains.set(BUSYBOX_CHAIN, null);
    this.#host = {
      timers: this.#clock,
      records: records ?? {
        load: async () => this.#load(),
        journal: this.#journal,
        commit: async (changes) => changes.forEach((change) => keep(change, this.stored, this.#journal)),
        close: async () => {},
      },
      processes: this.#performs("processes"),
      content: this.#performs("content"),
      networks: this.#performs("networks"),
      volumes: this.#performs("volumes"),
      inventory: async () => this.world.inventory(),
      replies: { log: () => Promise.reject(new Error("no log")), stdin: () => ({}) as never, ...NO_STREAMS },
      machine: OPTIONS.machine,
      runtimes: OPTIONS.runtimes,
      listen: (happened) => void (this.#happen = happened),
      seed: () => new Uint8Array(32).fill(this.driver.epoch),
      close: async () => {},
    };
  }

  async open(observer: Observer | null = this.recorder): Promise<void> {
    const options = {
      engine: OPTIONS,
      lost: (error: unknown) => void this.lost.push(error),
      fatal: (error: unknown) => void this.lost.push(error),
      epoch: this.driver === undefined ? 0 : this.driver.epoch,
      ...(observer === null ? {} : { observer }),
    };
    const send = { perform: (request: bigint, command: replies.ReplyCommand) => this.#reply(request, command) };
    this.driver = Driver.begin(this.#core, this.#host, send, new RequestBodies(), options);
    await this.driver.opened;
  }

  /** Sends a request and waits until everything is idle. */
  async ask({ method, target, body, headers = {} }: Sent): Promise<Told> {
    const id = this.send({ method, target, body, headers });
    await settle();
    await this.#exits();
    return this.told.get(id)!;
  }

  /** The same, and waits until the answer is over: while requests arrive, readers of events take turns. */
  async askToTheEnd(sent: Sent): Promise<Told> {
    const told = await this.ask(sent);
    for (let turn = 0; this.#begun.has(told); turn++) {
      if (turn === TURNS_MAX) throw new Error(`${sent.target} is never answered to its end`);
      await this.rest();
    }
    return told;
  }

  send({ method, target, body, headers = {} }: Sent): bigint {
    const id = this.driver.nextRequest();
    this.told.set(id, { status: 0, text: "" });
    this.#clock.advance(1_000_000n);
    const typed = body === undefined ? {} : { "Content-Type": "application/json" };
    const lines = Object.entries({ ...typed, ...headers }).map(([name, value]) => `${name}: ${value}`);
    const whole = typeof body === "string" ? body : JSON.stringify(body);
    const sent: engine.Body =
      body === undefined ? { tag: "none" } : { tag: "whole", val: new TextEncoder().encode(whole) };
    const request = { id, listener: "unix:///test.sock", method, target, headers: lines.join("\n"), body: sent };
    this.driver.deliver({ tag: "request", val: { ...request, peer: { pid: 7, uid: 0, gid: 0 } } });
    return id;
  }

  /** Lets an idle second pass. */
  async rest(): Promise<void> {
    this.#clock.advance(1_000_000_000n);
    await settle();
  }

  async #exits(): Promise<void> {
    for (let ended = this.world.exits.shift(); ended !== undefined; ended = this.world.exits.shift()) {
      const exit = { code: ended.code, outOfMemory: false, lost: false, at: this.#clock.now().wall };
      this.#happen({ tag: "exited", val: { container: ended.container, run: ended.run, exit } });
      await settle();
    }
  }

  #performs<Command extends { tag: string }>(to: HostEffect["to"]): Perform<Command> {
    return async (op, command) => this.#perform({ to, op, command } as unknown as HostEffect);
  }

  #perform(effect: HostEffect): Outcome {
    if (effect.to === "content" && effect.command.tag === "login") return { tag: "token", val: TOKEN };
    try {
      return this.world.perform(effect, false);
    } catch (error) {
      throw error instanceof Failed ? new HostFailure(error.failure) : error;
    }
  }

  #load(): engine.Stored[] {
    const sorted = [...this.stored].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([key, value]) => ({ key, value }));
  }

  #reply(request: bigint, command: replies.ReplyCommand): void {
    const told = this.told.get(request)!;
    if (command.tag === "whole" || command.tag === "bare") {
      told.status = command.val.head.status;
      told.text += new TextDecoder().decode(command.val.body);
    }
    if (command.tag === "open") {
      told.status = command.val.status;
      this.#begun.add(told);
    }
    if (command.tag === "end") this.#begun.delete(told);
    if (command.tag === "chunk") told.text += new TextDecoder().decode(command.val);
  }
}
