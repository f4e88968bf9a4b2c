// An engine whose host carries out every command at once, and which reports the cost of a step.

import type { engine, types } from "../../../hosts/shared/host.js";
import { Instance, type CompiledCore } from "../../../hosts/driver/instance.js";
import { loadCore } from "../../../hosts/node/core-files.js";
import type { StepOutputs } from "../../../hosts/shared/outputs.js";
import type { Count } from "./counting.js";
import { BUSYBOX_CHAIN, BUSYBOX_RECORDS, FIRST_RECORDS, OPTIONS } from "./fixtures.js";
import { NOTHING_FOUND } from "../../support/nothing-found.js";

const core = loadCore();
const NOW: types.Instant = { wall: 1_767_225_600_000_000_000n, monotonic: 100_000_000_000n };

interface Answer {
  status: number;
  body: string;
}

export class EagerEngine {
  readonly #instance: Instance;
  readonly #count: Count | undefined;
  readonly #answers = new Map<bigint, Answer>();
  /** Timers that are due at once. No other timer ever is, because its clock stands still. */
  readonly #due: bigint[] = [];
  #requests = 0n;
  /** The most work in a step, if it is counted: functions entered and loop iterations begun. */
  longest = 0;
  /** The most work in a slice of a collection, in references followed. */
  largestSlice = 0;
  /** All effects that it has asked for. */
  readonly asked: StepOutputs["effects"] = [];
  /** Most bytes that a step has allocated: memory is not freed within a step. */
  greediest = 0;

  /**
   * It has the image `busybox`. `others`: additional records. `machine`: differences from the usual machine. `counted`:
   * what counts its work.
   */
  constructor(
    others: Iterable<readonly [string, Uint8Array]> = [],
    machine: Partial<engine.Machine> = {},
    counted?: { readonly core: CompiledCore; readonly count: Count },
  ) {
    this.#instance = new Instance(counted?.core ?? core);
    this.#count = counted?.count;
    const records = [...FIRST_RECORDS, ...BUSYBOX_RECORDS, ...others].map(([key, value]) => ({ key, value }));
    records.sort((a, b) => (a.key < b.key ? -1 : 1));
    const inventory = { ...NOTHING_FOUND, chains: [BUSYBOX_CHAIN] };
    const options = { ...OPTIONS, machine: { ...OPTIONS.machine, ...machine } };
    this.#complete(this.#instance.open(options, NOW, new Uint8Array(32), records, { next: 1n, at: 0n }, inventory));
  }

  /** The answer. All host operations succeed, and nothing happens in between. */
  request(method: string, target: string, body?: unknown): Answer {
    const id = this.begin(method, target, body);
    while (this.turn());
    const answer = this.answer(id);
    if (answer === null) throw new Error("no whole answer");
    return answer;
  }

  /** Sends a request, and does not run the engine's later turns. */
  begin(method: string, target: string, body?: unknown): bigint {
    const id = ++this.#requests;
    const whole = body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body));
    const headers = body === undefined ? "" : "Content-Type: application/json";
    const sent: engine.Body = whole === undefined ? { tag: "none" } : { tag: "whole", val: whole };
    const request = { id, listener: "unix:///test.sock", method, target, headers, body: sent };
    this.#complete(this.#step({ tag: "request", val: request }));
    return id;
  }

  /** Runs the first of its later turns; false if there is none. */
  turn(): boolean {
    const op = this.#due.shift();
    if (op !== undefined) this.#complete(this.#step({ tag: "elapsed", val: op }));
    return op !== undefined;
  }

  /** Null if it has not come yet. */
  answer(request: bigint): Answer | null {
    return this.#answers.get(request) ?? null;
  }

  /** Collects its garbage in slices. Returns how many. `most`: work of a slice; as in a driver if not given. */
  collect(most?: number): number {
    for (let slices = 1; ; slices++) {
      this.#instance.collectSlice(most);
      this.largestSlice = Math.max(this.largestSlice, this.#instance.sliceWork);
      if (!this.#instance.isCollecting) return slices;
    }
  }

  /** One slice. */
  collectSlice(most: number): void {
    this.#instance.collectSlice(most);
  }

  /** Whether a text is anywhere in the core's live memory. */
  knows(text: string): boolean {
    return Buffer.from(this.#instance.snapshot()).includes(Buffer.from(text, "utf16le"));
  }

  #step(input: engine.Input): StepOutputs {
    const garbage = this.#instance.garbage;
    const before = this.#count?.steps ?? 0;
    const outputs = this.#instance.step(NOW, input);
    this.longest = Math.max(this.longest, (this.#count?.steps ?? 0) - before);
    this.greediest = Math.max(this.greediest, this.#instance.garbage - garbage);
    this.#instance.collectSome();
    return outputs;
  }

  #complete({ effects, replies }: StepOutputs): void {
    for (const { request, command } of replies) {
      if (command.tag !== "whole") continue;
      const { head, body } = command.val;
      this.#answers.set(request, { status: head.status, body: new TextDecoder().decode(body) });
    }
    for (const effect of effects) {
      this.asked.push(effect);
      if (effect.to === "timers") {
        if (effect.command.tag === "set" && effect.command.val <= NOW.monotonic) this.#due.push(effect.op);
        continue;
      }
      const launched = effect.to === "processes" && effect.command.tag === "launch";
      const ok: engine.Outcome = launched ? { tag: "launched", val: { pid: 77, at: NOW.wall } } : outcomeOf(effect);
      const outcome = { tag: "ok", val: ok } as const;
      this.#complete(this.#step({ tag: "completed", val: { op: effect.op, outcome } }));
    }
  }
}

function outcomeOf(effect: StepOutputs["effects"][number]): engine.Outcome {
  if (effect.to === "processes" && effect.command.tag === "count-own")
    return { tag: "own-process", val: { descriptors: 20, tasks: 3 } };
  if (effect.to === "volumes" && effect.command.tag === "measure") return { tag: "size", val: 0n };
  if (effect.to === "content" && effect.command.tag === "ingest") return { tag: "ingested", val: [] };
  if (effect.to !== "content" || effect.command.tag !== "commit") return { tag: "done" };
  return { tag: "committed", val: { diffId: `sha256:${"a".repeat(64)}`, size: 10n, empty: true } };
}
