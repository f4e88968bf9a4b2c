// The appearance and operation of the page: contrast and names in every state, visible focus, and a stable layout.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { violations, violationsOfColours } from "./accessibility.js";
import { sendLast } from "./chromium.js";
import { onePage } from "./one-page.js";
import { onPages } from "./on-pages.js";
import { choose, sendLine } from "./visitor.js";

type Scheme = "light" | "dark";

/** Each with the colour scheme in which the page is opened. */
const SIZES: readonly { width: number; height: number; colorScheme: Scheme }[] = [
  { width: 360, height: 740, colorScheme: "light" },
  { width: 1280, height: 800, colorScheme: "dark" },
];
/** There are many rules and many elements. */
const PATIENCE_MS = 240_000;
/** Reached one after another on the same page. */
const STATES: readonly { name: string; enter: (page: Page) => Promise<unknown>; leave?: string }[] = [
  { name: "first sight", enter: async () => {} },
  { name: "the editor", enter: (page) => openEditor(page) },
  { name: "a dry run", enter: (page) => tryFirst(page) },
  { name: "an answer", enter: (page) => sendLast(page) },
  { name: "its code", enter: (page) => page.getByRole("tab", { name: "As code" }).click() },
  { name: "parameters", enter: (page) => page.locator(".request summary").first().click() },
  { name: "a refusal explained", enter: (page) => refuse(page) },
  { name: "a terminal", enter: (page) => openTerminal(page) },
  { name: "the steps", enter: (page) => page.getByRole("button", { name: "Steps", exact: true }).click() },
  { name: "the past", enter: (page) => page.getByRole("button", { name: "Step back" }).click() },
  { name: "faults", enter: (page) => page.getByRole("button", { name: "Break it" }).click(), leave: "Escape" },
  { name: "sharing", enter: (page) => page.getByRole("button", { name: "Share" }).click(), leave: "Escape" },
  { name: "about", enter: (page) => page.getByRole("button", { name: "About" }).click(), leave: "Escape" },
];

onPages("the look of the page", (browser) => {
  for (const { colorScheme, ...viewport } of SIZES) {
    test(
      `meets WCAG AA in every state and both colour schemes at ${viewport.width} px`,
      async () => {
        const { page, complaints } = await browser().open({ colorScheme, viewport });
        let scheme: Scheme = colorScheme;
        const expectAccessible = async (name: string): Promise<void> => {
          const other = scheme === "light" ? "dark" : "light";
          expect(await violations(page), `${name}, ${scheme}`).toEqual([]);
          expect(await extent(page), `${name}, ${scheme}`).toEqual(viewport);
          await change(page, other);
          expect(await violationsOfColours(page), `${name}, ${other}`).toEqual([]);
          expect(await extent(page), `${name}, ${other}`).toEqual(viewport);
          scheme = other;
        };
        for (const { name, enter, leave } of STATES) {
          await enter(page);
          await expectAccessible(name);
          if (leave !== undefined) await page.keyboard.press(leave);
        }
        for (const part of viewport.width > 800 ? [] : ["Lessons", "World"]) {
          await page.locator(".parts").getByText(part).click();
          await expectAccessible(part);
        }
        expect(complaints).toEqual([]);
        await page.context().close();
      },
      PATIENCE_MS,
    );

    test(`shows where the focus is at ${viewport.width} px`, async () => {
      const { page } = await browser().open({ viewport });
      await sendLast(page);
      const stops = await tabThrough(page);
      expect(stops.filter(({ seen }) => !seen)).toEqual([]);
      const names = stops.map(({ name }) => name);
      for (const name of ["Share", "Method", "Send", "Step back", "Moment", "Speed", "Steps", "Break it"]) {
        expect(names).toContain(name);
      }
      await page.context().close();
    });

    test(`keeps things in their places at ${viewport.width} px`, async () => {
      const { page } = await browser().open({ viewport });
      await page.waitForFunction(() => document.querySelector(".summary")?.textContent !== "");
      await sendLast(page);
      await sendLine(page, "docker start hello");
      const before = await settledPlaces(page);
      await page.getByRole("button", { name: "Step back" }).click();
      await page.getByText("You are looking at the past").waitFor();
      await choose(page, "The registry is down");
      expect(await places(page)).toEqual(before);
      expect(await shifted(page)).toBeLessThan(0.01);
      await page.context().close();
    });
  }

  const anew = onePage(browser, { viewport: { width: 1280, height: 800 } });

  test("animates for less than 200 ms, including a terminal's scroll bar", async () => {
    const { page } = await anew();
    await sendLast(page);
    await openTerminal(page, "seq 100");
    await page.locator(".xterm-rows", { hasText: "100" }).waitFor();
    await page.locator(".xterm-screen").hover();
    await page.locator(".xterm .scrollbar.visible").waitFor();
    await page.locator("header").hover();
    await page.locator(".xterm .scrollbar.fade").waitFor({ state: "attached" });
    expect(await moving(page, 0)).not.toEqual([]);
    expect(await moving(page, 0.2)).toEqual([]);
  });

  test("does not animate if the visitor prefers reduced motion", async () => {
    const { page } = await anew();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await sendLast(page);
    expect(await moving(page, 0)).toEqual([]);
    await page.emulateMedia({ reducedMotion: null });
  });

  test("scrolls an answer, and details opened below it, into view", async () => {
    const { page } = await anew();
    await refuse(page);
    for (const part of [".answer .status-line", ".answer [role=tabpanel] dt >> nth=0"]) {
      const box = (await page.locator(".cell").last().locator(part).boundingBox())!;
      const column = (await page.locator(".column.notebook").boundingBox())!;
      expect(box.y, part).toBeGreaterThanOrEqual(column.y);
      expect(box.y + box.height, part).toBeLessThanOrEqual(column.y + column.height);
    }
  });
});

/** Changes the colour scheme, and waits until all colours have their new values. */
async function change(page: Page, colorScheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    // One that is replaced by another one is cancelled.
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
}

/** Elements whose transitions take longer than this. */
function moving(page: Page, seconds: number): Promise<string[]> {
  return page.evaluate((longest) => {
    const inSeconds = (time: string): number => parseFloat(time) / (time.endsWith("ms") ? 1000 : 1);
    return Array.from(document.querySelectorAll("*"))
      .filter((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element);
        return `${transitionDuration}, ${animationDuration}`.split(", ").some((time) => inSeconds(time) > longest);
      })
      .map((element) => element.outerHTML.slice(0, 80));
  }, seconds);
}

async function openEditor(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Body" }).focus();
  await page.locator(".cm-content").waitFor();
}

/** How far the page itself could scroll: only its columns should scroll. */
function extent(page: Page): Promise<{ width: number; height: number }> {
  return page.evaluate(() => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement;
    return { width, height };
  });
}

async function tryFirst(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Dry run" }).first().click();
  await page.locator(".planned ol").waitFor();
}

/** A request for something missing, with the reason for its refusal. */
async function refuse(page: Page): Promise<void> {
  await sendLine(page, "GET /containers/nobody/json");
  await page.locator(".cell").last().getByRole("tab", { name: "What happened" }).click();
  await page.getByText("not-found (404)").waitFor();
}

async function openTerminal(page: Page, command = "sh"): Promise<void> {
  await page.getByRole("textbox", { name: "curl line" }).fill(`docker run -it --name shell busybox ${command}`);
  await page.keyboard.press("Enter");
  await page.locator(".xterm").waitFor();
}

interface Stop {
  name: string;
  /** It has an outline, and nothing covers it. */
  seen: boolean;
}

/** The elements that receive focus, in order, once around. */
async function tabThrough(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press("Tab");
    await editorInPlace(page);
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return "outside";
      if (element.hasAttribute("data-visited")) return "again";
      element.setAttribute("data-visited", "");
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2];
      const above = document.elementFromPoint(x, y);
      const label = element.closest("label")?.querySelector(".unseen");
      // The JSON editor has one outline around the whole.
      const outlined = element.closest(".cm-editor") ?? element;
      return {
        name: (element.getAttribute("aria-label") ?? label?.textContent ?? element.textContent ?? "").trim(),
        seen:
          getComputedStyle(outlined).outlineStyle !== "none" &&
          above !== null &&
          (element.contains(above) || above.contains(element)),
      };
    });
    if (stop === "again") break;
    if (stop !== "outside") stops.push(stop);
  }
  return stops;
}

/** The JSON editor replaces a plain field that has the focus. */
async function editorInPlace(page: Page): Promise<void> {
  const inBody = await page.evaluate(() => document.activeElement?.closest(".body-editor") != null);
  if (inBody) await page.waitForSelector(".body-editor .cm-editor.cm-focused");
}

/** Positions of the parts of the page. */
function places(page: Page): Promise<number[][]> {
  return page.evaluate(() =>
    Array.from(
      document.querySelectorAll(".page > header, .column, .cell, .request-line > *, .timeline, .timeline-bar > *"),
      (element) => {
        const { x, y, width } = element.getBoundingClientRect();
        return [x, y, width];
      },
    ),
  );
}

/** Positions once nothing moves any more. */
async function settledPlaces(page: Page): Promise<number[][]> {
  let last = await places(page);
  const stands = async (): Promise<boolean> => {
    const before = JSON.stringify(last);
    last = await places(page);
    return JSON.stringify(last) === before;
  };
  await expect.poll(stands, { interval: 500 }).toBe(true);
  return last;
}

/** Sum of all layout shifts since the page was opened, except those caused by input. */
function shifted(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const shifts = list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[];
          resolve(shifts.reduce((sum, one) => sum + (one.hadRecentInput ? 0 : one.value), 0));
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(0), 500);
      }),
  );
}
