// The included image at a daemon's first start.

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RequestBodies } from "../../hosts/request/bodies.js";
import type { PlainDoor } from "../../hosts/engine/ask.js";
import { loadEmbeddedImage } from "../../hosts/node/first-start.js";
import { openLog } from "../../hosts/node/log.js";
import { ReplyRouter } from "../../hosts/request/reply-router.js";
import { embeddedBusybox } from "../../runtime-linux/embedded-image.js";
import { keepBusybox } from "../../runtime-linux/kept-image.js";
import { Rig } from "../dry-run/rig.js";
import { describeUnless } from "../support/on-engines.js";

const missing = (await embeddedBusybox()) === undefined ? "no static busybox is installed" : null;

test("a first start that cannot load its image continues, reports it, and retries at the next start", async () => {
  const directory = await mkdtemp(join(tmpdir(), "coracle-first-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const lines: string[] = [];
  const log = openLog(
    () => "info",
    (line) => lines.push(line),
  );
  await loadEmbeddedImage(directory, cuttingDoor(), log);
  // Without a static busybox there is no image to load, and the log says so instead.
  expect(lines.join("")).toMatch(/embedded image cannot be loaded.*the reply was cut off|no embedded image/);
  expect(existsSync(join(directory, "embedded-image"))).toBe(false);
});

describeUnless(missing, "the image that the build has made ahead", () => {
  test.each([
    ["whole", (bytes: Buffer) => bytes],
    ["half written", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["empty", () => ""],
    ["written over", (bytes: Buffer) => Buffer.alloc(bytes.length)],
  ])("is loaded, or made here: %s", async (_how, spoilt) => {
    const directory = await mkdtemp(join(tmpdir(), "coracle-first-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    await keepBusybox(directory);
    for (const name of readdirSync(directory)) {
      const kept = join(directory, name);
      writeFileSync(kept, spoilt(readFileSync(kept)));
    }
    const rig = await Rig.open();
    await rig.ask("live", "DELETE", "/images/busybox?force=1");
    const lines: string[] = [];
    const log = openLog(
      () => "info",
      (line) => lines.push(line),
    );
    await loadEmbeddedImage(directory, rig.engine, log, directory);
    expect((await rig.ask("live", "GET", "/images/busybox/json")).status).toBe(200);
    expect([lines, existsSync(join(directory, "embedded-image"))]).toEqual([[], true]);
  });
});

/** For an engine that cuts its answers off. */
function cuttingDoor(): PlainDoor {
  const replies = new ReplyRouter();
  return {
    nextRequest: () => 1n,
    deliver: (input) => {
      if (input.tag === "request") replies.perform(input.val.id, { tag: "cut" });
    },
    ...{ replies, bodies: new RequestBodies() },
  };
}
