// The cost of recording. Prints microseconds and bytes per step.

import { expect, test } from "vitest";
import type { Input } from "../../hosts/shared/host.js";
import type { Attempt, ObservedStep, Observer, Opening } from "../../hosts/driver/observer.js";
import type { Recorder, Sink } from "../../hosts/trace/recorder.js";
import { RecordedEngine, core } from "./engine.js";
import { create } from "./stories.js";

const REQUESTS = 3000;

/** Counts the bytes that it is given. */
class Counter implements Sink {
  lines = 0;
  characters = 0;
  segments = 0;

  begin(): void {
    this.segments++;
  }

  append(line: string): void {
    this.#count(line.length);
  }

  appendBytes(line: Uint8Array): void {
    this.#count(line.length);
  }

  drop(): void {}

  #count(length: number): void {
    this.lines++;
    this.characters += length + 1;
  }
}

test("recording costs little time and few bytes", async () => {
  const counter = new Counter();
  const engine = new RecordedEngine({ sink: counter, inputs: 1000 }, core);
  const watch = new Watch(engine.recorder);
  await engine.open(watch);
  for (const name of ["one", "two", "three"]) await create(engine, name);
  run(engine, REQUESTS / 10);
  watch.spent = watch.turns = 0;
  const [begun, before, segments] = [performance.now(), counter.characters, counter.segments];
  run(engine, REQUESTS);
  const whole = performance.now() - begun;
  const made = whole - watch.spent - watch.turns;
  const characters = counter.characters - before - watch.snapshotCharacters;
  const each = (sum: number) => ((sum * 1000) / REQUESTS).toFixed(1);
  const taken = counter.segments - segments;
  console.log(
    `a step: ${each(made)} µs; its recording: ${each(watch.spent)} µs, ${(characters / REQUESTS).toFixed(0)} bytes; ` +
      `a new segment: ${(watch.turns / taken).toFixed(2)} ms, ${(watch.snapshotCharacters / taken).toFixed(0)} bytes`,
  );
  expect(taken).toBe(REQUESTS / 1000);
  // A slow machine is slow at both.
  expect(watch.spent).toBeLessThan(made * 2);
  expect(characters / REQUESTS).toBeLessThan(1000);
});

/** Measures the time of a recorder, and of new segments separately. */
class Watch implements Observer {
  readonly #recorder: Recorder;
  /** Milliseconds. */
  spent = 0;
  turns = 0;
  snapshotCharacters = 0;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  opened(step: ObservedStep, opening: Opening): void {
    this.#recorder.opened(step, opening);
  }

  stepped(step: ObservedStep, input: Input): void {
    let turned = false;
    const snapshot = () => {
      const bytes = step.snapshot();
      turned = true;
      this.snapshotCharacters += Math.ceil(bytes.length / 3) * 4;
      return bytes;
    };
    const begun = performance.now();
    this.#recorder.stepped({ ...step, snapshot }, input);
    if (turned) this.turns += performance.now() - begun;
    else this.spent += performance.now() - begun;
  }

  lost(epoch: number, error: unknown, during?: Attempt): void {
    this.#recorder.lost(epoch, error, during);
  }
}

/** Half of the requests list containers. */
function run(engine: RecordedEngine, requests: number): void {
  const headers = { Host: "docker", "User-Agent": "Docker-Client/26.1 (linux)" };
  for (let i = 0; i < requests; i++) {
    engine.send({ method: "GET", target: i % 2 === 0 ? "/v1.41/containers/json?all=1" : "/v1.41/_ping", headers });
  }
}
