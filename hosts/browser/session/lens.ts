// The version lens: decides the same request at every API version, on forks of the core. Each fork also gets the
// session's later inputs, so that slow answers arrive too.

import { Instance } from "../../driver/index.js";
import type { Reply, RequestId, StepOutputs } from "../../shared/index.js";
import { differences } from "./view/differences.js";
import type { Exchange } from "./exchange.js";
import type { LensGroup } from "./explain/explain.js";
import { atVersion, versionOf } from "./request.js";
import type { Session } from "./session.js";
import type { Step } from "../../timeline/index.js";
import { NEWEST_VERSION, OLDEST_VERSION } from "./versions.js";

/** Largest number of steps per fork: slower answers are given up. */
const MOST_STEPS = 5_000;

/**
 * Answers to the request of an exchange at versions 1.24…1.55; equal neighbours form one group. Empty if it never
 * reached the core. Yields to the page between versions.
 */
export async function lens(session: Session, exchange: Exchange): Promise<LensGroup[]> {
  const steps = session.steps.value;
  const asked = steps.find((step) => step.exchange === exchange.number && step.input?.tag === "request");
  if (asked === undefined) return [];
  const snapshot = snapshotBefore(session, asked);
  const shown = Number((versionOf(requestOf(asked)) ?? `1.${NEWEST_VERSION}`).split(".")[1]);
  const answers: Answer[] = [];
  for (let minor = OLDEST_VERSION; minor <= NEWEST_VERSION; minor++) {
    answers.push(answerAt(session, snapshot, asked, minor));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return grouped(answers, shown);
}

interface Answer {
  minor: number;
  status: number | null;
  type: string;
  body: string;
}

function requestOf(step: Step) {
  if (step.input?.tag !== "request") throw new Error(`step ${step.number} is no request`);
  return step.input.val;
}

/** The instance just before a step, rebuilt from its opening and all its inputs. */
function snapshotBefore(session: Session, asked: Step): Uint8Array {
  const life = session.steps.value.filter((step) => step.epoch === asked.epoch && step.number < asked.number);
  const instance = new Instance(session.core.compiled);
  for (const step of life) {
    const now = { wall: step.wall, monotonic: step.at };
    if (step.opening !== null) {
      const { options, seed, records, journal, inventory } = step.opening;
      instance.open(options, now, seed, records, journal, inventory);
    } else if (step.input !== null) instance.step(now, step.input);
    if (instance.mustCollect) instance.collect();
  }
  return instance.snapshot();
}

function answerAt(session: Session, snapshot: Uint8Array, asked: Step, minor: number): Answer {
  const instance = new Instance(session.core.compiled);
  instance.restore(snapshot);
  const request = requestOf(asked);
  const { target } = atVersion({ ...request, headers: [], body: "" }, `1.${minor}`);
  const now = { wall: asked.wall, monotonic: asked.at };
  const reading = new Reading(request.id);
  reading.take(instance.step(now, { tag: "request", val: { ...request, target } }));
  for (const step of session.steps.value.slice(asked.number + 1, asked.number + 1 + MOST_STEPS)) {
    if (reading.over || step.kind !== "stepped" || step.input === null) break;
    reading.take(instance.step({ wall: step.wall, monotonic: step.at }, step.input));
  }
  return { minor, ...reading.answer };
}

/** Collects the output for one request. */
class Reading {
  over = false;
  readonly answer: Omit<Answer, "minor"> = { status: null, type: "", body: "" };
  readonly #request: RequestId;

  constructor(request: RequestId) {
    this.#request = request;
  }

  take(outputs: StepOutputs): void {
    for (const reply of outputs.replies) if (reply.request === this.#request) this.#read(reply);
  }

  #read({ command }: Reply): void {
    switch (command.tag) {
      case "whole":
      case "bare":
        this.#head(command.val.head);
        this.answer.body += text(command.val.body);
        this.over = true;
        return;
      case "open":
        return this.#head(command.val);
      case "hijack":
      case "calls":
        this.#head(command.val.head);
        this.over = true;
        return;
      case "chunk":
        this.answer.body += text(command.val);
        return;
      case "insert":
      case "beside":
      case "drain":
        return;
      case "splice":
      case "end":
        this.over = true;
    }
  }

  #head({ status, headers }: { status: number; headers: string }): void {
    this.answer.status = status;
    this.answer.type = /^content-type:\s*(.*)$/im.exec(headers)?.[1] ?? "";
  }
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function grouped(answers: readonly Answer[], shown: number): LensGroup[] {
  const runs: Answer[][] = [];
  for (const answer of answers) {
    const run = runs.at(-1);
    if (run !== undefined && equal(run[0]!, answer)) run.push(answer);
    else runs.push([answer]);
  }
  const now = answers.find(({ minor }) => minor === shown) ?? answers.at(-1)!;
  return runs.map((run) => groupOf(run, now));
}

function equal(one: Answer, other: Answer): boolean {
  return one.status === other.status && one.body === other.body && one.type === other.type;
}

function groupOf(run: readonly Answer[], shown: Answer): LensGroup {
  const [from, to] = [`1.${run[0]!.minor}`, `1.${run.at(-1)!.minor}`];
  const { status, body, type } = run[0]!;
  const difference = differences(shown.body, body);
  if (type !== shown.type) difference.unshift(`~ Content-Type: ${shown.type || "none"} → ${type || "none"}`);
  if (status !== shown.status) difference.unshift(`~ status: ${shown.status ?? "none"} → ${status ?? "none"}`);
  return {
    versions: from === to ? from : `${from}–${to}`,
    ...{ from, to, status, body, difference },
    shown: run.some(({ minor }) => minor === shown.minor),
  };
}
