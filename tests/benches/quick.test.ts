// Every bench, at sizes so small that its figures say nothing: only that it still runs and still gives them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { QUICK } from "../../benches/question.js";
import { QUESTIONS } from "../../benches/questions.js";
import { dockerRegistryMissing } from "../support/docker-registry.js";
import { realEngines, RunningEngine, startWithBusybox } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const engines = realEngines();
const able = engines.filter((engine) => engine.missing === null);

describeUnless(able.length === 0 ? (engines[0]?.missing ?? "no engine was chosen") : null, "benches", () => {
  const running: RunningEngine[] = [];
  beforeAll(async () => {
    for (const engine of able) running.push(new RunningEngine(engine, await startWithBusybox(engine)));
  });
  afterAll(async () => {
    for (const engine of running) await engine.daemon.close();
  });

  test.each(Object.keys(QUESTIONS))("%s", async (name) => {
    const missing = name === "pull" ? dockerRegistryMissing() : null;
    if (missing !== null) return expect(QUESTIONS[name]?.(running, QUICK)).rejects.toThrow(missing);
    const answers = (await QUESTIONS[name]?.(running, QUICK)) ?? [];
    expect(answers.length).toBeGreaterThan(0);
    for (const { question, figures } of answers) {
      for (const [kind, figure] of Object.entries(figures)) {
        expect([question, kind, Number.isFinite(figure)]).toEqual([question, kind, true]);
      }
    }
  });
});
