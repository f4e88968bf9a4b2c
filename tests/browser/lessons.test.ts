// Walks through each lesson by doing exactly what it asks for.

import { afterEach, describe, expect, test } from "vitest";
import { FAULT_TEXTS } from "../../hosts/browser/lessons/fault-texts.js";
import type { Lesson, LessonStep } from "../../hosts/browser/lessons/lesson.js";
import { LESSONS } from "../../hosts/browser/lessons/lessons.js";
import { createSession } from "../../hosts/browser/session/create.js";
import { packagedCore } from "../../hosts/browser/session/packaged-core.js";
import { withFiles, written } from "../../hosts/browser/session/request.js";
import type { Session } from "../../hosts/browser/session/session.js";
import { EDITS, FINDINGS, found } from "./lesson-findings.js";

const CORE = packagedCore();
const SECOND = 1_000_000_000n;
const open: Session[] = [];

afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

async function opened(): Promise<Session> {
  const session = await createSession({ core: CORE, pace: "stopped" });
  open.push(session);
  return session;
}

/** Does a step, and lets six seconds pass. */
async function follow(session: Session, lesson: Lesson, step: LessonStep): Promise<void> {
  if (step.button === "crash") await session.crash();
  else if (step.button === "reopen") void session.reopen();
  else await session.send(session.add(found(lesson, step, step.cell!(session))).id);
  await session.advance(6n * SECOND);
}

test("there are exactly these lessons", () => {
  expect(LESSONS.map(({ id }) => id)).toEqual([
    "run",
    "background",
    "list-stop",
    "logs",
    "images",
    "pull",
    "pull-credentials",
    "commit",
    "build",
    "names",
    "volume",
    "versions",
    "crash",
  ]);
});

describe.each(LESSONS.map((lesson) => [lesson.id, lesson] as const))("%s", (_id, lesson) => {
  test("is completed step by step, each by its own action", async () => {
    const session = await opened();
    for (const step of lesson.steps) {
      expect([step.task, step.done(session)]).toEqual([step.task, false]);
      await follow(session, lesson, step);
      expect([step.task, step.done(session)]).toEqual([step.task, true]);
    }
    expect(lesson.steps.map((step) => step.done(session))).toEqual(lesson.steps.map(() => true));
  });

  test("is not completed by other actions", async () => {
    const session = await opened();
    const wrong = [
      written("GET", "/v1.41/info"),
      written("GET", "/v1.41/networks"),
      written("POST", "/v1.41/containers/nobody/start"),
      written("POST", "/v1.41/containers/nobody/wait"),
      written("POST", "/v1.41/containers/create", { Image: "nothing" }),
      written("POST", "/v1.41/containers/create", "{"),
      written("GET", "/v1.41/containers/nobody/logs?stdout=1&follow=1&tail=2"),
      written("POST", "/v1.41/auth", { username: "a", password: "b", serveraddress: "registry.example" }),
      written("POST", "/v1.41/commit?container=nobody", {}),
      written("POST", "/v1.41/images/nothing/tag?repo=a"),
      written("GET", "/v1.41/volumes"),
      withFiles("POST", "/v1.41/build?t=greeter", [{ name: "Dockerfile", text: "FROM busybox\nRUN false\n" }]),
    ];
    for (const request of wrong) await session.send(session.add(request).id);
    await session.advance(5n * SECOND);
    expect(session.exchanges.value.every(({ state }) => state.value === "done")).toBe(true);
    expect(lesson.steps.map((step) => step.done(session))).toEqual(lesson.steps.map(() => false));
  });

  test("has texts for everything, and an action in every step", () => {
    expect(lesson.title.length).toBeGreaterThan(3);
    for (const text of [lesson.intro, lesson.insight]) expect(text.length).toBeGreaterThan(30);
    for (const { task, hints, cell, button } of lesson.steps) {
      expect(task.length).toBeGreaterThan(5);
      expect(hints.length).toBeGreaterThan(0);
      expect(cell !== undefined || button !== undefined).toBe(true);
    }
  });
});

test("sending a cell unchanged does not complete a step that asks for a search", async () => {
  for (const place of [...Object.keys(FINDINGS), ...Object.keys(EDITS)]) {
    const [id, number] = place.split(" ") as [string, string];
    const lesson = LESSONS.find((one) => one.id === id)!;
    const session = await opened();
    for (const step of lesson.steps.slice(0, Number(number))) await follow(session, lesson, step);
    const step = lesson.steps[Number(number)]!;
    const request = step.cell!(session);
    expect(found(lesson, step, request)).not.toEqual(request);
    await session.send(session.add(request).id);
    await session.advance(6n * SECOND);
    expect([place, step.done(session)]).toEqual([place, false]);
  }
});

test("every fault has its text, which describes the right fault", () => {
  for (const [kind, { label, lookFor, fault }] of Object.entries(FAULT_TEXTS)) {
    expect(fault.kind).toBe(kind);
    expect(label.length).toBeGreaterThan(10);
    expect(lookFor.length).toBeGreaterThan(40);
  }
});
