// Every lesson, walked to its end on the page as a learner would: what it offers is added, changed where something is to
// be found out, and sent.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Lesson } from "../../hosts/browser/lessons/lesson.js";
import { LESSONS } from "../../hosts/browser/lessons/lessons.js";
import { onPages } from "./on-pages.js";
import { FINDINGS } from "./lesson-findings.js";

/** The world runs ten times as fast: a lesson waits for containers that sleep. */
const PATIENCE = { timeout: 60_000 };
onPages("lessons on the page", (browser) => {
  for (const lesson of LESSONS) {
    test(lesson.title, async () => {
      const { page, complaints } = await browser().open({ viewport: { width: 1280, height: 1000 } });
      await page.getByLabel("Speed").selectOption("10");
      const title = page.locator(".lesson-title", { hasText: lesson.title });
      if ((await title.getAttribute("aria-expanded")) !== "true") await title.click();
      for (let step = 0; step < lesson.steps.length; step++) await doStep(page, lesson, step);
      await expect.poll(() => page.locator(".insight").innerText(), PATIENCE).toBe(lesson.insight);
      await expect.poll(() => title.innerText(), PATIENCE).toContain("✓");
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  }
});

/** Does what the current step asks for, and sees it lit. */
async function doStep(page: Page, lesson: Lesson, step: number): Promise<void> {
  const row = page.locator(".lesson-steps > li").nth(step);
  const state = (): Promise<string | null> => row.getAttribute("data-state");
  await expect.poll(state, { ...PATIENCE, message: `step ${step + 1} comes` }).toBe("current");
  const { cell } = lesson.steps[step]!;
  if (cell === undefined) await row.locator("button").click();
  else await sendOffered(page, step, FINDINGS[`${lesson.id} ${step}`]);
  await expect.poll(state, { ...PATIENCE, message: `step ${step + 1} is done` }).toBe("done");
}

/** The request of a step; one in which something is to be found out is sent as it is offered first, in vain. */
async function sendOffered(page: Page, step: number, find?: (target: string) => string): Promise<void> {
  const row = page.locator(".lesson-steps > li").nth(step);
  await row.getByRole("button", { name: "the request" }).click();
  const cell = page.locator(".cell").last();
  await cell.getByRole("button", { name: "Send" }).click();
  if (find === undefined) return;
  await cell.locator(".answer .status-line strong").waitFor();
  expect(await row.getAttribute("data-state"), `step ${step + 1} is done by what it offers`).toBe("current");
  const target = cell.getByLabel("Path and query");
  await target.fill(find(await target.inputValue()));
  await target.press("Enter");
}
