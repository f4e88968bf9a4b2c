// Operations that are cancelled while they run.

import { expect, test } from "vitest";
import { HostFailure } from "../../hosts/shared/failure.js";
import { throwIfGivenUp, UnderWay, unlessGivenUp } from "../../runtime-linux/under-way.js";
import { FULL_DISK } from "../support/registry/registry-failures.js";

const INTERRUPTED = { failure: { tag: "interrupted", val: "given-up" } };

test("one that is given up was interrupted, whatever it fails with; others go on", async () => {
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

test("one that came to its end, or failed by itself, is left alone", async () => {
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

test("what cannot be called back is not waited for once it is given up", async () => {
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
