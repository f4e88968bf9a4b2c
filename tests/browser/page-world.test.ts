// The world next to the requests: its diagram, the changes that a step highlights, and the details that can be opened.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { packageCore } from "../../hosts/embedding/core.js";
import { Instance } from "../../hosts/driver/instance.js";
import { onePage } from "./one-page.js";
import { onPages } from "./on-pages.js";
import { PATIENCE, sendLine, typeLine } from "./visitor.js";

/** The changes highlighted by the step that answers a start. */
const STARTED = [
  "World: starting –started→ running",
  "World: job: running",
  "Containers: job",
  "Events: start",
  "Events: connect",
];

onPages("the world", (browser) => {
  const anew = onePage(browser);

  test("is drawn from the core's rules, and highlights what a step changed", async () => {
    const { page, complaints } = await anew();
    const arrows = await page.locator(".diagram path.arrow title").evaluateAll(texts);
    const rules = new Instance(packageCore()).rules().map(({ from, cause, to }) => `${from} –${cause}→ ${to}`);
    expect(arrows.toSorted()).toEqual(rules.toSorted());
    await page.getByLabel("Speed").selectOption("10");
    for (const name of ["other", "job"]) await sendLine(page, `docker create --name ${name} busybox sleep 1000`);
    await page.getByRole("button", { name: "Pause" }).click();
    const before = await placeOf(page, "job");
    await startStepByStep(page);
    expect(await placeOf(page, "job")).not.toBe(before);

    await page.getByRole("button", { name: "Steps", exact: true }).click();
    await lookAt(page, /POST \S+\/job\/start.*records\s+wrote container.*effects\s+mount the files of job/s);
    const starting = ["World: created –start→ starting", "World: job: starting"];
    await expect.poll(() => lit(page)).toEqual([...starting, "Containers: job", "Networks: bridge"]);
    await lookAt(page, /effects\s+launch job/);
    await expect.poll(() => lit(page)).toEqual([]);
    await lookAt(page, /launch job succeeded.*records\s+wrote container\/.*reply\s+204 to POST/s);
    await expect.poll(() => lit(page)).toEqual(STARTED);
    expect(complaints).toEqual([]);
  });

  test("shows a container's log and files, its network, and the layers that images share", async () => {
    const { page, complaints } = await anew();
    await page.getByLabel("Speed").selectOption("10");
    await sendLine(page, "docker create --name job busybox sh -c 'echo told; echo made > /tmp/note; sleep 1000'");
    await sendLine(page, "docker start job");
    await expect
      .poll(() => page.getByRole("region", { name: "Networks" }).innerText(), PATIENCE)
      .toMatch(/^bridge\s+[\d./]+\s+job$/m);
    const row = page.locator("details.thing", { hasText: "job" });
    await row.locator("summary").click();
    await expect.poll(() => row.getByLabel("Log").innerText(), PATIENCE).toMatch(/^\d\d:\d\d:\d\d told$/m);
    for (const name of ["tmp/", "note"]) await row.getByRole("button", { name, exact: true }).click();
    await expect.poll(() => row.getByLabel("/tmp/note").innerText()).toBe("made\n");

    for (const image of ["debian", "nginx"]) await sendLine(page, `docker pull ${image}`);
    const images = page.locator(".image");
    await expect.poll(() => images.count(), PATIENCE).toBe(3);
    const shared = (name: string) => images.filter({ hasText: name }).locator(".layer[data-shared=true]");
    const [debian, nginx] = [await shared("debian").innerText(), await shared("nginx").innerText()];
    expect(nginx).toMatch(/Layer [0-9a-f]{12}, shared by 2 images.*×2/s);
    expect(nginx).toBe(debian);
    expect(await images.filter({ hasText: "busybox" }).locator(".layer").innerText()).not.toContain("×");
    expect(complaints).toEqual([]);
  });
});

/** Sends a start while time stands still, and steps the world until it is answered. */
async function startStepByStep(page: Page): Promise<void> {
  const cell = await typeLine(page, "docker start job");
  await cell.getByRole("button", { name: "Send" }).click();
  const notice = page.getByRole("status").filter({ hasText: /^Time stands still/ });
  await notice.waitFor();
  // Long before it would go by itself, so that nothing lies under it.
  await page.getByRole("button", { name: "Close this message" }).click();
  expect(await notice.count()).toBe(0);
  const answers = cell.locator(".status-line strong");
  expect(await answers.count()).toBe(0);
  const forward = async (): Promise<string[]> => {
    await page.getByRole("button", { name: "Step forward" }).click();
    return answers.allInnerTexts();
  };
  await expect.poll(forward, { ...PATIENCE, interval: 200 }).toEqual(["204 No Content"]);
  await expect.poll(() => lit(page)).toEqual(STARTED);
}

/** Selects the moment of a step in the list, by its number. */
async function lookAt(page: Page, step: RegExp): Promise<void> {
  const found = page.locator(".step").filter({ hasText: step });
  expect(await found.count(), String(step)).toBe(1);
  await found.getByRole("button", { name: "Look at step" }).click();
  await page.getByText("You are looking at the past").waitFor();
}

/** The highlighted parts: the section of the page and the object's name. */
function lit(page: Page): Promise<string[]> {
  return page.locator("[data-lit=true]").evaluateAll((elements) =>
    elements.map((element) => {
      const part = element.closest("section")?.getAttribute("aria-label");
      return `${part}: ${(element.querySelector("title, strong") ?? element).textContent}`;
    }),
  );
}

/** The position of a container's token. */
async function placeOf(page: Page, name: string): Promise<string> {
  const token = page.locator(".diagram .token", { has: page.locator("title", { hasText: name }) });
  return (await token.getAttribute("style")) ?? "";
}

function texts(elements: Element[]): string[] {
  return elements.map((element) => element.textContent ?? "");
}
