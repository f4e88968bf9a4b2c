// benches/README.md says how large the core is; what was built must be that large.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { test } from "vitest";
import { ROOT } from "../support/engines.js";
import { expectFigure } from "../support/published-figures.js";

const FIGURE = /(?<=^\| the core: wasm, brotli \| )\d+(?= KB \|)/m;
/** A line more or less of the core does not change what a reader learns of it. */
const LEEWAY_KB = 2;

test("the published size of the core is the built one's, to two KB", () => {
  const wasm = readFileSync(join(ROOT, "build/core/core.core.wasm"));
  expectFigure(FIGURE, Math.round(brotliCompressSync(wasm).length / 1000), LEEWAY_KB);
});
