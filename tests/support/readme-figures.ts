// Figures in the README that the build decides: they must be what was built.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ROOT } from "./engines.js";

const README = join(ROOT, "README.md");

/** `figure` finds the number alone. `leeway`: what a reader learns nothing from. */
export function expectFigure(figure: RegExp, built: number, leeway: number): void {
  const readme = readFileSync(README, "utf8");
  expect(readme).toMatch(figure);
  if (process.env["UPDATE"] === "1" && process.env["CI"] !== "true") {
    writeFileSync(README, readme.replace(figure, String(built)));
  }
  const said = Number(figure.exec(readFileSync(README, "utf8"))![0]);
  const difference = Math.abs(said - built);
  expect(difference, `README: ${said}, built: ${built}; UPDATE=1 writes it`).toBeLessThanOrEqual(leeway);
}
