// The size of the playground's first load in benches/README.md must match the build.

import { existsSync } from "node:fs";
import { test } from "vitest";
import { PLAYGROUND } from "./chromium.js";
import { REFERENCE, firstLoad, gzipped } from "./first-load.js";
import { describeUnless } from "../support/on-engines.js";
import { expectFigure } from "../support/measured/published-figures.js";

const WHOLE = /(?<=^\| first load of the playground, gzip \| )\d+(?= KB, )/m;
const PART = /(?<=^\| first load of the playground, gzip \| \d+ KB, )\d+(?= of them the reference of the API \|)/m;

const reason = existsSync(`${PLAYGROUND}/index.html`) ? null : "the playground is not built (npm run build)";

describeUnless(reason, "the published first load of the playground", () => {
  test("is the built page's size, to ten KB", () => {
    expectFigure(WHOLE, 10 * Math.round(gzipped(firstLoad()) / 10_000), 10);
  });

  test("includes the stated size of the reference", () => {
    expectFigure(PART, Math.round(gzipped([REFERENCE]) / 1000), 1);
  });
});
