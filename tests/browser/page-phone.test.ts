// The page on a phone: the lesson is above the request that it describes, and moves with it. Pending requests say what
// they wait for.

import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { LESSONS } from "../../hosts/browser/lessons/lessons.js";
import { sendLast } from "./chromium.js";
import { onPages } from "./on-pages.js";
import { PATIENCE, sendLine, typeLine } from "./visitor.js";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

onPages("the page on a phone", (browser) => {
  test("shows a new visitor the lesson and its request, and the next step below the answer", async () => {
    const { page, complaints } = await browser().open(PHONE);
    const [lesson] = LESSONS;
    await page.locator(".lesson-card", { hasText: lesson!.steps[0]!.task }).waitFor();
    const order = await tops(page, [".parts", ".lesson-card", ".cell button.primary", ".timeline"]);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    await page.locator(".cell button.primary").click({ trial: true });
    expect(await sendLast(page)).toBe("201 Created");
    await page.locator(".lesson-card", { hasText: lesson!.steps[1]!.task }).waitFor();
    const buttons = page.locator(".lesson-card").getByRole("button", { name: "the request" });
    expect(await buttons.allInnerTexts()).toEqual(["Add the request once more", "Add the request"]);
    const [answer, card] = await tops(page, [".answer", ".lesson-card >> nth=1"]);
    expect(card).toBeGreaterThan(answer!);
    await expect.poll(() => isInView(page.locator(".lesson-task").nth(1)), PATIENCE).toBe(true);
    await page.locator(".lesson-card").last().getByRole("button", { name: "the request" }).click();
    await expect.poll(() => page.locator(".cell").count()).toBe(2);
    const [task, next] = await tops(page, [".lesson-task >> nth=1", ".cell >> nth=1"]);
    expect(next).toBeGreaterThan(task!);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("keeps the time controls in one row, and offers the next lesson at the end of one", async () => {
    const { page, complaints } = await browser().open(PHONE, "#lesson=versions");
    const bar = await tops(page, [
      ".transport",
      ".timeline-bar select",
      "button:text('Steps')",
      "button:text('Break it')",
    ]);
    expect(Math.max(...bar) - Math.min(...bar)).toBeLessThan(8);
    for (const line of ["/_ping", "/v1.20/version", "/v1.43/images/json", "/v1.44/images/json"]) {
      await sendLine(page, `GET ${line}`);
    }
    await page.locator(".lesson-card").getByRole("button", { name: "Next lesson: What happens on a crash" }).click();
    const card = page.locator(".lesson-card", { hasText: "Create a container that runs for a long time." });
    await card.waitFor();
    await expect.poll(() => isInView(card), PATIENCE).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("shows what an answer waits for, and why that takes so long", async () => {
    const { page, complaints } = await browser().open();
    await sendLast(page);
    const chosen = page.getByLabel("Speed").locator("option:checked");
    expect(await chosen.innerText()).toBe("each step");
    const cell = await typeLine(page, "docker start hello");
    await cell.getByRole("button", { name: "Send" }).click();
    const told = cell.locator(".status-line");
    await expect.poll(() => told.innerText(), PATIENCE).toMatch(/^Sent… waits for: .+, slowed down/);
    await expect.poll(() => told.innerText(), PATIENCE).toContain("204 No Content");
    const wait = await typeLine(page, "docker wait hello");
    await wait.getByRole("button", { name: "Send" }).click();
    await wait.getByText("200 OK").waitFor();
    const follow = await typeLine(page, "docker events");
    await follow.getByRole("button", { name: "Send" }).click();
    await follow.getByText("open for future events").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    const still = await typeLine(page, "docker restart hello");
    await still.getByRole("button", { name: "Send" }).click();
    await still.getByText("time stands still: press Play").waitFor();
    await page.getByRole("button", { name: "Play" }).click();
    await still.getByText("204 No Content").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

/** Whether all of it is visible, considering that scrolling clips content. */
function isInView(element: Locator): Promise<boolean> {
  return element.evaluate(
    (one) =>
      new Promise<boolean>((resolve) => {
        new IntersectionObserver(([entry], observer) => {
          observer.disconnect();
          resolve(entry!.intersectionRatio >= 0.99);
        }).observe(one);
      }),
  );
}

/** Top edges of these elements, from the top of the page. */
async function tops(page: Page, parts: readonly string[]): Promise<number[]> {
  const boxes = await Promise.all(parts.map((part) => page.locator(part).first().boundingBox()));
  return boxes.map((box, at) => box?.y ?? expect.fail(`there is no ${parts[at]}`));
}
