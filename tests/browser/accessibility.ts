// The problems that axe-core finds on a page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as AxeCore from "axe-core";
import type { RunOnly } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES: RunOnly = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};
/** The rules about colours. */
const OF_COLOURS: RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** Breaches of WCAG 2.2, A and AA, and of best practices: `RULE: ELEMENT`. */
export function violations(page: Page): Promise<string[]> {
  return found(page, RULES);
}

/** The breaches that can depend on the colour scheme, which changes no element, name or size. */
export function violationsOfColours(page: Page): Promise<string[]> {
  return found(page, OF_COLOURS);
}

async function found(page: Page, rules: RunOnly): Promise<string[]> {
  // A page needs it once: half a megabyte of script.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: typeof AxeCore };
    const { violations } = await axe.run({ runOnly, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
  }, rules);
}
