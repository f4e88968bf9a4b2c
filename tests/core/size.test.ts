// The README says how large the core is; what was built must be that large.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { ROOT } from "../support/engines.js";

const README = join(ROOT, "README.md");
const FIGURE = /(?<=^\| the core: wasm, brotli \| )\d+(?= KB \|)/m;
/** A line more or less of the core does not change what a reader learns of it. */
const LEEWAY_KB = 2;

test("the README's size of the core is the built one's, to two KB", () => {
  const wasm = readFileSync(join(ROOT, "build/core/core.core.wasm"));
  const built = Math.round(brotliCompressSync(wasm).length / 1000);
  const readme = readFileSync(README, "utf8");
  expect(readme).toMatch(FIGURE);
  if (process.env["UPDATE"] === "1" && process.env["CI"] !== "true") {
    writeFileSync(README, readme.replace(FIGURE, String(built)));
  }
  const said = Number(FIGURE.exec(readFileSync(README, "utf8"))![0]);
  expect(Math.abs(said - built), `README: ${said} KB, built: ${built} KB; UPDATE=1 writes it`).toBeLessThanOrEqual(
    LEEWAY_KB,
  );
});
