// An engine opened on given records and findings, whose host carries out everything at once; and its actions.

import type { engine, processes } from "../../../hosts/shared/host.js";
import { packageCore } from "../../../hosts/embedding/core.js";
import { Instance, type CompiledCore } from "../../../hosts/driver/instance.js";
import type { HostEffect, StepOutputs } from "../../../hosts/shared/outputs.js";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { journalRead } from "../../support/records/kept-records.js";
import { giveBack, unopened } from "../crash/unopened.js";
import { OPTIONS } from "../support/fixtures.js";
import { NOTHING_FOUND } from "../../support/nothing-found.js";

const core = packageCore();
/** The records were made with either runtime. */
const WITH_CRUN: engine.Options = {
  ...OPTIONS,
  runtimes: ["crun", "runc"].map((name) => ({ ...OPTIONS.runtimes[0]!, name })),
};
const START = 1_795_400_000_000_000_000n;

export type Records = ReadonlyMap<string, string | Uint8Array>;

export interface Answer {
  status: number;
  text: string;
}

/** Why an engine would not open them; undefined if it would. */
export function refusal(records: Records): string | undefined {
  const instance = unopened();
  const why = instance.refuses(OPTIONS, stored(records));
  giveBack(instance);
  return why;
}

export class Opened {
  /** The current records. */
  readonly records: Map<string, string>;
  /** Messages of `open`, one per line: `swept volume x: why`. */
  readonly told: string[];
  /** Records written by `open`. */
  readonly puts: string[];
  /** The commands to the host, except timers. */
  readonly asked: HostEffect[] = [];
  /** A container whose process ends by SIGKILL. */
  exitsByKill = "";
  readonly #instance: Instance;
  readonly #timers: { op: bigint; at: bigint }[] = [];
  readonly #fails: (effect: HostEffect) => string | undefined;
  readonly #answers = new Map<bigint, Answer>();
  readonly #journal = new MemoryJournal();
  #waiting: HostEffect[] = [];
  #now = 0n;
  #requests = 0n;

  /** `fails`: the host's failure for a command, if any. */
  constructor(
    given: Records,
    found: Partial<engine.Inventory> = {},
    fails: (effect: HostEffect) => string | undefined = () => undefined,
    compiled: CompiledCore = core,
  ) {
    this.#instance = compiled === core ? unopened() : new Instance(compiled);
    this.records = new Map(Array.from(given, ([key, value]) => [key, text(value)]));
    this.#fails = fails;
    const inventory = { ...NOTHING_FOUND, ...found };
    const seed = new Uint8Array(32).fill(9);
    const outputs = this.#instance.open(WITH_CRUN, this.#time(), seed, stored(given), this.#journal.endsAt, inventory);
    this.told = this.#instance
      .explain()
      .flatMap((note) => (note.tag === "found" ? [`${note.val.deed} ${note.val.what}: ${note.val.why}`] : []));
    this.puts = outputs.records.flatMap((command) => (command.tag === "put" ? [command.val.key] : []));
    this.#take(outputs);
  }

  /** The engine is no longer used. */
  close(): void {
    giveBack(this.#instance);
  }

  /** Keys of the records that were set aside. */
  get setAside(): string[] {
    return [...this.records.keys()].filter((key) => key.startsWith("damaged/")).map((key) => key.slice(8));
  }

  /** The host carries out everything; time passes until nothing waits for it, or for `seconds`. */
  settle(seconds = 30): this {
    const until = this.#now + BigInt(seconds) * 1_000_000_000n;
    for (;;) {
      const effect = this.#waiting.shift();
      if (effect !== undefined) {
        this.#carryOut(effect);
        continue;
      }
      const next = this.#timers.sort((a, b) => (a.at < b.at ? -1 : 1))[0];
      if (next === undefined || next.at > until) return this;
      this.#timers.shift();
      if (next.at > this.#now) this.#now = next.at;
      this.#step({ tag: "elapsed", val: next.op });
    }
  }

  /** The answer once everything is at rest; status 0 if the request still waits. */
  call(method: string, target: string, body?: unknown): Answer {
    const answer = this.send(method, target, body);
    this.settle();
    return answer;
  }

  /** The answer, filled in when it arrives. */
  send(method: string, target: string, body?: unknown): Answer {
    const id = ++this.#requests;
    const answer: Answer = { status: 0, text: "" };
    this.#answers.set(id, answer);
    const bytes = body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body));
    const headers = bytes === undefined ? "" : "Content-Type: application/json";
    const sent: engine.Body = bytes === undefined ? { tag: "none" } : { tag: "whole", val: bytes };
    const listener = "unix:///test.sock";
    this.#step({ tag: "request", val: { id, listener, method, target, headers, body: sent } });
    return answer;
  }

  happen(input: engine.Input): void {
    this.#step(input);
    this.settle();
  }

  json<T>(target: string): T {
    return JSON.parse(this.call("GET", target).text) as T;
  }

  #carryOut(effect: HostEffect): void {
    if (effect.to === "records") {
      return this.#step({ tag: "completed", val: { op: effect.op, outcome: journalRead(this.#journal, effect) } });
    }
    const message = this.#fails(effect);
    const outcome: engine.Completed["outcome"] =
      message === undefined
        ? { tag: "ok", val: this.#outcome(effect) }
        : { tag: "err", val: { tag: "internal", val: message } };
    this.#step({ tag: "completed", val: { op: effect.op, outcome } });
    if (effect.to === "processes" && effect.command.tag === "signal") this.#signalled(effect.command.val);
  }

  #signalled({ subject, number }: processes.Signal): void {
    if (number !== 9 || subject.container !== this.exitsByKill) return;
    const exit = { code: 137, outOfMemory: false, lost: false, at: this.#time().wall };
    this.#step({ tag: "exited", val: { ...subject, exit } });
  }

  #outcome({ to, command }: HostEffect): engine.Outcome {
    if (to === "processes" && command.tag === "launch") {
      return { tag: "launched", val: { pid: 77, at: this.#time().wall } };
    }
    if (command.tag === "count-own") return { tag: "own-process", val: { descriptors: 0, tasks: 0 } };
    return command.tag === "measure" ? { tag: "size", val: 0n } : { tag: "done" };
  }

  #step(input: engine.Input): void {
    this.#take(this.#instance.step(this.#time(), input));
  }

  #take({ records: commands, effects, replies }: StepOutputs): void {
    for (const command of commands) this.#keep(command);
    for (const effect of effects) {
      if (effect.to !== "timers") {
        this.asked.push(effect);
        this.#waiting.push(effect);
      } else if (effect.command.tag === "set") this.#timers.push({ op: effect.op, at: effect.command.val });
      else
        this.#timers.splice(
          this.#timers.findIndex(({ op }) => op === effect.op),
          1,
        );
    }
    for (const { request, command } of replies) {
      const answer = this.#answers.get(request);
      if (answer === undefined || command.tag !== "whole") continue;
      answer.status = command.val.head.status;
      answer.text = text(command.val.body);
    }
  }

  #keep(command: StepOutputs["records"][number]): void {
    if (command.tag === "put") this.records.set(command.val.key, text(command.val.value));
    else if (command.tag === "delete") this.records.delete(command.val);
    else this.#journal.append(command.val);
  }

  #time() {
    return { wall: START + this.#now, monotonic: this.#now };
  }
}

function stored(records: Records): engine.Stored[] {
  return [...records]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ key, value: typeof value === "string" ? new TextEncoder().encode(value) : value }));
}

function text(value: string | Uint8Array): string {
  return typeof value === "string" ? value : new TextDecoder().decode(value);
}
