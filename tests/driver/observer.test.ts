// What an observer of the driver is told, and when.

import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import type { Input } from "../../hosts/shared/host.js";
import type { Observer } from "../../hosts/driver/observer.js";
import { HeldRecords, answer, openWorld, put, settle, signal } from "./fake.js";

/** Records what it was told in the list of outputs. */
function watching(told: string[]): Observer {
  return {
    opened: (step, opening) =>
      void told.push(`opened ${step.epoch}.${step.step} epoch ${opening.options.epoch} ${step.outputs.records.length}`),
    stepped: (step, input) =>
      void told.push(`stepped ${step.epoch}.${step.step} ${input.tag} ${step.outputs.replies.length}`),
    lost: (epoch, error, during) => {
      const what = during === undefined ? "" : "input" in during ? ` in ${during.input.tag}` : " in open";
      told.push(`lost ${epoch} ${(error as Error).message}${what}`);
    },
  };
}

const script = {
  open: (imports: ImportObject) => put(imports, "opened"),
  step: (imports: ImportObject, input: Input) => {
    if (input.tag !== "request") return;
    if (input.val.target === "/trap") throw new Error("unreachable");
    if (input.val.target === "/signal") signal(imports, 1n, "c");
    if (input.val.target === "/write") put(imports, "key");
    answer(imports, input.val.id);
  },
};

describe("an observer", () => {
  test("is told of open and of every step before any of its outputs leave", async () => {
    const told: string[] = [];
    const replied: string[] = [];
    const world = await openWorld(
      script,
      {},
      {
        observer: watching(told),
        left: () => void told.push("left"),
      },
    );
    world.request("/signal");
    world.request("/read");
    await settle();
    replied.push(...world.left);
    expect(told).toEqual([
      "opened 1.0 epoch 1 1",
      "left",
      "stepped 1.1 request 1",
      "left",
      "left",
      "stepped 1.2 request 1",
      "left",
      "stepped 1.3 completed 0",
    ]);
    expect(replied).toEqual(["processes:1", "1:whole 200", "2:whole 200"]);
  });

  test("is told once of a trap and of the current input, and counts the next instance from 0", async () => {
    const told: string[] = [];
    const world = await openWorld(script, {}, { observer: watching(told) });
    world.request("/trap");
    await settle();
    world.request("/read");
    expect(told).toEqual([
      "opened 1.0 epoch 1 1",
      "lost 1 the core trapped: Error: unreachable in request",
      "opened 2.0 epoch 2 1",
      "stepped 2.1 request 1",
    ]);
  });

  test("is told of an instance that trapped during its opening", async () => {
    const told: string[] = [];
    let opens = 0;
    const open = (): void => {
      if (++opens === 2) throw new Error("no");
    };
    const world = await openWorld({ ...script, open }, {}, { observer: watching(told) });
    world.request("/trap");
    await settle();
    expect(told).toEqual([
      "opened 1.0 epoch 1 0",
      "lost 1 the core trapped: Error: unreachable in request",
      "lost 2 the core trapped: Error: no in open",
      "opened 3.0 epoch 3 0",
    ]);
  });

  test("is told of records that were not kept, and of a cut", async () => {
    const told: string[] = [];
    const records = new HeldRecords();
    const world = await openWorld({ step: script.step }, { records }, { observer: watching(told) });
    world.request("/write");
    await settle();
    records.commits[0]!.lose(new Error("disk full"));
    await settle();
    world.clock.advance(10n ** 10n);
    await settle();
    world.driver.cut();
    expect(told).toEqual([
      "opened 1.0 epoch 1 0",
      "stepped 1.1 request 1",
      "lost 1 disk full",
      "opened 2.0 epoch 2 0",
      "lost 2 the engine was cut off",
    ]);
  });

  test("may cut the driver off: no output of the step leaves", async () => {
    const told: string[] = [];
    const watch = watching(told);
    const world = await openWorld(
      script,
      {},
      {
        observer: {
          ...watch,
          stepped: (step, input) => {
            watch.stepped(step, input);
            world.driver.cut();
          },
        },
      },
    );
    world.request("/signal");
    await settle();
    expect(world.left).toEqual([]);
    expect(told).toEqual(["opened 1.0 epoch 1 1", "stepped 1.1 request 1", "lost 1 the engine was cut off"]);
  });
});
