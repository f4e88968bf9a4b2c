// Random stories in a world that obeys, with the engine cut off after every single output: an engine opened from the
// records and the host's inventory must recover and come to rest. CRASH_STORIES and CRASH_SEED select more stories, or
// one.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { Engine } from "./engine.js";
import { checkExecEvents, checkExecTold } from "./exec-events.js";
import { Memory } from "./memory.js";
import { NAMES, act, drawStory } from "./story.js";
import { type Rest, checkAtRest, checkHangs, checkJournaled, checkTold, checkUnique } from "./truths.js";
import type { State } from "./state.js";
import { NETWORKS } from "../support/fixtures.js";

const STORIES = Number(process.env["CRASH_STORIES"] ?? "200");
const FIRST_SEED = Number(process.env["CRASH_SEED"] ?? "1");
const LENGTH = 12;

test(
  `${STORIES} stories, cut after every output, are healed`,
  () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + STORIES; seed++) {
      const story = drawStory(seed, LENGTH);
      const failure = play(story);
      if (failure !== null) expect.fail(tell(seed, shortest(story)));
    }
  },
  10 * 60_000,
);

/** Why a story fails, and at which cut; null if it does not. */
function play(story: string[]): string | null {
  const memory = new Memory();
  const engine = Engine.first();
  let cuts = 0;
  try {
    let healed: Rest | null = null;
    engine.changed = () => {
      checkUnique(engine);
      checkExecEvents(engine);
      cuts += 1;
      healed = healOnce(engine, memory);
    };
    // An answer only adds conditions that must hold: a cut after it recovers like the previous one.
    engine.told = (request) => {
      memory.hears(engine, request);
      checkJournaled(engine, request);
      checkExecTold(engine, request);
      if (healed !== null) checkTold(healed, memory);
    };
    engine.open();
    for (const line of story) act(engine, memory, line);
    rest(engine, memory);
    removeAll(engine, memory);
    engine.close();
    return null;
  } catch (error) {
    return `cut ${cuts}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Stories begin alike, so a recovery that was already checked is skipped. */
const healedBefore = new Map<string, Rest>();

function healOnce(engine: Engine, told: Memory): Rest {
  const state = createHash("sha256").update(engine.fingerprint()).digest();
  const key = state.toString("hex");
  const rest = healedBefore.get(key) ?? heal(engine, told, state.readUInt32LE());
  healedBefore.set(key, rest);
  checkTold(rest, told);
  return rest;
}

/** The engine is killed: only its world and its records remain. */
function heal(before: Engine, told: Memory, draw: number): Rest {
  const engine = new Engine(before.world.afterCrash(), new Map(before.records), before);
  const memory = told.copy();
  hurt(engine, draw);
  engine.told = (request) => memory.hears(engine, request);
  // Killed again during the recovery; the result must also allow removal.
  let outputs = 0;
  engine.changed = () => {
    checkUnique(engine);
    checkExecEvents(engine);
    if (++outputs !== 1 + (draw % 7)) return;
    const again = new Engine(engine.world.afterCrash(), new Map(engine.records), engine);
    again.open();
    rest(again, memory);
    if (draw % 3 === 0) removeAll(again, memory.copy());
    again.close();
  };
  engine.open();
  // Clients do not wait until the recovery is complete.
  if (draw % 2 === 0) for (const name of NAMES) act(engine, memory, `start ${name}`);
  rest(engine, memory);
  engine.close();
  return { records: engine.records, files: engine.world.state.files };
}

/** Leaves parts of a container without a record. */
function leaveStray(state: State): void {
  const stray = "5".repeat(64);
  const process = {
    frozen: false,
    joined: "",
    stubborn: false,
    pending: false,
    code: 0,
    memory: 0,
    hosts: "",
    volumes: new Set<string>(),
  };
  state.processes.set(`${stray} 1`, { container: stray, run: 1, status: "running", ...process });
  state.mounts.set(stray, null);
  state.files.add(stray);
  const network = NETWORKS.get("bridge") as string;
  state.joins.set(`${stray} ${network}`, {
    container: stray,
    network,
    address: "172.17.9.9",
    ipv6Address: "",
    ports: [],
  });
  state.sandboxes.add(stray);
  state.volumes.add("6".repeat(64));
  state.chains.set(`sha256:${"7".repeat(64)}`, null);
}

/** Sometimes a process ends, or a supervisor is lost, while no engine runs. */
function hurt(engine: Engine, draw: number): void {
  const running = [...engine.world.state.processes.values()].filter(({ status }) => status === "running");
  if (draw % 5 === 0) leaveStray(engine.world.state);
  const process = running[draw % 4];
  if (process === undefined) return;
  process.status = draw % 3 === 0 ? "lost" : "exited";
  process.frozen = false;
  process.code = draw % 5;
}

function rest(engine: Engine, memory: Memory): void {
  engine.world.faults.clear();
  engine.settle();
  checkUnique(engine);
  checkAtRest(engine);
  checkTold({ records: engine.records, files: engine.world.state.files }, memory);
  checkHangs(engine);
}

/** At the end everything is removed, and nothing is left. */
function removeAll(engine: Engine, memory: Memory): void {
  for (const name of NAMES) act(engine, memory, `remove ${name} force=1&v=1`);
  rest(engine, memory);
  const { mounts, files, sandboxes, processes } = engine.world.state;
  expect([...mounts.keys(), ...files, ...sandboxes, ...processes.keys()]).toEqual([]);
}

/** The same failure with as few lines as possible. */
function shortest(story: string[]): string[] {
  let lines = story;
  for (let size = Math.ceil(lines.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let at = 0; at < lines.length;) {
      const fewer = [...lines.slice(0, at), ...lines.slice(at + size)];
      if (play(fewer) !== null) lines = fewer;
      else at += size;
    }
  }
  return lines;
}

function tell(seed: number, lines: string[]): string {
  return [`seed ${seed}, ${play(lines)}`, ...lines].join("\n  ");
}
