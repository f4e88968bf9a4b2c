// Figures in benches/README.md that the build determines: they must match the build.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ROOT } from "../engines.js";

const PAGE = join(ROOT, "benches/README.md");

/** `figure` matches only the number. `leeway`: a difference that does not matter to readers. */
export function expectFigure(figure: RegExp, built: number, leeway: number): void {
  const page = readFileSync(PAGE, "utf8");
  expect(page).toMatch(figure);
  if (process.env["UPDATE"] === "1" && process.env["CI"] !== "true") {
    writeFileSync(PAGE, page.replace(figure, String(built)));
  }
  const said = Number(figure.exec(readFileSync(PAGE, "utf8"))![0]);
  const difference = Math.abs(said - built);
  expect(difference, `benches/README.md: ${said}, built: ${built}; UPDATE=1 writes it`).toBeLessThanOrEqual(leeway);
}
