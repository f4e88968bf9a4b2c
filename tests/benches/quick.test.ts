// Runs every bench at sizes too small for meaningful figures, to check that it still runs and gives them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ours, QUICK, type Question } from "../../benches/question.js";
import { QUESTIONS } from "../../benches/questions.js";
import { realEngines, RunningEngine, startWithBusybox } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const engines = realEngines();
const able = engines.filter((engine) => engine.missing === null);

describeUnless(able.length === 0 ? (engines[0]?.missing ?? "no engine was chosen") : null, "benches of engines", () => {
  const running: RunningEngine[] = [];
  beforeAll(async () => {
    for (const engine of able) running.push(new RunningEngine(engine, await startWithBusybox(engine)));
  });
  afterAll(async () => {
    for (const engine of running) await engine.daemon.close();
  });
  asks(({ needsEngines }) => needsEngines, running);
});

describe("benches of what needs no engine", () => asks(({ needsEngines }) => !needsEngines, []));

function asks(which: (question: Question) => boolean, running: readonly RunningEngine[]): void {
  const chosen = Object.entries(QUESTIONS).filter(([, question]) => which(question));
  test.for(chosen)("%s", async ([, question], { skip }) => {
    const missing = question.missing();
    if (missing !== null) skip(missing);
    const answers = await question.ask(running, QUICK);
    expect(answers.length).toBeGreaterThan(0);
    for (const { question: asked, figures } of answers) {
      expect([asked, Object.values(figures).every(Number.isFinite)]).toEqual([asked, true]);
      if (running.length === 0) expect([asked, ours(figures)]).toEqual([asked, expect.any(Number)]);
    }
  });
}

test("goals are judged by what is ours, wherever it runs", () => {
  expect([ours({ linux: 1, reference: 2 }), ours({ simulated: 3 }), ours({ reference: 2 })]).toEqual([1, 3, undefined]);
});
