// The outputs of a step leave in order: records, then effects, then replies.

import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import type { Input } from "../../hosts/shared/host.js";
import { HeldRecords, answer, openWorld, put, settle, signal } from "./fake.js";

/**
 * GET /read answers at once, and so does GET /ping, which reveals nothing about the state; GET /write puts a record,
 * sends a signal and answers.
 */
function readOrWrite(imports: ImportObject, input: Input): void {
  if (input.tag !== "request") return;
  answer(imports, input.val.id, 200, input.val.target === "/ping");
  if (input.val.target !== "/write") return;
  put(imports, `key/${input.val.id}`);
  signal(imports, input.val.id + 100n, "c");
}

describe("the outputs of a step", () => {
  test("leave before deliver returns if there are no records", async () => {
    const { request, left } = await openWorld({ step: readOrWrite });
    request("/read");
    expect(left).toEqual(["1:whole 200"]);
  });

  test("wait until its records are flushed; then effects start before replies leave", async () => {
    const records = new HeldRecords();
    const { request, left } = await openWorld({ step: readOrWrite }, { records });
    request("/write");
    await settle();
    expect(left).toEqual([]);
    records.commits[0]!.keep();
    await settle();
    expect(left).toEqual(["processes:101", "1:whole 200"]);
  });

  test("leave in step order: a plain read waits for the records of earlier steps", async () => {
    const records = new HeldRecords();
    const { request, left } = await openWorld({ step: readOrWrite }, { records });
    request("/write");
    request("/read");
    await settle();
    expect(left).toEqual([]);
    records.commits[0]!.keep();
    await settle();
    expect(left).toEqual(["processes:101", "1:whole 200", "2:whole 200"]);
  });

  test("do not wait for the records of earlier steps if the reply reveals nothing about the state", async () => {
    const records = new HeldRecords();
    const { request, left } = await openWorld({ step: readOrWrite }, { records });
    request("/write");
    await settle();
    request("/ping");
    expect(left).toEqual(["2:whole 200"]);
    records.commits[0]!.keep();
    await settle();
    expect(left).toEqual(["2:whole 200", "processes:101", "1:whole 200"]);
  });

  test("wait with all outputs of the step, whatever other steps reveal", async () => {
    const records = new HeldRecords();
    const step = (imports: ImportObject, input: Input): void => {
      if (input.tag !== "request") return;
      answer(imports, input.val.id, 200, true);
      if (input.val.target === "/write") put(imports, "key");
      if (input.val.target === "/signal") signal(imports, 100n, "c");
      if (input.val.target === "/two") answer(imports, input.val.id);
    };
    const { request, left } = await openWorld({ step }, { records });
    for (const target of ["/write", "/signal", "/two"]) request(target);
    await settle();
    expect(left).toEqual([]);
    records.commits[0]!.keep();
    await settle();
    expect(left).toEqual(["1:whole 200", "processes:100", "2:whole 200", "3:whole 200", "3:whole 200"]);
  });

  test("share a transaction with others that came during a flush", async () => {
    const records = new HeldRecords();
    const { request, left } = await openWorld({ step: readOrWrite }, { records });
    request("/write");
    await settle();
    request("/write");
    request("/read");
    request("/write");
    await settle();
    expect(records.commits.map(({ keys }) => keys)).toEqual([["key/1"]]);
    records.commits[0]!.keep();
    await settle();
    expect(left).toEqual(["processes:101", "1:whole 200"]);
    expect(records.commits.map(({ keys }) => keys)).toEqual([["key/1"], ["key/2", "key/4"]]);
    records.commits[1]!.keep();
    await settle();
    expect(left.slice(2).filter((entry) => entry.includes("whole"))).toEqual([
      "2:whole 200",
      "3:whole 200",
      "4:whole 200",
    ]);
  });

  test("share a transaction with others that came before it began", async () => {
    let begin = (): void => {};
    const records = new HeldRecords();
    const gather = (): Promise<void> => new Promise((resolve) => (begin = resolve));
    const gathering = Object.assign(records, { gather });
    const { request, left } = await openWorld({ step: readOrWrite }, { records: gathering });
    request("/write");
    await settle();
    request("/write");
    request("/read");
    await settle();
    expect(records.commits).toEqual([]);
    begin();
    await settle();
    expect(records.commits.map(({ keys }) => keys)).toEqual([["key/1", "key/2"]]);
    expect(left).toEqual([]);
    records.commits[0]!.keep();
    await settle();
    expect(left.filter((entry) => entry.includes("whole"))).toEqual(["1:whole 200", "2:whole 200", "3:whole 200"]);
  });

  test("never enter the core again from inside a step", async () => {
    let depth = 0;
    let deepest = 0;
    let world: Awaited<ReturnType<typeof openWorld>> | null = null;
    const seen: string[] = [];
    world = await openWorld({
      step: (imports, input) => {
        deepest = Math.max(deepest, ++depth);
        if (input.tag === "request") {
          seen.push(input.val.target);
          if (input.val.target === "/first") world?.request("/second");
          answer(imports, input.val.id);
        }
        depth--;
      },
    });
    world.request("/first");
    expect(seen).toEqual(["/first", "/second"]);
    expect(deepest).toBe(1);
  });
});
