// Actions and views of a playground visitor, for tests in a real browser.

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** For anything that takes time in the world. Each look runs scripts in the page. */
export const PATIENCE = { timeout: 60_000, interval: 100 };

/** Types a line that gives one request; it gets its own cell. */
export async function typeLine(page: Page, line: string): Promise<Locator> {
  const cells = page.locator(".cell");
  const before = await cells.count();
  await page.getByRole("textbox", { name: "curl line" }).fill(line);
  await page.keyboard.press("Enter");
  await expect.poll(() => cells.count(), PATIENCE).toBe(before + 1);
  return cells.nth(before);
}

/** Types a line, sends it, and waits for its answer or failure. */
export async function sendLine(page: Page, line: string): Promise<void> {
  const cell = await typeLine(page, line);
  await cell.getByRole("button", { name: "Send" }).click();
  await cell.locator(".answer-head strong, .answer-head .refused").first().waitFor();
}

/** The statuses of the answers, one per cell; missing answers are left out. */
export function statuses(page: Page): Promise<string[]> {
  return page.locator(".cell .status-line strong").allInnerTexts();
}

/** Chooses from the "Break it" menu; an active fault is lifted. */
export async function choose(page: Page, label: string): Promise<void> {
  await page.getByRole("button", { name: "Break it" }).click();
  await item(page, label).click();
  await expect.poll(() => page.locator(".menu:popover-open").count()).toBe(0);
}

/** Whether the menu shows it as active. */
export async function isSet(page: Page, label: string): Promise<boolean> {
  await page.getByRole("button", { name: "Break it" }).click();
  const pressed = await item(page, label).getAttribute("aria-pressed");
  await page.keyboard.press("Escape");
  return pressed === "true";
}

/** A new world with one cell that is not sent, at the usual speed. Something was sent in the world before. */
export async function startOver(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Start over" }).click();
  await expect.poll(() => page.locator(".cell").count(), PATIENCE).toBe(1);
  await expect.poll(() => page.locator(".answer").count(), PATIENCE).toBe(0);
  await page.getByLabel("Speed").selectOption("watch");
}

/** The last answer and the world, as text. */
export async function seen(page: Page): Promise<string> {
  const answers = await page.locator(".cell").last().locator(".answer").allInnerTexts();
  const containers = await page.getByLabel("Containers", { exact: true }).innerText();
  const images = await page.getByLabel("Images", { exact: true }).innerText();
  return `ANSWER ${answers.join("\n")}\nCONTAINERS ${containers}\nIMAGES ${images}`;
}

function item(page: Page, label: string) {
  return page.locator(".menu:popover-open button", { hasText: label });
}
