// The core's size in benches/README.md must match the build.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { test } from "vitest";
import { ROOT } from "../support/engines.js";
import { expectFigure } from "../support/measured/published-figures.js";

const FIGURE = /(?<=^\| the core: wasm, brotli \| )\d+(?= KB \|)/m;
/** A line more or less of the core makes no difference to readers. */
const LEEWAY_KB = 2;

test("the published size of the core equals the built one, to two KB", () => {
  const wasm = readFileSync(join(ROOT, "build/core/core.core.wasm"));
  expectFigure(FIGURE, Math.round(brotliCompressSync(wasm).length / 1000), LEEWAY_KB);
});
