// Walks through every lesson on the page like a learner: adds the offered requests, changes them where needed, and
// sends them. All lessons in order on one page, and then some of them once more.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Lesson } from "../../hosts/browser/lessons/lesson.js";
import { LESSONS } from "../../hosts/browser/lessons/lessons.js";
import type { Watched } from "./chromium.js";
import { onPages } from "./on-pages.js";
import { EDITS, FINDINGS } from "./lesson-findings.js";
import { PATIENCE } from "./visitor.js";

const LONG = { timeout: 120_000 };
/**
 * A lesson that was done begins anew, by the same code for each of them: from the list, by the button at the end of the one
 * before, with a request to be found out or a file to be changed, and the last one.
 */
const AGAIN = ["run", "background", "list-stop", "build", "crash"];

onPages("lessons on the page", (browser) => {
  let watched: Watched | null = null;
  /** One page for all; after a failed lesson the next one continues on it. */
  const shared = async (): Promise<Watched> => {
    watched ??= await browser().open({ viewport: { width: 1280, height: 1000 } });
    return watched;
  };

  for (const round of ["first", "second"]) {
    for (const [at, lesson] of LESSONS.entries()) {
      if (round === "second" && !AGAIN.includes(lesson.id)) continue;
      test(`the ${round} time: ${lesson.title}`, LONG, async () => {
        const { page, complaints } = await shared();
        // The world runs ten times as fast, because a lesson waits for sleeping containers.
        await page.getByLabel("Speed").selectOption("10");
        await open(page, lesson);
        for (let step = 0; step < lesson.steps.length; step++) await doStep(page, lesson, step);
        await expect.poll(() => page.locator(".insight").innerText(), PATIENCE).toBe(lesson.insight);
        await expect.poll(() => titleOf(page, lesson).innerText(), PATIENCE).toContain("✓");
        await expect.poll(() => page.locator(".lesson > :last-child").innerText()).toBe(wayOn(LESSONS[at + 1]));
        expect(complaints).toEqual([]);
      });
    }
  }

  test("a link opens a lesson; starting over removes its ticks, and a step back restores them", async () => {
    const { page, complaints } = await browser().open({}, "#lesson=list-stop");
    const lesson = LESSONS.find(({ id }) => id === "list-stop")!;
    await expect.poll(() => titleOf(page, lesson).getAttribute("aria-expanded")).toBe("true");
    await doStep(page, lesson, 0);
    await page.getByRole("button", { name: "Start over" }).click();
    await expect.poll(() => states(page), PATIENCE).toEqual(["current", "later", "later", "later", "later"]);
    expect(new URL(page.url()).hash).toBe("#lesson=list-stop");
    await page.goBack();
    await expect.poll(() => states(page), PATIENCE).toEqual(["done", "current", "later", "later", "later"]);
    await page.goto(`${page.url().split("#")[0]}#lesson=nothing`);
    await page.getByText("There is no lesson nothing. The lessons are: run, background,").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("a step that a branch of the past has not completed must be done again", async () => {
    const { page, complaints } = await browser().open({}, "#lesson=run");
    const [lesson] = LESSONS;
    for (const step of [0, 1]) await doStep(page, lesson!, step);
    while ((await page.locator(".scrubber-text .grow").innerText()).includes("/start") === false) {
      await page.getByRole("button", { name: "Step back" }).click();
    }
    await page.getByRole("button", { name: "Step back" }).click();
    await page.getByRole("button", { name: "Continue from here" }).click();
    await expect.poll(() => states(page), PATIENCE).toEqual(["done", "current", "later", "later"]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

function titleOf(page: Page, lesson: Lesson) {
  return page.locator(".lesson-title", { hasText: lesson.title });
}

/** Opens a lesson by the button at the end of the previous one if it is there, otherwise from the list. */
async function open(page: Page, lesson: Lesson): Promise<void> {
  const title = titleOf(page, lesson);
  const next = page.getByRole("button", { name: wayOn(lesson) });
  if (await next.isVisible()) await next.click();
  else if ((await title.getAttribute("aria-expanded")) !== "true") await title.click();
  const rest = lesson.steps.slice(1).map(() => "later");
  await expect.poll(() => states(page), { ...PATIENCE, message: "it begins" }).toEqual(["current", ...rest]);
  await expect.poll(() => title.getAttribute("aria-expanded")).toBe("true");
  await expect.poll(() => page.locator(".cell").count(), PATIENCE).toBe(1);
}

function wayOn(next: Lesson | undefined): string {
  const last = "That was the last lesson. What would you like to try next?";
  return next === undefined ? last : `Next lesson: ${next.title}`;
}

function states(page: Page): Promise<(string | null)[]> {
  return page
    .locator(".lesson-steps > li")
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset["state"] ?? null));
}

/** Does the current step, and waits until it is marked as done. */
async function doStep(page: Page, lesson: Lesson, step: number): Promise<void> {
  const row = page.locator(".lesson-steps > li").nth(step);
  const state = (): Promise<string | null> => row.getAttribute("data-state");
  await expect.poll(state, { ...PATIENCE, message: `step ${step + 1} comes` }).toBe("current");
  const { cell } = lesson.steps[step]!;
  if (cell === undefined) await row.locator("button").click();
  else await sendOffered(page, step, `${lesson.id} ${step}`);
  await expect.poll(state, { ...PATIENCE, message: `step ${step + 1} is done` }).toBe("done");
}

/** Sends the request of a step. If a part must be found out, the offered request is sent first, without success. */
async function sendOffered(page: Page, step: number, place: string): Promise<void> {
  const row = page.locator(".lesson-steps > li").nth(step);
  const [find, edit] = [FINDINGS[place], EDITS[place]];
  await row.getByRole("button", { name: "the request" }).click();
  const cell = page.locator(".cell").last();
  const send = cell.getByRole("button", { name: "Send" });
  await send.click();
  if (find === undefined && edit === undefined) return;
  await cell.locator(".answer .status-line strong").waitFor();
  expect(await row.getAttribute("data-state"), `step ${step + 1} is done by what it offers`).toBe("current");
  if (find !== undefined) {
    const target = cell.getByLabel("Path and query");
    await target.fill(find(await target.inputValue()));
    return target.press("Enter");
  }
  await expect.poll(() => cell.innerText(), PATIENCE).toContain("Successfully built");
  await cell.getByLabel(`Text of file ${edit!.name}`).fill(edit!.text);
  await send.click();
}
