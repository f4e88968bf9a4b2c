// Stopping console commands: by Ctrl-C anywhere in the notebook, or by the button.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { onePage } from "./one-page.js";
import { onPages } from "./on-pages.js";
import { PATIENCE, statuses, typeLine } from "./visitor.js";

const TALK = "docker run -d --name talk busybox sh -c 'while sleep 1; do echo tick; echo tock; done'";
/** All its lines are the same: the first row of the terminal is, too, after the terminal has scrolled. */
const TICKS_ON_TERMINAL = "docker run -dt --name talk busybox sh -c 'while sleep 1; do echo tick; done'";
const FOLLOW = "docker logs -f talk | grep tick; echo after";

onPages("a command in the console", (browser) => {
  const anew = onePage(browser, { permissions: ["clipboard-read", "clipboard-write"] });

  test("stops at Ctrl-C in its output, where that does not copy", async () => {
    const { page, complaints } = await anew();
    const printed = await following(page);
    await printed.focus();
    await page.evaluate(() => getSelection()!.selectAllChildren(document.querySelector(".shown")!));
    await page.keyboard.press("Control+c");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), PATIENCE).toContain("tick\ntick");
    expect(await stop(page).count()).toBe(1);
    await page.evaluate(() => getSelection()!.removeAllRanges());
    await page.keyboard.press("Control+c");
    await stopped(page);
    expect(await printed.innerText()).not.toContain("after");
    expect(complaints).toEqual([]);
  });

  test("stops at Ctrl-C during a request", async () => {
    const { page, complaints } = await anew();
    await following(page);
    await page.locator(".cell").last().getByRole("button", { name: "Send" }).focus();
    await page.keyboard.press("Control+c");
    await stopped(page);
    expect(complaints).toEqual([]);
  });

  test("stops by a button, also on a touch screen", async () => {
    const { page, complaints } = await browser().open({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await following(page);
    await stop(page).tap();
    await stopped(page);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(/^curl line/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("continues when one of its requests is cancelled elsewhere", async () => {
    const { page, complaints } = await anew();
    await following(page);
    const events = await typeLine(page, "docker events");
    await events.getByRole("button", { name: "Send" }).click();
    await events.getByText("open for future events").waitFor();
    await events.getByRole("button", { name: "Send" }).press("Control+c");
    await events.getByText("you closed it").waitFor();
    expect(await stop(page).count()).toBe(1);
    // The cell above explains its end now, and so the button moves: between the mouse's down and up, a click is lost.
    await stop(page).press("Enter");
    await expect.poll(() => stop(page).count(), PATIENCE).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("stops at Ctrl-C on a terminal without input", async () => {
    const { page, complaints } = await anew();
    await page.getByLabel("Speed").selectOption("10");
    await enter(page, TICKS_ON_TERMINAL);
    await expect.poll(async () => (await statuses(page)).length, PATIENCE).toBe(2);
    await enter(page, "docker logs -f talk");
    const answer = page.locator(".cell").last();
    await answer.locator(".xterm-helper-textarea").focus();
    await page.keyboard.press("Control+c");
    await answer.getByText("you closed it").waitFor();
    expect(complaints).toEqual([]);
  });

  // On these platforms xterm copies the selection into its input field.
  test.each(["Linux x86_64", "Win32"])(
    "continues when a selection in a terminal is copied, on %s",
    async (platform) => {
      const script = `Object.defineProperty(Navigator.prototype, "platform", { get: () => "${platform}" })`;
      const permissions = ["clipboard-read", "clipboard-write"];
      const { page, complaints } = await browser().open({ permissions }, "", script);
      await page.getByLabel("Speed").selectOption("10");
      await enter(page, TICKS_ON_TERMINAL);
      await expect.poll(async () => (await statuses(page)).length, PATIENCE).toBe(2);
      await enter(page, "docker logs -f talk");
      const answer = page.locator(".cell").last();
      await answer.locator(".xterm-rows").getByText("tick").first().waitFor();
      await page.evaluate(() => navigator.clipboard.writeText("nothing yet"));
      await answer.locator(".xterm-screen").dblclick({ position: { x: 12, y: 8 } });
      await page.keyboard.press("Control+c");
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), PATIENCE).toBe("tick");
      expect(await stop(page).count()).toBe(1);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );
});

/** The console's output while it follows a container's log through a pipe. */
async function following(page: Page) {
  await page.getByLabel("Speed").selectOption("10");
  expect(await stop(page).count()).toBe(0);
  await enter(page, TALK);
  await expect.poll(async () => (await statuses(page)).length, PATIENCE).toBe(2);
  await enter(page, FOLLOW);
  const printed = page.getByLabel("Printed");
  await expect.poll(() => printed.innerText(), PATIENCE).toContain("tick\ntick");
  return printed;
}

async function stopped(page: Page): Promise<void> {
  await expect.poll(() => stop(page).count(), PATIENCE).toBe(0);
  await page.getByText("you closed it").waitFor();
  await enter(page, "echo $?");
  await expect.poll(() => page.getByLabel("Printed").innerText(), PATIENCE).toBe("130");
}

function stop(page: Page) {
  return page.getByRole("button", { name: "Stop", exact: true });
}

async function enter(page: Page, line: string): Promise<void> {
  await page.getByRole("textbox", { name: "curl line" }).fill(line);
  await page.getByRole("textbox", { name: "curl line" }).press("Enter");
}
