// What axe-core finds on a page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as AxeCore from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Breaches of WCAG 2.2, A and AA, and of what is held good practice: `RULE: ELEMENT`. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: typeof AxeCore };
    const { violations } = await axe.run({ runOnly: rules });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
  }, RULES);
}
