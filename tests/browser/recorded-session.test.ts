// How a recording stores its answers, and shows a long one.

import { expect, test } from "vitest";
import { pathsOf } from "../../hosts/browser/page/timeline/marks.js";
import { CommonParts } from "../../hosts/browser/session/view/common-parts.js";
import { openTrace } from "../../hosts/browser/session/recorded/open-trace.js";
import type { Session } from "../../hosts/browser/session/session.js";
import type { Engine } from "../../hosts/embedding/engine.js";
import { openEngine } from "../../hosts/embedding/open.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import { joined } from "../../hosts/shared/bytes.js";
import type { Step } from "../../hosts/timeline/step.js";
import { Recorder } from "../../hosts/trace/recorder.js";
import { Ring } from "../../hosts/trace/ring.js";
import { CORE } from "./session-fixture.js";

const RENAMES = 700;
/** Largest number of pieces shown for a long answer. */
const SHOWN = 500;

test("similar answers take little more space than one of them, and are restored unchanged", () => {
  const parts = new CommonParts();
  const lists = Array.from({ length: 100 }, (_, minute) => listAt(minute));
  const kept = lists.map((list) => parts.keep(list));
  expect(kept.map((one) => textOf(joined(one)))).toEqual(lists.map(textOf));
  const all = lists.reduce((sum, { length }) => sum + length, 0);
  expect(parts.bytes).toBeLessThan(all / 20);
});

test("bytes without braces, few bytes and no bytes are restored unchanged", () => {
  const parts = new CommonParts();
  const all = [0, 1, 255, 256, 257, 4096, 10_000].map((length) => Uint8Array.from({ length }, (_, at) => at * at));
  expect(all.map((bytes) => joined(parts.keep(bytes)))).toEqual(all);
});

test("a recording shows recorded answers, and the part of a stream up to the chosen moment", async () => {
  const { text, list } = await recorded();
  const session = (await openTrace("renamed.ndjson", text, CORE, async () => true))!;
  expect(bodiesOf(session, "GET /containers/json?all=1")).toEqual([list]);
  const [start, end] = [
    "POST /containers/r5/rename?name=r6",
    `POST /containers/r${RENAMES - 1}/rename?name=r${RENAMES}`,
  ];
  const early = streamAt(session, start);
  expect(early.names.at(-1)).toBe("r6");
  const late = streamAt(session, end);
  expect(late.names.at(-1)).toBe(`r${RENAMES}`);
  expect(late.names.length).toBeLessThanOrEqual(SHOWN);
  expect(late.leftOut + late.names.length).toBeGreaterThanOrEqual(RENAMES);
});

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A list of fifty containers, one of which changes each time. */
function listAt(minute: number): Uint8Array {
  const containers = Array.from({ length: 50 }, (_, i) => ({
    Id: `${i}`.repeat(32),
    Status: i === minute % 50 ? `Up ${minute} minutes` : "Up 5 minutes",
    Labels: { one: "of many", number: `${i * 7919}`, project: "shop" },
    Mounts: [{ Name: `data-${i}`, Destination: "/data" }],
  }));
  return new TextEncoder().encode(JSON.stringify(containers));
}

async function recorded(): Promise<{ text: string; list: string }> {
  const ring = new Ring();
  const host = simulatedHost({ seed: 1, pace: "fast" });
  const observer = new Recorder({ core: CORE.hash, sink: ring, inputs: RENAMES });
  const engine = await openEngine({ host, seed: new Uint8Array(32), observer });
  await ask(engine, "POST", "/containers/create?name=r0", { Image: "busybox" });
  const list = await ask(engine, "GET", "/containers/json?all=1");
  const events = (await engine.fetch("/events")).body!.getReader();
  for (let i = 0; i < RENAMES; i += 1) {
    await ask(engine, "POST", `/containers/r${i}/rename?name=r${i + 1}`);
    await events.read();
  }
  await events.cancel();
  const text = ring.text();
  await engine.close();
  return { text, list };
}

async function ask(engine: Engine, method: string, path: string, body?: object): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const response = await engine.fetch(path, { method, ...(body && { headers, body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}: ${text}`);
  return text;
}

/** The bodies of the answers to a request. */
function bodiesOf(session: Session, cause: string): string[] {
  const steps = session.steps.value.filter((step) => step.cause === cause);
  return steps.map((step) => {
    const view = session.recording!.exchangeOf(step)!.view.value;
    return view.kind === "json" ? view.text : view.kind;
  });
}

/** The new names in the event stream at the time of a request. */
function streamAt(session: Session, cause: string): { names: string[]; leftOut: number } {
  const steps = session.steps.value;
  const asked = steps.find((step) => step.cause === "GET /events")!;
  const told = steps.findLast((step) => step.cause === cause)!;
  expect(told.answers).toContain(asked.exchange);
  const { view, leftOut } = session.recording!.exchangeOf({ ...told, exchange: asked.exchange })!;
  if (view.value.kind !== "lines") throw new Error(`events are ${view.value.kind}`);
  const names = (view.value.values as { Actor: { Attributes: { name: string } } }[]).map(
    ({ Actor }) => Actor.Attributes.name,
  );
  return { names, leftOut };
}

test("with very many steps, each place on the timeline has one mark per kind, and each kind keeps its first and last", () => {
  const step = { kind: "stepped", input: null, replies: [] };
  const refused = { ...step, replies: ["409 to POST /containers/create"] };
  const many = Array.from({ length: 300_000 }, (_, at) => (at % 1000 === 999 ? refused : step) as unknown as Step);
  const paths = pathsOf(many);
  expect(paths.other.length).toBe(2000);
  expect([paths.refused.length, paths.refused.at(-1)]).toEqual([300, "M1999 0v8"]);
  expect(pathsOf(many.slice(998, 1001))).toEqual({ other: ["M0 0v4", "M2 0v4"], asked: [], refused: ["M1 0v8"] });
});
