// What must hold for one move: what clients are told is true at that time, and nothing that was true is lost.

import type { StatusWord } from "../../../build/core/enum-words.js";
import type { Engine, Request } from "../crash/engine.js";
import { type ContainerRecord, containersOf, readContainer, wordOf } from "../crash/memory.js";
import { Breach, type World } from "../crash/world.js";

const RUNNING: string[] = ["running", "paused"] satisfies StatusWord[];
const IS_OVER: string[] = ["releasing", "exited", "removing", "dead"] satisfies StatusWord[];

/** When a request is answered, records and world agree with the answer. */
export function checkAnswer(engine: Engine, request: Request): void {
  const { method, target, status } = request;
  const [, name = ""] = /(?:containers\/|name=)(anna|bert)/.exec(target) ?? [];
  const container = containersOf(engine.records).find((one) => one.name === name);
  const word = container === undefined ? "none" : wordIn(engine, container);
  const verb = /create/.exec(target) ? "create" : method === "DELETE" ? "remove" : (target.split("/").pop() as string);
  const allowed = ALLOWED[`${verb} ${status}`];
  if (allowed === undefined) throw new Breach(`${verb} is answered ${status}: ${request.text}`);
  if (`${verb} ${status} ${word}` === "pause 204 running" && isBeingKilled(engine, name)) return;
  if (!allowed.includes(word)) throw new Breach(`${verb} is answered ${status}, and the container is ${word}`);
  if (verb === "start" && status === 204 && container?.everRan !== true) throw new Breach("started, and never ran");
  if (verb !== "remove" || status !== 204) return;
  const { files, mounts, sandboxes, processes } = engine.world.state;
  const ids = new Set(containersOf(engine.records).map(({ id }) => id));
  const left = [...files, ...mounts.keys(), ...sandboxes, ...[...processes.values()].map((one) => one.container)];
  const stray = left.find((id) => !ids.has(id));
  if (stray !== undefined) throw new Breach(`removed, and something of ${stray} is there`);
}

/** `ending`: its process has ended, and the engine does not know it yet. */
function wordIn(engine: Engine, container: ContainerRecord): string {
  const word = wordOf(container);
  return RUNNING.includes(word) && engine.world.running(container.id) === undefined ? "ending" : word;
}

/** A container that is frozen after SIGKILL is thawed at once. */
function isBeingKilled({ requests }: Engine, name: string): boolean {
  return requests.some(({ over, target }) => !over && new RegExp(`/${name}/(kill|stop)$`).test(target));
}

const EXISTS = [
  "created",
  "starting",
  "unwinding",
  "running",
  "paused",
  "releasing",
  "exited",
  "removing",
  "dead",
  "ending",
] satisfies (StatusWord | "ending")[];
const OVER = ["created", "unwinding", "releasing", "exited", "removing", "dead", "starting"] satisfies StatusWord[];

/**
 * By command and status: the container's allowed states when the client is told. A start may follow in the same step.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "create 201": ["created"],
  "create 409": EXISTS,
  "start 204": ["running", "ending"],
  "start 304": ["running", "ending"],
  "start 404": ["none"],
  "start 409": ["paused", "ending", "removing"],
  "stop 204": OVER,
  "stop 304": OVER,
  "stop 404": ["none"],
  "kill 204": OVER,
  // Time ran out before the host got to it.
  "kill 500": ["running", "paused", "ending"],
  "stop 500": ["running", "paused", "ending"],
  "kill 404": ["none"],
  "kill 409": OVER,
  "pause 204": ["paused", "ending"],
  "pause 404": ["none"],
  "pause 409": [...OVER, "paused", "ending"],
  "unpause 204": ["running", "ending"],
  "unpause 404": ["none"],
  "unpause 500": [...OVER, "running", "ending"],
  "remove 204": ["none"],
  "remove 404": ["none"],
  "remove 409": ["running", "paused", "removing", "ending"],
};

/** Between two moments of one world, which may be separated by a cut. */
export function checkMove(before: ReadonlyMap<string, Uint8Array>, { records, world }: Engine): void {
  for (const [key, value] of before) {
    if (!key.startsWith("container/") || records.get(key) === value) continue;
    const container = readContainer(value);
    const now = records.get(key);
    if (now === undefined) checkGone(container);
    else checkChange(container, readContainer(now), world);
  }
}

function checkGone(container: ContainerRecord): void {
  if (wordOf(container) === "removing") return;
  throw new Breach(`the record of ${container.id} is gone, and it was ${wordOf(container)}`);
}

/** A run is counted once, and stays counted; its end does not change any more. */
function checkChange(before: ContainerRecord, after: ContainerRecord, world: World): void {
  const { id } = before;
  const process = world.state.processes.get(`${id} ${after.run}`);
  if (process?.status === "exited" && IS_OVER.includes(wordOf(after)) && after.exitCode !== process.code) {
    throw new Breach(
      `run ${after.run} of ${id} ended with ${process.code}, and is said to have with ${after.exitCode}`,
    );
  }
  if (after.run < before.run || after.run > before.run + 1)
    throw new Breach(`run ${after.run} of ${id} after ${before.run}`);
  if (before.everRan && !after.everRan) throw new Breach(`${id} ran, and never did`);
  const isOver = IS_OVER.includes(wordOf(before));
  if (isOver && after.run === before.run && RUNNING.includes(wordOf(after)))
    throw new Breach(`run ${after.run} of ${id} was over, and runs`);
  if (isOver && after.run === before.run && after.exitCode !== before.exitCode) {
    throw new Breach(`run ${after.run} of ${id} ended with ${before.exitCode}, now it is ${after.exitCode}`);
  }
}
