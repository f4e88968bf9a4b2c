// The included image at a daemon's first start.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RequestBodies } from "../../hosts/request/bodies.js";
import type { PlainDoor } from "../../hosts/engine/ask.js";
import { loadEmbeddedImage } from "../../hosts/node/first-start.js";
import { openLog } from "../../hosts/node/log.js";
import { ReplyRouter } from "../../hosts/request/reply-router.js";

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
