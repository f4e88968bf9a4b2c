// The part of V8's heap for new objects stays small, also once threads have begun.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const MOST_BYTES = 4 << 20;

/** Prints how many bytes V8 has for new objects after many of them were kept for a while, alone and beside a thread. */
const PROGRAM = `
  import { once } from "node:events";
  import { getHeapSpaceStatistics } from "node:v8";
  import { Worker } from "node:worker_threads";
  import { keepYoungSmall } from "./young.js";

  function spaceAfterWork(): number {
    let kept: unknown[] = [];
    for (let i = 0; i < 500_000; i++) {
      kept.push({ i, own: [i] });
      if (kept.length > 60_000) kept = [];
    }
    return getHeapSpaceStatistics().find((space) => space.space_name === "new_space")!.space_size;
  }

  if (process.argv[1] === "small") keepYoungSmall();
  const alone = spaceAfterWork();
  const thread = new Worker("setTimeout(() => {}, 60_000)", { eval: true });
  await once(thread, "online");
  await new Promise(setImmediate);
  console.log(JSON.stringify([alone, spaceAfterWork()]));
  process.exit();
`;

async function spacesOf(how: "small" | "usual"): Promise<number[]> {
  const resolveDir = fileURLToPath(new URL("../../../hosts/node/memory", import.meta.url));
  const stdin = { contents: PROGRAM, resolveDir, loader: "ts" } as const;
  const { outputFiles } = await build({ stdin, bundle: true, platform: "node", format: "esm", write: false });
  const args = ["--input-type=module", "-e", outputFiles[0]!.text, how];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as number[];
}

test("new objects do not get more room, also beside a thread", async () => {
  const [alone, besideThread] = await spacesOf("small");
  expect(alone).toBeLessThanOrEqual(MOST_BYTES);
  expect(besideThread).toBeLessThanOrEqual(MOST_BYTES);
});

test("without this they would", async () => {
  const [alone] = await spacesOf("usual");
  expect(alone).toBeGreaterThan(MOST_BYTES);
});
