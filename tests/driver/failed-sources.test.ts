// Replies whose source fails before any byte is sent: the core answers, even if its instance is replaced.

import { describe, expect, test } from "vitest";
import type { ImportObject } from "../../build/core/core.js";
import type { Input } from "../../hosts/shared/host.js";
import { HeldRecords, answer, openWorld, put, settle } from "./fake.js";
import { script } from "./streaming.js";
import { NOTHING_FOUND } from "../support/nothing-found.js";

const why = { tag: "internal", val: "the disk is gone" } as const;
const running = async () => ({
  ...NOTHING_FOUND,
  processes: [{ container: "c", run: 1, state: { tag: "running" as const, val: { pid: 1, at: 0n } }, memoryKills: 0 }],
});
/** Also answers requests whose source has failed. */
function answering(more: (imports: ImportObject) => void = () => {}) {
  const base = script([]);
  const step = (imports: ImportObject, input: Input) => {
    if (input.tag === "source-failed") {
      more(imports);
      answer(imports, input.val.request);
    } else base.step(imports, input);
  };
  return { ...base, step };
}

describe("a lost instance", () => {
  test("lets the next instance answer a request whose source fails meanwhile", async () => {
    const { driver, request, left } = await openWorld(answering(), { inventory: running });
    request("/logs");
    request("/trap");
    driver.deliver({ tag: "source-failed", val: { request: 1n, why } });
    await settle();
    expect(left.filter((one) => one.startsWith("1:"))).toEqual(["1:open", "1:splice", "1:whole 200"]);
  });

  test("answers 500 if the instance cannot answer a request whose source failed", async () => {
    const trapping = answering(() => {
      throw new Error("unreachable");
    });
    const { driver, request, left } = await openWorld(trapping, { inventory: running });
    request("/logs");
    driver.deliver({ tag: "source-failed", val: { request: 1n, why } });
    await settle();
    expect(left).toEqual(["1:open", "1:splice", "1:whole 500"]);
  });

  test("cuts a log stream off if the instance cannot give the reason for its end", async () => {
    const trapping = answering(() => {
      throw new Error("unreachable");
    });
    const { driver, request, left } = await openWorld(trapping, { inventory: running });
    request("/logs");
    const begun = { framed: true, objects: false, separated: false };
    driver.deliver({ tag: "source-failed", val: { request: 1n, why, begun } });
    await settle();
    expect(left).toEqual(["1:open", "1:splice", "1:cut"]);
  });

  test("answers 500 for a failed source if the transaction that the answer waits for fails", async () => {
    const records = new HeldRecords();
    const puts = answering((imports) => put(imports, "key"));
    const { driver, request, left } = await openWorld(puts, { inventory: running, records });
    request("/logs");
    driver.deliver({ tag: "source-failed", val: { request: 1n, why } });
    await settle();
    records.commits[0]!.lose(new Error("full"));
    await settle();
    expect(left).toEqual(["1:open", "1:splice", "1:whole 500"]);
  });
});
