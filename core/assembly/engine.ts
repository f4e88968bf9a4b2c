// The entry point. Every input is passed on here, and the records of what it changed are written before the step ends.

import {
  Closed,
  Closing,
  Completed,
  Drained,
  Exited,
  Input,
  InputClosed,
  InputCompleted,
  InputDrained,
  InputElapsed,
  InputExecExited,
  InputExited,
  InputOutOfMemory,
  InputProgress,
  InputReloaded,
  InputRequest,
  InputSourceFailed,
  InputTag,
  Instant,
  Inventory,
  JournalEnd,
  MemoryKill,
  Note,
  Options,
  Progress,
  Rule,
  SourceFailure,
  Stored,
} from "../../build/bindings/types";
import { versionsProblem } from "./api/newest-version";
import { dispatch } from "./api/router";
import { cacheCollector } from "./build/caches/collection";
import { stepsUnderway } from "./build/run/stage/steps-underway";
import { builderProblem } from "./build/settings/builder-settings";
import { Call, unknownCall } from "./call";
import { exitedByItself, ranOutOfMemory } from "./container/exit/exit";
import { lengthOfRun } from "./container/exit/run-length";
import { settleReleased } from "./container/exit/settle";
import { ruleTable } from "./container/lifecycle";
import { containerStore } from "./container/store";
import { eventRing } from "./event/ring";
import { execExited } from "./exec/ended";
import { brokenLog } from "./failure/log";
import { sourceRefusal } from "./failure/source";
import { watchAll, watchChanged } from "./health/watch";
import { mend } from "./mend";
import { networkOptionsProblem } from "./network/option-problems";
import { openCalls } from "./open-calls";
import { acting, ENGINE_START, EXITED_BY_ITSELF, OUT_OF_MEMORY } from "./origin";
import { reasons } from "./reason";
import { allRecords } from "./records/all";
import { versionProblem } from "./records/version";
import { endReply, sendChunk, sendRefusal } from "./reply";
import { engine } from "./state";
import { reload } from "./system/reload";

export function refuses(options: Options, records: Array<Stored>): string | null {
  const problem = versionProblem(records);
  if (problem.length > 0) return problem;
  const versions = versionsProblem(options);
  const networks = versions.length > 0 ? versions : networkOptionsProblem(options.networks);
  const wrong = networks.length > 0 ? networks : builderProblem(options.builder);
  return wrong.length > 0 ? wrong : null;
}

export function open(
  options: Options,
  now: Instant,
  seed: Uint8Array,
  records: Array<Stored>,
  journal: JournalEnd,
  inventory: Inventory,
): void {
  reasons.length = 0;
  engine.options = options;
  engine.now = now;
  engine.ids.seed(seed);
  engine.steps.epoch = options.epoch;
  eventRing.openedAt(journal);
  acting.at = now.wall;
  acting.alone(ENGINE_START);
  mend(records, inventory);
  watchAll();
  keep();
}

export function step(now: Instant, input: Input): void {
  reasons.length = 0;
  engine.now = now;
  acting.at = now.wall;
  take(input);
  stepsUnderway.tellDue();
  settleReleased();
  watchChanged();
  cacheCollector.collect();
  keep();
}

/** Writes the changed records and the events of the step. */
function keep(): void {
  containerStore.putChanged();
  eventRing.write();
}

/** Drops what belongs to the last step only; the bindings do the rest. */
export function snapshot(): void {
  reasons.length = 0;
}

export function explain(): Note[] {
  const notes: Note[] = [];
  for (let i = 0; i < reasons.length; i++) notes.push(reasons[i].note());
  return notes;
}

export function records(): Stored[] {
  return allRecords();
}

export function rules(): Rule[] {
  return ruleTable();
}

function take(input: Input): void {
  switch (input.tag) {
    case InputTag.Request:
      eventRing.throttle.request();
      return dispatch((<InputRequest>input).value);
    case InputTag.Completed:
      return completed((<InputCompleted>input).value);
    case InputTag.Exited:
      return exited((<InputExited>input).value);
    case InputTag.ExecExited:
      return execExited((<InputExecExited>input).value);
    case InputTag.OutOfMemory:
      return shortOfMemory((<InputOutOfMemory>input).value);
    case InputTag.Progress:
      return progressed((<InputProgress>input).value);
    case InputTag.Closed:
      return closed((<InputClosed>input).value);
    case InputTag.SourceFailed:
      return sourceFailed((<InputSourceFailed>input).value);
    case InputTag.Elapsed:
      return elapsed((<InputElapsed>input).value);
    case InputTag.Drained:
      return drained((<InputDrained>input).value);
    case InputTag.Reloaded:
      return reload((<InputReloaded>input).value);
  }
}

function completed(completed: Completed): void {
  const pending = engine.steps.end(completed.op);
  if (pending === null) return;
  acting.origin = pending.origin;
  pending.task.ended(pending.step, completed.outcome.ok, completed.outcome.error);
}

function progressed(progress: Progress): void {
  const pending = engine.steps.find(progress.op);
  if (pending === null) return;
  acting.origin = pending.origin;
  pending.task.progressed(pending.step, progress);
}

function elapsed(op: u64): void {
  const pending = engine.steps.end(op);
  if (pending === null) return;
  acting.origin = pending.origin;
  pending.task.elapsed(pending.step);
}

function exited(exited: Exited): void {
  acting.alone(EXITED_BY_ITSELF);
  const container = containerStore.find(exited.container);
  if (container !== null && container.run == exited.run) {
    exitedByItself(container, exited.exit, lengthOfRun(container));
  }
}

function shortOfMemory(kill: MemoryKill): void {
  acting.alone(OUT_OF_MEMORY);
  const container = containerStore.find(kill.container);
  if (container !== null && container.run == kill.run && container.running) ranOutOfMemory(container, kill.kills);
}

function closed(closed: Closed): void {
  const call = openCalls.find(closed.request);
  if (call === null) return;
  openCalls.remove(call.id);
  call.gone = true;
  resume(call);
  const follower = call.follower;
  if (follower !== null) follower.closed(call, closed.why);
}

/** If an earlier instance began the reply, nothing is known of the request, but its client is still waiting. */
function sourceFailed(failed: SourceFailure): void {
  const known = openCalls.find(failed.request);
  const call: Call = known === null ? unknownCall(failed.request) : known;
  resume(call);
  const follower = call.follower;
  if (follower !== null) follower.closed(call, Closing.Failed);
  const begun = failed.begun;
  if (begun === null) return sendRefusal(call, sourceRefusal(failed.why));
  sendChunk(call, brokenLog(begun, failed.why));
  endReply(call);
}

function drained(drained: Drained): void {
  const call = openCalls.find(drained.request);
  if (call === null) return;
  resume(call);
  const follower = call.follower;
  if (follower !== null) follower.drained(call, drained.bytes);
}

/** Effects of this input are attributed to the call's client. */
function resume(call: Call): void {
  const origin = call.origin;
  if (origin !== null) acting.origin = origin;
}
