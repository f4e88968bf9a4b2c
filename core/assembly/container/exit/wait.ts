// POST /containers/{id}/wait (surface §2.10).

import { Closing } from "../../../../build/bindings/types";
import { Call, Follower } from "../../call";
import { JsonWriter } from "../../json/writer";
import { openCalls } from "../../open-calls";
import { badParameter, Refusal } from "../../refusal";
import { endReply, headersOf, line, openReply, sendChunk, sendJson } from "../../reply";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { containerStore } from "../store";
import { Condition, Waiter } from "./waiter";

/** The first version that has `condition`, and in which the headers are sent at once. */
const WITH_CONDITION = 30;
/** The first version that reports a failed removal. */
const WITH_ERROR = 34;

export function waitContainer(call: Call): Refusal | null {
  const condition = conditionOf(call);
  if (condition < 0) return badParameter(`invalid condition: "${call.query.first("condition")}"`);
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;

  const waiter = new Waiter(call, <Condition>condition);
  const leaves = new LeaveWaiter(container, waiter);
  if (call.version >= WITH_CONDITION) openReply(call, 200, headersOf(call).json, leaves);
  else {
    call.follower = leaves;
    openCalls.add(call);
  }
  if (condition == Condition.NotRunning && !runs(container)) answer(waiter, container, container.error);
  else container.waiters.push(waiter);
  return null;
}

/**
 * Answers the clients that wait for this condition or a weaker one: a removal also answers those that wait for an exit.
 */
export function answerWaiters(container: Container, what: Condition): void {
  // A successful removal is not an error, even if the container could not be started (surface §2.10).
  const error = what == Condition.Removed ? "" : container.error;
  const rest: Waiter[] = [];
  const waiters = container.waiters;
  container.waiters = [];
  for (let i = 0; i < waiters.length; i++) {
    if (waiters[i].condition <= what) answer(waiters[i], container, error);
    else rest.push(waiters[i]);
  }
  container.waiters = rest;
}

/**
 * Tells clients that wait for the removal that it failed. The
 * others still wait for an exit, or a removal that succeeds.
 */
export function answerRemovalFailed(container: Container, error: string): void {
  const rest: Waiter[] = [];
  const waiters = container.waiters;
  container.waiters = [];
  for (let i = 0; i < waiters.length; i++) {
    const waiter = waiters[i];
    if (waiter.condition != Condition.Removed) rest.push(waiter);
    else answer(waiter, container, error);
  }
  container.waiters = rest;
}

/** A container that is being started counts: its exit is still to come. */
function runs(container: Container): bool {
  return container.up || container.status == Status.Starting;
}

/** -1 for an unknown word. */
function conditionOf(call: Call): i32 {
  if (call.version < WITH_CONDITION) return Condition.NotRunning;
  const word = call.query.first("condition");
  if (word == "" || word == "not-running") return Condition.NotRunning;
  if (word == "next-exit") return Condition.NextExit;
  return word == "removed" ? Condition.Removed : -1;
}

function answer(waiter: Waiter, container: Container, error: string): void {
  // Clients of those versions treat an empty body as an error.
  if (error.length > 0 && waiter.condition == Condition.Removed && waiter.call.version < WITH_ERROR) {
    return endReply(waiter.call);
  }
  const json = new JsonWriter();
  json.beginObject();
  if (error.length > 0) {
    json.key("Error");
    json.beginObject();
    json.stringField("Message", error);
    json.endObject();
  }
  json.i64Field("StatusCode", container.exitCode);
  json.endObject();
  const body = line(json);
  if (waiter.call.version < WITH_CONDITION) return sendJson(waiter.call, 200, body);
  sendChunk(waiter.call, body);
  endReply(waiter.call);
}

class LeaveWaiter extends Follower {
  constructor(
    private readonly container: Container,
    private readonly waiter: Waiter,
  ) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    const at = this.container.waiters.indexOf(this.waiter);
    if (at >= 0) this.container.waiters.splice(at, 1);
  }
}
