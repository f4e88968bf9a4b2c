// Execs in the journal: everything that was started or reported is there, and an end never without its start, even if
// the engine is killed after any of its outputs and the exec continues.

import { expect, test } from "vitest";
import { eventOf } from "../../../hosts/timeline/journal-event.js";
import { Engine } from "../crash/engine.js";
import { checkExecEvents, checkExecTold, execEvents } from "../crash/exec-events.js";
import { containersOf } from "../crash/memory.js";

const SECOND = 1_000_000_000;
const CREATE = "exec_create";
const START = "exec_start";
const DIE = "exec_die";

test("of a client's exec come before the answer, and its end is reported by the engine that takes it over", () => {
  const told = cutEverywhere((engine) => {
    run(engine, {});
    for (const detached of [true, false]) {
      const { Id } = JSON.parse(ask(engine, "/containers/box/exec", { Cmd: ["more"] })) as { Id: string };
      ask(engine, `/exec/${Id}/start`, { Detach: detached });
      engine.world.endExec(
        [...engine.world.state.execs.values()].find(({ running }) => running)!,
        3,
      );
      work(engine);
    }
  });
  expect(told).toEqual([`${CREATE}`, `${CREATE} ${START}`, `${CREATE} ${START} ${DIE}`]);
});

test("of a health check's exec", () => {
  const told = cutEverywhere((engine) => {
    run(engine, { Healthcheck: { Test: ["CMD", "true"], Interval: SECOND } });
    for (let check = 0; check < 2; check++) {
      engine.pass();
      work(engine);
      engine.world.endExec([...engine.world.state.execs.values()][0]!, 0);
      work(engine);
    }
  });
  expect(told).toEqual([`${CREATE} ${START}`, `${CREATE} ${START} ${DIE}`]);
});

test("of an exec that ends while no engine runs come once from the next engine, even if that one is killed", () => {
  const tales = new Set<string>();
  const engine = begun();
  engine.changed = () => endedMeanwhile(engine, 2, (tale) => tales.add(tale));
  run(engine, {});
  const { Id } = JSON.parse(ask(engine, "/containers/box/exec", { Cmd: ["more"] })) as { Id: string };
  ask(engine, `/exec/${Id}/start`, { Detach: true });
  engine.world.endExec(engine.world.state.execs.get(Id)!, 3);
  work(engine);
  expect([...tales].sort()).toEqual([CREATE, `${CREATE} ${START}`, `${CREATE} ${START} ${DIE} 3`]);
});

test("of an exec that ends with its container while no engine runs include its end, before the container's", () => {
  const first = begun();
  run(first, {});
  const { Id } = JSON.parse(ask(first, "/containers/box/exec", { Cmd: ["more"] })) as { Id: string };
  ask(first, `/exec/${Id}/start`, { Detach: true });
  // The host may have no trace left of it.
  for (const isFound of [true, false]) {
    const world = first.world.afterCrash();
    world.end([...world.state.processes.values()][0]!, 0);
    if (!isFound) world.state.execs.clear();
    const engine = new Engine(world, new Map(first.records), first);
    engine.open();
    work(engine);
    expect([isFound, execEvents(engine.journal).get(Id)]).toEqual([isFound, [CREATE, START, DIE]]);
    const ends = eventsOf(engine).filter(({ action }) => action === DIE || action === "die");
    expect([isFound, ends.map(({ action }) => action)]).toEqual([isFound, [DIE, "die"]]);
    expect([isFound, execRecords(engine)]).toEqual([isFound, []]);
  }
});

test("of an exec whose start was unconfirmed when its run ended include its end, once", () => {
  const tales = new Set<string>();
  const { first, exec } = startedWithinRun();
  first.changed = () => {
    checkExecEvents(first);
    cutAgain(first, 2, (engine) => tales.add(execEvents(engine.journal).get(exec)!.join(" ")));
  };
  // Everything except the start's own completion, which comes last.
  while (first.choices > 1) first.work(first.choices - 1);
  expect(tales).toEqual(new Set([`${CREATE} ${START} ${DIE}`]));
  work(first);
  expect(execEvents(first.journal).get(exec)).toEqual([CREATE, START, DIE]);
});

test("of an exec that is taken over and ends with its container include its end, before the container's", () => {
  const first = begun();
  run(first, {});
  const { Id } = JSON.parse(ask(first, "/containers/box/exec", { Cmd: ["more"] })) as { Id: string };
  ask(first, `/exec/${Id}/start`, { Detach: true });
  const engine = reopened(first);
  const [container] = containersOf(engine.records);
  engine.world.end(engine.world.running(container!.id)!, 0);
  // The container's end is reported first.
  while (engine.world.exits.length > 0) engine.work(engine.choices - 1);
  work(engine);
  expect(execEvents(engine.journal).get(Id)).toEqual([CREATE, START, DIE]);
});

/** The final exec events in the journals, of all engines that were killed on the way and of the one that was not. */
function cutEverywhere(story: (engine: Engine) => void): string[] {
  const told = new Set<string>();
  const note = ({ journal }: Engine): void => {
    for (const actions of execEvents(journal).values()) told.add(actions.join(" "));
  };
  const engine = begun();
  engine.changed = () => {
    checkExecEvents(engine);
    const next = reopened(engine);
    for (const exec of next.world.state.execs.values()) next.world.endExec(exec, 3);
    work(next);
    checkExecEvents(next);
    note(next);
  };
  engine.told = (request) => checkExecTold(engine, request);
  story(engine);
  note(engine);
  return [...told].sort();
}

/** An exec has begun, and its container's run has ended; the engine knows neither. */
function startedWithinRun(): { first: Engine; exec: string } {
  const first = begun();
  run(first, {});
  const { Id } = JSON.parse(ask(first, "/containers/box/exec", { Cmd: ["more"] })) as { Id: string };
  first.request("POST", `/exec/${Id}/start`, { body: { Detach: true }, sent: () => {} });
  first.perform(first.untold.find(({ command }) => command.tag === "exec")!);
  first.world.end([...first.world.state.processes.values()][0]!, 0);
  return { first, exec: Id };
}

/** Killed; each next engine is killed after any of its outputs, this many times; `check`: one that was not killed. */
function cutAgain(before: Engine, cuts: number, check: (engine: Engine) => void): void {
  const engine = new Engine(before.world.afterCrash(), new Map(before.records), before);
  engine.changed = () => {
    checkExecEvents(engine);
    if (cuts > 0) cutAgain(engine, cuts - 1, check);
  };
  engine.open();
  work(engine);
  expect(execRecords(engine)).toEqual([]);
  check(engine);
}

/** Killed; its execs end with 3, and each next engine is killed after any of its outputs, this many times. */
function endedMeanwhile(before: Engine, cuts: number, note: (tale: string) => void): void {
  const begun = [...before.world.state.execs.keys()];
  const world = before.world.afterCrash();
  for (const exec of world.state.execs.values()) world.endExec(exec, 3);
  const engine = new Engine(world, new Map(before.records), before);
  engine.changed = () => {
    checkExecEvents(engine);
    if (cuts > 0) endedMeanwhile(engine, cuts - 1, note);
  };
  engine.open();
  work(engine);
  const told = execEvents(engine.journal);
  for (const exec of begun) expect(told.get(exec)).toEqual([CREATE, START, DIE]);
  const codes = eventsOf(engine).flatMap(({ action, attributes }) => (action === DIE ? [attributes["exitCode"]] : []));
  for (const actions of told.values()) note([...actions, ...codes].join(" "));
  expect(execRecords(engine)).toEqual([]);
}

function eventsOf({ journal }: Engine): NonNullable<ReturnType<typeof eventOf>>[] {
  const { entries } = journal.page({ from: { tag: "position", val: 1n }, bytes: 1 << 30 });
  return entries.map(({ bytes }) => eventOf(bytes)!);
}

function execRecords({ records }: Engine): string[] {
  return [...records.keys()].filter((key) => key.startsWith("exec/"));
}

/** Killed, and started again. */
function reopened(before: Engine): Engine {
  const engine = new Engine(before.world.afterCrash(), new Map(before.records), before);
  engine.changed = () => checkExecEvents(engine);
  engine.open();
  return engine;
}

function begun(): Engine {
  const engine = Engine.first();
  engine.open();
  work(engine);
  return engine;
}

function run(engine: Engine, config: object): void {
  ask(engine, "/containers/create?name=box", { Image: "busybox", ...config });
  ask(engine, "/containers/box/start");
}

/** Sends a POST and returns the answer. */
function ask(engine: Engine, target: string, body?: unknown): string {
  engine.request("POST", target, { body, sent: () => {} });
  work(engine);
  const { status, text } = engine.requests.at(-1)!;
  if (status > 204) throw new Error(`${target}: ${status} ${text}`);
  return text;
}

/** Everything that happens without time passing. */
function work(engine: Engine): void {
  while (engine.choices > 0) engine.work(0);
}
