// The console of the page: endpoints of the chosen version, and the details below an answer.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sendLast } from "./chromium.js";
import { onePage } from "./one-page.js";
import { onPages } from "./on-pages.js";
import { PATIENCE, sendLine, statuses } from "./visitor.js";

onPages("the console", (browser) => {
  const anew = onePage(browser);

  test("has the endpoints of the chosen version, and drafts a request in that version", async () => {
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

  test("shows what a request would do, until it is edited", async () => {
    const { page, complaints } = await anew();
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
  });

  test("shows frames byte by byte, and how other versions answer", async () => {
    const { page, complaints } = await anew();
    await page.getByLabel("Speed").selectOption("10");
    for (const line of ["docker create --name told busybox sh -c 'echo out; echo bad >&2'", "docker start told"]) {
      await sendLine(page, line);
    }
    await sendLine(page, "docker wait told");
    await enter(page, "docker logs told");
    const cell = page.locator(".cell").last();
    await cell.getByRole("button", { name: "Show the bytes" }).click();
    expect(await cell.innerText()).toMatch(/01\s+stdout.*00 00 00 04.*02\s+stderr/s);
    await sendLine(page, "curl http://localhost/v1.43/images/json");
    await page.locator(".cell").last().getByRole("tab", { name: "Other versions" }).click();
    const versions = () => page.locator(".cell").last().locator(".lens").allInnerTexts();
    await expect.poll(versions, PATIENCE).toEqual([expect.stringMatching(/^1\.24.*1\.44.*VirtualSize.*1\.55/s)]);
    expect(complaints).toEqual([]);
  });

  test("completes with Tab and goes through earlier lines with the arrows", async () => {
    const { page, complaints } = await browser().open();
    const line = page.getByRole("textbox", { name: "curl line" });
    await line.focus();
    for (const [typed, completed] of [
      ["dock", "docker "],
      ["cre", "docker create "],
      ["--ent", "docker create --entrypoint "],
      ["true bus", "docker create --entrypoint true busybox "],
    ]) {
      await page.keyboard.type(typed!);
      await page.keyboard.press("Tab");
      await expect.poll(() => line.inputValue(), PATIENCE).toBe(completed);
    }
    await line.fill("docker st");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.getByLabel("Could be").innerText(), PATIENCE).toMatch(/start +stats +stop/);
    await line.fill("");
    await page.keyboard.press("Tab");
    expect(await page.getByRole("button", { name: "Add" }).evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
    for (const one of ["docker help run", "docker help exec"]) {
      await enter(page, one);
      await expect.poll(() => line.inputValue(), PATIENCE).toBe("");
    }
    await page.keyboard.type("docker p");
    for (const [key, shown] of [
      ["ArrowUp", "docker help exec"],
      ["ArrowUp", "docker help run"],
      ["ArrowUp", "docker help run"],
      ["ArrowDown", "docker help exec"],
      ["ArrowDown", "docker p"],
    ]) {
      await page.keyboard.press(key!);
      await expect.poll(() => line.inputValue(), PATIENCE).toBe(shown);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("runs several commands as a shell does, and suggests a known one for an unknown one", async () => {
    const { page, complaints } = await anew();
    await page.getByLabel("Speed").selectOption("10");
    await enter(page, "docker run -d --name job busybox sleep 1000 && docker rm -f $(docker ps -q)");
    await expect
      .poll(() => statuses(page), PATIENCE)
      .toEqual([
        expect.stringContaining("201"),
        expect.stringContaining("204"),
        expect.stringContaining("200"),
        expect.stringContaining("204"),
      ]);
    await enter(page, "docker help stop");
    await expect.poll(() => page.getByLabel("Printed").innerText(), PATIENCE).toContain("--timeout");
    await enter(page, "docker images | grep -c busybox");
    await expect.poll(() => page.getByLabel("Printed").innerText(), PATIENCE).toBe("1");
    await enter(page, "docker create --name still busybox && docker attach still; echo after");
    await expect.poll(() => page.getByLabel("Printed").innerText(), PATIENCE).toBe("after");
    expect(await page.locator("#typed-line-problem").innerText()).toContain("docker start -a starts it");
    await enter(page, "docker rnu busybox");
    await expect.poll(() => page.locator("#typed-line-problem").innerText(), PATIENCE).toContain("did you mean run?");
    expect(complaints).toEqual([]);
  });

  test("streams output through a pipe until Ctrl-C", async () => {
    const { page, complaints } = await anew();
    await page.getByLabel("Speed").selectOption("10");
    await enter(page, "docker run -d --name talk busybox sh -c 'while sleep 1; do echo tick; echo tock; done'");
    await expect.poll(async () => (await statuses(page)).length, PATIENCE).toBe(2);
    const printed = page.getByLabel("Printed");
    await enter(page, "docker logs -f talk | grep tick | tr a-z A-Z; echo after");
    await expect.poll(() => printed.innerText(), PATIENCE).toContain("TICK\nTICK");
    await page.getByRole("textbox", { name: "curl line" }).press("Control+c");
    await enter(page, "echo $?");
    await expect.poll(() => printed.innerText(), PATIENCE).toBe("130");
    expect(complaints).toEqual([]);
  });
});

/** Types a line that gives several requests, which are sent at once. */
async function enter(page: Page, line: string): Promise<void> {
  await page.getByRole("textbox", { name: "curl line" }).fill(line);
  await page.keyboard.press("Enter");
}

function labels(groups: Element[]): string[] {
  return groups.map((group) => (group as HTMLOptGroupElement).label);
}
