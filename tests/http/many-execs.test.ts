// Many execs, with limited concurrency, attached and detached: they leave nothing on the machine or in the engine. CI
// runs enough of them to tell what each leaves, `CORACLE_TEST_LOAD=1` runs 5,000; `CORACLE_TEST_EXECS` sets the number.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { atOnce } from "../support/at-once.js";
import { collectedMemory, PROBED, slopeOf, type InUse } from "../support/measured/collected-memory.js";
import type { EngineKind } from "../support/engines.js";
import { Footprint } from "../support/measured/footprint.js";
import { frames } from "../support/frames.js";
import { FULL } from "../support/measured/full-sizes.js";
import { expectNothingOf, heldWhenCalm } from "../support/measured/held.js";
import { onEngines } from "../support/on-engines.js";
import { promptly } from "../support/measured/prompt.js";

/**
 * With fewer execs the growth per exec is not meaningful: a single doubling of a heap is larger. The simulated engine
 * has its journal of events in memory, which grows up to its limit during the first thousand.
 */
const TELLING: Readonly<Record<EngineKind, number>> = { linux: 4000, simulated: 5000, reference: 5000 };
const AT_ONCE = 8;
/** One in this many execs is detached. */
const DETACHED_EACH = 10;
/** A leftover of a few execs does not show in all of these parts; a leftover of every exec does. */
const PARTS = 10;
/** How far heaps grow with this much work. */
const MEBIBYTES_MAX = 80;
/** Allowed growth of the whole process per exec: beyond the counted memory, what native code keeps shows only in it. */
const WHOLE_BYTES_MAX = 16 * 1024;
/**
 * Parts after the first. Memory is measured between them, because the daemon answers no requests while it collects
 * garbage.
 */
const LATER = Array.from({ length: PARTS - 1 }, (_, index) => index + 1);
/**
 * Allowed growth per exec after the first part. Without a leak, JavaScript's objects grow by some 300 bytes (functions
 * that run for the first time), and the memory outside the heap by some hundred, because it includes the core's memory
 * for a while. The core uses more per exec, because each exec stays available for some minutes.
 */
const BYTES_MAX: InUse = { objects: 512, others: 3 * 1024, core: 1024 };
const WHATS = ["objects", "others", "core"] as const;

/** A journal in memory soon reaches its limit; growth up to the limit is no leak. */
const ownFlags = ["--events-size", "1m"];

onEngines(
  "many execs",
  (engine, kind) => {
    const count = countFor(kind);
    const areTelling = count >= TELLING[kind];
    const spans = areTelling ? LATER.map((at) => [at]) : [LATER];

    test(`${count} leave nothing`, { timeout: 60_000 + count * 100 }, async ({ skip }) => {
      if (kind === "reference") return skip(REFERENCE.load);
      // Without a network: the thread that sets up networks would open and close files of its own.
      const id = await engine().running({ HostConfig: { NetworkMode: "none" } });
      const part = (at: number): Promise<unknown> => {
        return atOnce(count / PARTS, AT_ONCE, (index) => one(id, (at * count) / PARTS + index));
      };
      await part(0);
      const before = await heldWhenCalm(engine(), [id]);
      const footprint = await Footprint.of(engine().daemon);
      const grown: number[] = [];
      const held: InUse[] = [await collectedMemory(engine().daemon)];
      let ms = 0;
      for (const span of spans) {
        await promptly(engine(), `${(span.length * count) / PARTS} execs`, async () => {
          const began = performance.now();
          for (const at of span) {
            await part(at);
            grown.push(footprint.grown());
          }
          ms += performance.now() - began;
        });
        held.push(await collectedMemory(engine().daemon));
      }
      const left = leftByEach(held, count);
      const each = ms / (count - count / PARTS);
      const mebibytes = grown.map((one) => one.toFixed(0)).join(", ");
      console.log(`${count} execs on ${kind}: ${each.toFixed(1)} ms each, grown by ${mebibytes} MiB`, left);
      await expectNothingOf([id], engine(), before);
      await footprint.expectFilesClosed();
      await footprint.expectGrownLess(MEBIBYTES_MAX);
      if (areTelling) expect(growthByEach(grown, count), "whole").toBeLessThan(WHOLE_BYTES_MAX);
      for (const what of WHATS) if (areTelling) expect(left[what], what).toBeLessThan(BYTES_MAX[what]);
      expect((await engine().inspect<{ ExecIDs: unknown }>(id)).ExecIDs).toBeNull();
      const { Processes } = await engine().read<{ Processes: unknown[] }>(`/containers/${id}/top`);
      expect(Processes).toHaveLength(1);
      await engine().remove(id);
    });

    async function one(id: string, at: number): Promise<void> {
      const Cmd = ["echo", String(at)];
      const made = await engine().must(201, "POST", `/containers/${id}/exec`, { Cmd, AttachStdout: true });
      const { Id } = made.json<{ Id: string }>();
      const Detach = at % DETACHED_EACH === 0;
      const answer = await engine().must(200, "POST", `/exec/${Id}/start`, { Detach });
      if (!Detach) expect(frames(answer.body).stdout).toBe(`${at}\n`);
    }
  },
  { ownFlags, nodeFlags: PROBED },
);

function countFor(kind: EngineKind): number {
  const { CORACLE_TEST_EXECS: set, CORACLE_TEST_LOAD: load } = process.env;
  if (set !== undefined) return Number(set);
  return load === "1" ? 5000 : FULL ? TELLING[kind] : 200;
}

/** Bytes by which the process grows with each exec, from its growth in MiB after each part. */
function growthByEach(grown: readonly number[], count: number): number {
  return (slopeOf(grown) * 1024 * 1024 * PARTS) / count;
}

/** Bytes that each exec leaves, from the memory in use before and after each part. */
function leftByEach(held: readonly InUse[], count: number): InUse {
  const each = (count - count / PARTS) / (held.length - 1);
  const left = (what: keyof InUse): number => Math.round(slopeOf(held.map((one) => one[what])) / each);
  return { objects: left("objects"), others: left("others"), core: left("core") };
}
