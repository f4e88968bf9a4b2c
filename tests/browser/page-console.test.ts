// The console of the page: endpoints of the chosen version, and what stands under an answer.

import { expect, test } from "vitest";
import { sendLast } from "./chromium.js";
import { onPages } from "./on-pages.js";
import { PATIENCE, sendLine } from "./visitor.js";

onPages("the console", (browser) => {
  test("has the endpoints of the chosen version, and begins a request for one of them at it", async () => {
    const { page, complaints } = await browser().open();
    const groups = () => page.getByLabel("Endpoint").locator("optgroup").evaluateAll(labels);
    await expect.poll(groups, PATIENCE).toContain("Distribution");
    await page.getByLabel("API version").selectOption("1.25");
    await expect.poll(groups, PATIENCE).not.toContain("Distribution");
    expect(await groups()).toEqual(expect.arrayContaining(["Containers", "Images", "Networks", "Volumes", "System"]));
    await page.getByLabel("Endpoint").selectOption("GET /images/json");
    await expect.poll(() => page.locator(".cell").count()).toBe(2);
    expect(await page.getByLabel("Path and query").last().inputValue()).toBe("/v1.25/images/json");
    expect(await sendLast(page)).toBe("200 OK");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("tells what a request would do, until it is edited", async () => {
    const { page, complaints } = await browser().open();
    const told = page.locator(".cell").first().getByRole("list", { name: "What it would do" });
    await page.getByRole("button", { name: "Dry run" }).click();
    await expect
      .poll(() => told.allInnerTexts(), PATIENCE)
      .toEqual([expect.stringContaining("event container create")]);
    expect(await page.locator(".planned").first().innerText()).toContain("201 Created. Nothing was done.");
    expect(await page.getByLabel("Containers", { exact: true }).innerText()).toContain("None yet.");
    await page.getByLabel("Path and query").fill("/v1.41/containers/nobody");
    await expect.poll(() => told.count()).toBe(0);
    await page.getByLabel("Method", { exact: true }).selectOption("DELETE");
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.locator(".planned", { hasText: "404 Not Found" }).waitFor();
    await page.getByLabel("Method", { exact: true }).selectOption("GET");
    expect(await page.getByRole("button", { name: "Dry run" }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("shows frames byte by byte, and how other versions answer", async () => {
    const { page, complaints } = await browser().open();
    await page.getByLabel("Speed").selectOption("10");
    for (const line of ["docker create --name told busybox sh -c 'echo out; echo bad >&2'", "docker start told"]) {
      await sendLine(page, line);
    }
    await sendLine(page, "docker wait told");
    await sendLine(page, "docker logs told");
    const cell = page.locator(".cell").last();
    await cell.getByRole("button", { name: "Show the bytes" }).click();
    expect(await cell.innerText()).toMatch(/01\s+stdout.*00 00 00 04.*02\s+stderr/s);
    await sendLine(page, "curl http://localhost/v1.43/images/json");
    await page.locator(".cell").last().getByRole("tab", { name: "Other versions" }).click();
    const versions = () => page.locator(".cell").last().locator(".lens").allInnerTexts();
    await expect.poll(versions, PATIENCE).toEqual([expect.stringMatching(/^1\.24.*1\.44.*VirtualSize.*1\.55/s)]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

function labels(groups: Element[]): string[] {
  return groups.map((group) => (group as HTMLOptGroupElement).label);
}
