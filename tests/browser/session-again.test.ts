// The same actions give the same session again: back in time, in branches, after a crash, by a link.

import { describe, expect, test } from "vitest";
import { decodeFragment, encodeFragment } from "../../hosts/browser/session/sharing/fragment.js";
import { hashOfSteps } from "../../hosts/browser/session/hash.js";
import { FIRST_FILES } from "../../hosts/browser/session/folder.js";
import { withFiles, written } from "../../hosts/browser/session/request.js";
import { fromFragment, toFragment } from "../../hosts/browser/session/sharing/share.js";
import type { World } from "../../hosts/timeline/world.js";
import {
  CORE,
  SECOND,
  CREATE,
  START,
  LOOP,
  opened,
  kept,
  send,
  isOver,
  status,
  container,
  story,
} from "./session-fixture.js";

describe("time travel", () => {
  test("looking back runs nothing, and returning shows the same", async () => {
    const session = await opened();
    await story(session);
    const steps = session.steps.value;
    const now = textOf(session.world.value);
    const seen = steps.map(({ number }) => {
      session.goTo(number);
      return textOf(session.world.value);
    });
    session.goTo(null);
    expect(textOf(session.world.value)).toBe(now);
    expect(seen.at(-1)).toBe(now);
    expect(new Set(seen).size).toBeGreaterThan(8);
    expect(session.steps.value).toBe(steps);
  });

  test("equal seeds and actions give equal sessions; another seed gives other ids", async () => {
    const [one, two, other] = [await opened(), await opened(), await opened({ seed: 1 })];
    for (const session of [one, two, other]) await story(session);
    expect(hashOfSteps(two.steps.value)).toBe(hashOfSteps(one.steps.value));
    expect(textOf(two.world.value)).toBe(textOf(one.world.value));
    expect(hashOfSteps(other.steps.value)).not.toBe(hashOfSteps(one.steps.value));
  });

  test("a branch is the same up to its step, and independent from there", async () => {
    const session = await opened();
    await story(session);
    const removal = session.steps.value.find(({ cause }) => cause.startsWith("DELETE"))!;
    const at = session.steps.value.findLast(({ at: moment }) => moment < removal.at)!;
    const branch = kept(await session.branch(at.number));
    const same = session.steps.value.slice(0, at.number + 1);
    expect(branch.steps.value.slice(0, same.length).map(({ hash }) => hash)).toEqual(same.map(({ hash }) => hash));
    expect(textOf(branch.world.value)).toBe(textOf(at.world));
    expect(branch.cells.value.length).toBe(session.cells.value.length);
    expect(status(await send(branch, START))).toBe(204);
    expect(container(branch, "hello")!.run).toBe(2);
    expect(container(session, "hello")).toBeUndefined();
  });

  test("a cell can be inserted before another one in the past", async () => {
    const session = await opened();
    await send(session, START);
    await send(session, CREATE);
    expect(session.exchanges.value.map(status)).toEqual([404, 201]);
    const branch = kept(await session.branchWith(session.cells.value[1]!.id, 1));
    await branch.advance(SECOND);
    expect(branch.exchanges.value.map(status)).toEqual([201, 204, 409]);
  });

  test("a session in real time can be replayed, too", async () => {
    const session = await opened({ pace: { times: 50 } });
    session.add(CREATE);
    session.add(START);
    for (const { id } of session.cells.value) {
      const exchange = await session.send(id);
      while (!isOver(exchange)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    session.setPace("stopped");
    const last = session.steps.value.at(-1)!;
    const branch = kept(await session.branch(last.number));
    const count = session.steps.value.filter(({ at }) => at <= last.at).length;
    expect(hashOfSteps(branch.steps.value.slice(0, count))).toBe(hashOfSteps(session.steps.value.slice(0, count)));
  });
});

describe("a crash", () => {
  test("leaves containers running, and the engine's records are restored", async () => {
    const session = await opened();
    await send(session, written("POST", "/v1.41/containers/create?name=loop", LOOP));
    await send(session, written("POST", "/v1.41/containers/loop/start"));
    const before = container(session, "loop");
    await session.crash();
    await session.advance(SECOND);
    expect([session.engine.value, session.world.value.engine]).toEqual(["down", "down"]);
    expect((await send(session, written("GET", "/_ping"))).state.value).toBe("broken");
    const reopening = session.reopen();
    await session.advance(SECOND);
    await reopening;
    expect([session.engine.value, session.world.value.engine]).toEqual(["open", "up"]);
    expect(status(await send(session, written("GET", "/_ping")))).toBe(200);
    expect(container(session, "loop")).toMatchObject({
      status: "running",
      pid: before!.pid,
      startedAt: before!.startedAt,
    });
    expect(status(await send(session, written("POST", "/v1.41/containers/loop/kill")))).toBe(204);
    await session.advance(SECOND);
    const actions = [...session.world.value.events].map(({ type, action }) => `${type} ${action}`);
    expect(actions.slice(-3)).toEqual(["container kill", "container die", "network disconnect"]);
  });
});

describe("a link", () => {
  test("opens to the same state", async () => {
    const session = await opened({ seed: 5 });
    await story(session);
    await send(session, withFiles("POST", "/v1.41/build?t=greeter", FIRST_FILES));
    await session.inject({ kind: "registry-down" });
    await send(session, written("POST", "/v1.41/images/create?fromImage=debian&tag=latest"));
    await session.crash();
    await session.advance(SECOND);
    const reopening = session.reopen();
    await session.advance(SECOND);
    await reopening;
    const { session: again, warnings } = await fromFragment(await toFragment(session), CORE);
    kept(again);
    expect(warnings).toEqual([]);
    expect(textOf(again.world.value)).toBe(textOf(session.world.value));
    expect(again.exchanges.value.map(status)).toEqual(session.exchanges.value.map(status));
    expect(again.cells.value.map(({ request }) => request.value)).toEqual(
      session.cells.value.map(({ request }) => request.value),
    );
    expect(again.faults.value).toEqual(session.faults.value);
    expect(again.now().monotonic).toBe(session.now().monotonic);
  });

  test("has no credentials, and still opens", async () => {
    const session = await opened();
    const header = (value: object) => [["X-Registry-Auth", btoa(JSON.stringify(value))]] as const;
    const pull = written("POST", "/v1.41/images/create?fromImage=registry.example/team/app&tag=1");
    await send(session, { ...pull, headers: header({ username: "ann", password: "hunter22" }) });
    await send(session, { ...pull, headers: header({ username: "learner", password: "coracle" }) });
    expect(session.world.value.images.length).toBe(2);
    const { session: again, warnings } = await fromFragment(await toFragment(session), CORE);
    kept(again);
    expect(warnings).toEqual([]);
    expect(again.world.value.images.length).toBe(2);
    const sent = again.exchanges.value.map(({ request }) => atob(request.headers[0]![1]));
    expect(sent).toEqual(['{"username":"xxx","password":"xxxxxxxx"}', '{"username":"learner","password":"coracle"}']);
  });

  test("of another core opens with a warning", async () => {
    const session = await opened();
    await send(session, CREATE);
    const text = await toFragment(session);
    const { session: again, warnings } = await fromFragment(text, { ...CORE, hash: "another" });
    kept(again);
    expect(warnings.join()).toContain("another version of the engine");
  });

  test("that reaches a different state than it claims opens with a warning", async () => {
    const session = await opened();
    await send(session, CREATE);
    const shared = await decodeFragment(await toFragment(session));
    const text = await encodeFragment({ ...shared, state: "0".repeat(shared.state.length) });
    const { session: again, warnings } = await fromFragment(text, CORE);
    kept(again);
    expect(warnings).toEqual(["It did not reach the state that was shared."]);
    expect(container(again, "hello")).toMatchObject({ status: "created" });
  });
});

/** Equal worlds have equal texts. */
function textOf(world: World): string {
  return JSON.stringify(world, (_key, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}
