// Time control and shared sessions: viewing the past, branching from it, and opening it again elsewhere.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { FAULT_TEXTS } from "../../hosts/browser/lessons/fault-texts.js";
import { onePage } from "./one-page.js";
import { onPages } from "./on-pages.js";
import { PATIENCE, choose, sendLine } from "./visitor.js";

const SHELL = "echo made > /note; echo told; sleep 1; echo warned >&2";
const BODY = JSON.stringify({ Image: "busybox", Cmd: ["sh", "-c", SHELL] });

onPages("time on the page", (browser) => {
  const anew = onePage(browser);
  /** All but the last test leave a session that begins in the same way, and whose container has exited. */
  const lived = onePage(browser, {}, { first: live, next: async () => {} });

  const stretches = "stretches what happens, so that a start can be watched, and not what is waited for";
  test(stretches, { timeout: 300_000 }, async () => {
    const { page } = await anew();
    await sendLine(page, "docker create --name job busybox sleep 1000");
    expect(await timed(() => sendLine(page, "docker start job"))).toBeGreaterThan(700);
    // Nine seconds of the world. Stretched by forty they would be six minutes.
    expect(await timed(() => sendLine(page, "docker stop -t 9 job"))).toBeLessThan(180_000);
  });

  test("redraws an idle page only when its clock shows another second", async () => {
    const { page } = await anew();
    await sendLine(page, "docker ps");
    await expect.poll(() => lastRedraws(page), PATIENCE).toEqual(["", "1 s later", "1 s later"]);
    await page.getByRole("button", { name: "Pause" }).click();
    await expect.poll(() => page.getByLabel("Time of the world").innerText()).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
  });

  test("goes back and forth over the same states", async () => {
    const { page, complaints } = await lived();
    const now = await look(page);
    const back = [now];
    while (await page.getByRole("button", { name: "Step back" }).isEnabled()) {
      await page.getByRole("button", { name: "Step back" }).click();
      back.push(await look(page));
    }
    expect(new Set(back.map((one) => one.world)).size).toBeGreaterThan(9);
    const forth = [back.at(-1)!];
    while (forth.length < back.length) {
      await page.getByRole("button", { name: "Step forward" }).click();
      forth.push(await look(page));
    }
    expect(forth.toReversed()).toEqual(back);
    await page.getByLabel("Moment").fill("3");
    expect(await look(page)).toEqual(back.at(-4));
    await page.getByRole("button", { name: "Back to now" }).click();
    expect(await look(page)).toEqual(now);
    expect(complaints).toEqual([]);
  });

  test("reaches the same state in another browser through a link", async () => {
    const { page } = await lived();
    const now = await look(page);
    const answers = await page.locator(".answer").allInnerTexts();
    const link = await linkTo(page);
    const { page: other, complaints } = await browser().open({}, link);
    expect(await other.locator(".notice").innerText()).toMatch(
      /^Time stands still at the moment this session was shared/,
    );
    expect(await look(other)).toEqual(now);
    expect(await other.locator(".answer").allInnerTexts()).toEqual(answers);
    expect(await linkTo(other)).toBe(link);
    await other.getByRole("button", { name: "Play" }).click();
    await sendLine(other, "docker start told");
    await expect.poll(async () => (await look(other)).world, PATIENCE).toMatch(/told\s+busybox\s+running/);
    expect(complaints).toEqual([]);
    await other.context().close();
  });

  test("returns to the session that a lesson replaced", async () => {
    const { page, complaints } = await lived();
    const now = await look(page);
    await page.locator(".lesson-title", { hasText: "List images" }).click();
    await expect.poll(() => page.locator(".cell").count()).toBe(1);
    expect(await page.getByLabel("Path and query").inputValue()).toBe("/v1.41/images/json");
    await page.goBack();
    await expect.poll(() => look(page), PATIENCE).toEqual(now);
    expect(complaints).toEqual([]);
  });

  test("continues from a moment of the past as before", async () => {
    const { page, complaints } = await lived();
    const now = await look(page);
    await lookAt(page, /^the engine is gone/);
    await page.getByRole("button", { name: "Continue from here" }).click();
    // In the past the engine is down, too.
    await expect.poll(() => page.getByText("You are looking at the past").count()).toBe(0);
    await page.getByText("The engine is down").waitFor();
    await choose(page, "Start the engine again");
    await page.getByText("The engine is up").waitFor();
    expect(containersIn((await look(page)).world)).toBe(containersIn(now.world));
    expect(complaints).toEqual([]);
  });

  test("branches when another action is taken in the past", async () => {
    const { page, complaints } = await lived();
    const { world: before } = await lookAt(page, /^POST \/v1.41\/containers\/told\/start/);
    expect(before).toMatch(/told\s+busybox\s+starting/);
    await lookAt(page, /^POST \/v1.41\/containers\/create\?name=told/);
    await sendLine(page, "docker rm told");
    await expect.poll(() => page.getByText("You are looking at the past").count()).toBe(0);
    expect(containersIn((await look(page)).world)).toContain("None yet");
    await page.getByRole("button", { name: "Play" }).click();
    await sendLine(page, "docker create --name other busybox true");
    await sendLine(page, "docker start other");
    await expect.poll(async () => (await look(page)).world, PATIENCE).toMatch(/other\s+busybox\s+exited \(0\)/);
    expect(complaints).toEqual([]);
  });

  test("keeps secrets out of links", async () => {
    const { page } = await anew();
    await sendLine(page, "docker login -u somebody -p tops3cret registry.example");
    const { page: other } = await browser().open({}, await linkTo(page));
    expect(await other.content()).not.toContain("tops3cret");
    expect(await other.locator(".cell").last().getByRole("textbox", { name: "Body" }).inputValue()).toContain(
      '"password"',
    );
    await other.context().close();
  });
});

/** A session with something of everything: output, files, an exit, a fault that strikes, a crash and a restart. */
async function live(page: Page): Promise<void> {
  await page.getByLabel("Speed").selectOption("10");
  await sendLine(
    page,
    `curl -H 'Content-Type: application/json' -d '${BODY}' http://localhost/v1.41/containers/create?name=told`,
  );
  await sendLine(page, "docker start told");
  await sendLine(page, "docker wait told");
  await expect.poll(async () => (await look(page)).world, PATIENCE).toMatch(/told\s+busybox\s+exited \(0\)/);
  await choose(page, FAULT_TEXTS["registry-down"].label);
  await sendLine(page, "docker pull alpine");
  await choose(page, FAULT_TEXTS["registry-down"].label);
  await choose(page, FAULT_TEXTS["engine-crash"].label);
  await choose(page, "Start the engine again");
  await page.getByText("The engine is up").waitFor();
  await sendLine(page, "docker ps -a");
  // Time passes only where the test lets it pass.
  await page.getByRole("button", { name: "Pause" }).click();
}

/** The next three changes of the page, compared with the one before: something else than the clock's seconds is itself. */
async function lastRedraws(page: Page): Promise<string[]> {
  const texts = await page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const seen: string[] = [];
        const watching = new MutationObserver((records) => {
          for (const { target } of records) seen.push(target.textContent ?? "");
          if (seen.length < 3) return;
          watching.disconnect();
          resolve(seen.slice(0, 3));
        });
        watching.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
      }),
  );
  const seconds = texts.map((text) => /^\d\d:\d\d:(\d\d)$/.exec(text)?.[1]);
  return seconds.map((second, at) => {
    if (second === undefined) return texts[at]!;
    const before = seconds[at - 1];
    return before === undefined ? "" : `${(Number(second) - Number(before) + 60) % 60} s later`;
  });
}

/** Real milliseconds. */
async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = Date.now();
  await act();
  return Date.now() - begun;
}

interface Look {
  world: string;
  /** The cause that the step list shows for the selected moment. */
  cause: string;
}

async function look(page: Page): Promise<Look> {
  const world = await page.locator(".column.world").innerText();
  return { world, cause: await page.locator(".scrubber-text .grow").innerText() };
}

/** Steps back to the step with that cause. */
async function lookAt(page: Page, cause: RegExp): Promise<Look> {
  const back = page.getByRole("button", { name: "Step back" });
  for (;;) {
    await back.click();
    const found = await look(page);
    if (cause.test(found.cause)) return found;
    if (await back.isDisabled()) throw new Error(`no step is ${cause}`);
  }
}

/** The fragment of the offered link. */
async function linkTo(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Share" }).click();
  const { hash } = new URL(await page.locator("dialog[open] input").inputValue());
  await page.getByRole("button", { name: "Close", exact: true }).click();
  return hash;
}

function containersIn(world: string): string {
  return /Containers\n(.*)\nImages\n/s.exec(world)?.[1] ?? world;
}
