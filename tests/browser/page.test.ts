// The playground in a real browser: what a visitor sees and does.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sendLast } from "./chromium.js";
import { firstLoad, gzipped } from "./first-load.js";
import { onePage } from "./one-page.js";
import { onPages } from "./on-pages.js";

const THEMES = ["light", "dark"] as const;
const WIDTHS = [360, 768, 1280, 1920];
/** For people to look at. */
const SCREENSHOTS = "build/screenshots";
/** Compressed size of everything fetched until the first answer. */
const MOST_FIRST_BYTES = 655_000;

onPages("the playground", (browser) => {
  const anew = onePage(browser);

  test("opens ready to send, without errors and without requests to other servers", async () => {
    const begun = Date.now();
    const { page, complaints, foreign } = await browser().open();
    console.log(`first interaction possible after ${Date.now() - begun} ms`);
    expect(await sendLast(page)).toBe("201 Created");
    await page.waitForSelector(".diagram .token");
    await page.waitForTimeout(300);
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await page.context().close();
  });

  test("fetches only what is needed", async () => {
    const { page } = await browser().blank();
    const fetched: string[] = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    const those = (pattern: RegExp) => fetched.filter((path) => pattern.test(path));
    await page.goto(browser().url);
    expect(await sendLast(page)).toBe("201 Created");
    await expect.poll(() => those(/^\/api\//)).toEqual(["/api/v1.41.json"]);
    expect(those(/code-editor|emulator/)).toEqual([]);
    // Fetched once, as a file: embedded in a script it would be a third larger.
    expect(those(/^\/core\/core\.core-\w+\.wasm$/).length).toBe(1);
    const first = new Set(fetched.map((path) => path.replace(/^\/$/, "/index.html").slice(1)));
    expect([...first].filter((path) => path !== "icon.svg").toSorted()).toEqual(firstLoad().toSorted());
    expect(gzipped([...first])).toBeLessThan(MOST_FIRST_BYTES);
    await page.getByRole("textbox", { name: "Body" }).focus();
    await page.getByLabel("API version").selectOption("1.25");
    await expect.poll(() => those(/^\/api\//)).toEqual(["/api/v1.41.json", "/api/v1.25.json"]);
    await expect.poll(() => those(/code-editor-\w+\.js$/).length).toBe(1);
    expect(those(/emulator/)).toEqual([]);
    await page.context().close();
  });

  test("cannot be made to send requests to other servers", async () => {
    const { page } = await browser().open();
    const outcome = await page.evaluate(() =>
      fetch("https://127.0.0.1:9/").then(
        () => "answered",
        () => "refused",
      ),
    );
    const evaluated = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      document.body.append(script);
      return "ran" in globalThis;
    });
    expect([outcome, evaluated]).toEqual(["refused", false]);
    await page.context().close();
  });

  test("can be used without a mouse", async () => {
    const { page, complaints } = await anew();
    await tabTo(page, "Send");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".answer .status-line strong");
    await tabTo(page, "curl line, docker command, or method and path");
    await page.keyboard.type("docker ps -a");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".cell").length === 2);
    await page.waitForFunction(() => document.activeElement?.textContent === "Send");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".cell:nth-child(1) .answer");
    await expect.poll(() => page.locator(".cell").last().innerText()).toContain("200 OK");
    await tabTo(page, "What happened");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".explain").innerText()).toContain("GET /containers/json");
    await tabTo(page, "Break it");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".menu button");
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Break it");
    expect(complaints).toEqual([]);
  });

  test("fits every width in both themes", async () => {
    const { page } = await anew();
    await sendLast(page);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      const other = colorScheme === "dark" ? "Light theme" : "Dark theme";
      await expect.poll(() => page.getByLabel(other).count(), { message: "the button offers the other theme" }).toBe(1);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        for (const part of width > 800 ? ["all"] : ["Lessons", "World", "Requests"]) {
          if (part !== "all") await page.locator(".parts").getByText(part).click();
          expect(await page.evaluate(() => document.documentElement.scrollWidth), `${part} at ${width}`).toBe(width);
          await page.screenshot({ path: join(SCREENSHOTS, colorScheme, `${width}-${part}.png`) });
        }
      }
    }
  });
});

/** Presses Tab until an element of that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return (element?.getAttribute("aria-label") ?? element?.textContent ?? "").trim();
    });
    if (focused === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not come to "${name}"`);
}
