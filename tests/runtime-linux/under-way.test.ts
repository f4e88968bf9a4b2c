// Operations that are cancelled while they run.

import { expect, test } from "vitest";
import { HostFailure } from "../../hosts/shared/failure.js";
import { throwIfGivenUp, UnderWay, unlessGivenUp } from "../../runtime-linux/under-way.js";
import { FULL_DISK } from "../support/registry/registry-failures.js";

const INTERRUPTED = { failure: { tag: "interrupted", val: "given-up" } };

test("an abandoned one counts as interrupted, with any error; others continue", async () => {
  const underWay = new UnderWay();
  const fail = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("killed"))));
  const first = underWay.run(1n, fail);
  const second = underWay.run(2n, async (signal) => signal.aborted);
  underWay.abandon(1n);
  underWay.abandon(3n);
  await expect(first).rejects.toMatchObject(INTERRUPTED);
  expect(await second).toBe(false);
});

test("one that ended, or failed by itself, is not changed", async () => {
  const underWay = new UnderWay();
  const late = underWay.run(1n, async (signal) => {
    underWay.abandon(1n);
    return signal.aborted;
  });
  expect(await late).toBe(true);
  underWay.abandon(1n);
  const failed = underWay.run(2n, () => Promise.reject(new HostFailure(FULL_DISK)));
  await expect(failed).rejects.toMatchObject({ failure: FULL_DISK });
});

test("an abandoned one that cannot be cancelled is not awaited", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  expect(await unlessGivenUp(signal, Promise.resolve("done"))).toBe("done");
  await expect(unlessGivenUp(signal, Promise.reject(new Error("its own")))).rejects.toThrow("its own");
  const endless = unlessGivenUp(signal, new Promise(() => {}));
  throwIfGivenUp(signal);
  controller.abort();
  await expect(endless).rejects.toMatchObject(INTERRUPTED);
  expect(() => throwIfGivenUp(signal)).toThrow("given-up");
});
