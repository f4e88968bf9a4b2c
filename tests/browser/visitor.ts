// What a visitor of the playground does and sees, for tests in a real browser.

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** For what the world takes its time over. */
export const PATIENCE = { timeout: 60_000 };

/** Types a line that stands for one request; it gets a cell of its own. */
export async function typeLine(page: Page, line: string): Promise<Locator> {
  const cells = page.locator(".cell");
  const before = await cells.count();
  await page.getByRole("textbox", { name: "curl line" }).fill(line);
  await page.keyboard.press("Enter");
  await expect.poll(() => cells.count(), PATIENCE).toBe(before + 1);
  return cells.nth(before);
}

/** Does so, sends it, and waits until it is answered or will not be. */
export async function sendLine(page: Page, line: string): Promise<void> {
  const cell = await typeLine(page, line);
  await cell.getByRole("button", { name: "Send" }).click();
  await cell.locator(".answer-head strong, .answer-head .refused").first().waitFor();
}

/** What stands at the head of the answers, a cell each, the ones that are not there yet left out. */
export function statuses(page: Page): Promise<string[]> {
  return page.locator(".cell .status-line strong").allInnerTexts();
}

/** Chooses from the menu "Break it"; what is set already is lifted. */
export async function choose(page: Page, label: string): Promise<void> {
  await page.getByRole("button", { name: "Break it" }).click();
  await item(page, label).click();
  await expect.poll(() => page.locator(".menu:popover-open").count()).toBe(0);
}

/** Whether the menu says that it is so now. */
export async function isSet(page: Page, label: string): Promise<boolean> {
  await page.getByRole("button", { name: "Break it" }).click();
  const pressed = await item(page, label).getAttribute("aria-pressed");
  await page.keyboard.press("Escape");
  return pressed === "true";
}

/** The last answer and what there is in the world, as text. */
export async function seen(page: Page): Promise<string> {
  const answers = await page.locator(".cell").last().locator(".answer").allInnerTexts();
  const containers = await page.getByLabel("Containers", { exact: true }).innerText();
  const images = await page.getByLabel("Images", { exact: true }).innerText();
  return `ANSWER ${answers.join("\n")}\nCONTAINERS ${containers}\nIMAGES ${images}`;
}

function item(page: Page, label: string) {
  return page.locator(".menu:popover-open button", { hasText: label });
}
