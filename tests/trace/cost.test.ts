// What recording costs. Prints microseconds and bytes a step.

import { expect, test } from "vitest";
import type { Sink } from "../../hosts/trace/recorder.js";
import { RecordedEngine, core } from "./engine.js";
import { create } from "./stories.js";

const REQUESTS = 3000;

/** Counts what it is given. */
class Counter implements Sink {
  lines = 0;
  characters = 0;
  segments = 0;

  begin(): void {
    this.segments++;
  }

  append(line: string): void {
    this.lines++;
    this.characters += line.length + 1;
  }

  drop(): void {}
}

test("recording a step costs less than making it, and few bytes", async () => {
  const counter = new Counter();
  const bare = await time(new RecordedEngine({}, core), false);
  const first = await time(new RecordedEngine({ sink: counter }, core), true);
  const again = await time(new RecordedEngine({ sink: new Counter() }, core), true);
  const cost = Math.min(first, again) - bare;
  const bytes = counter.characters / counter.lines;
  console.log(
    `a step: ${bare.toFixed(1)} µs; its recording: ${cost.toFixed(1)} µs, ${bytes.toFixed(0)} bytes, ` +
      `${counter.segments} segments, their snapshots included`,
  );
  expect(cost).toBeLessThan(Math.max(bare, 100));
  expect(bytes).toBeLessThan(2000);
});

/** Microseconds for each step of requests that read; half of them list containers. */
async function time(engine: RecordedEngine, recording: boolean): Promise<number> {
  await engine.open(recording ? engine.recorder : null);
  for (const name of ["one", "two", "three"]) await create(engine, name);
  run(engine, REQUESTS / 10);
  const begun = performance.now();
  run(engine, REQUESTS);
  return ((performance.now() - begun) / REQUESTS) * 1000;
}

function run(engine: RecordedEngine, requests: number): void {
  const headers = { Host: "docker", "User-Agent": "Docker-Client/26.1 (linux)" };
  for (let i = 0; i < requests; i++) {
    engine.send({ method: "GET", target: i % 2 === 0 ? "/v1.41/containers/json?all=1" : "/v1.41/_ping", headers });
  }
}
