// Cells: operations on a request and on its answer.

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { generate } from "../../hosts/browser/notation/generate.js";
import { LANGUAGES } from "../../hosts/browser/notation/notation.js";
import { parse } from "../../hosts/browser/notation/parse.js";
import { onePage } from "./one-page.js";
import { onPages } from "./on-pages.js";
import { PATIENCE, sendLine, statuses, typeLine } from "./visitor.js";

const CREATE = "docker create --name told alpine echo 'it was'";
const ROUTES = "core/assembly/api/routes.ts";

onPages("a cell", (browser) => {
  const anew = onePage(browser, { permissions: ["clipboard-read", "clipboard-write"] });

  test("shows which file refused the request, and offers a remedy with one click", async () => {
    const { page, complaints } = await anew();
    await page.getByLabel("Speed").selectOption("10");
    await page.locator(".cell").getByRole("button", { name: "Send" }).click();
    await sendLine(page, CREATE);
    const refused = page.locator(".cell").last();
    await refused.getByRole("tab", { name: "What happened" }).click();
    const source = await refused.locator(".explain a").getAttribute("href");
    expect(source).toBe("source/container/create/create.ts.txt");
    const [shown, ...others] = await Promise.all([source!, ...(await sources())].map((file) => fetchText(page, file)));
    expect(shown).toMatch(/^\/\/ /);
    expect(others.filter((text) => !text.startsWith("// "))).toEqual([]);
    await refused.getByRole("button", { name: "Pull alpine:latest, then send the request again" }).click();
    const helped = ["201 Created", "404 Not Found", "200 OK", "201 Created"];
    await expect.poll(() => statuses(page), PATIENCE).toEqual(helped);
    // No other request of the remedy comes before it.
    await sendLine(page, "docker ps");
    expect(await statuses(page)).toEqual([...helped, "200 OK"]);
    expect(complaints).toEqual([]);
  });

  test("has the same request in its fields, in its line, and in every copied language", async () => {
    const { page, complaints } = await anew();
    const cell = await typeLine(page, "GET /v1.41/containers/json");
    await cell.locator("summary", { hasText: "Parameters" }).click();
    const target = cell.getByLabel("Path and query");
    const all = cell.locator("label", { has: page.getByText("all", { exact: true }) }).locator("select");
    await all.selectOption("true");
    expect(await target.inputValue()).toBe("/v1.41/containers/json?all=true");
    await all.selectOption("");
    expect(await target.inputValue()).toBe("/v1.41/containers/json");
    await target.fill("/v1.41/containers/json?all=false");
    expect(await all.inputValue()).toBe("false");

    await sendLine(page, CREATE);
    const parsed = parse(CREATE, "1.41");
    if (!parsed.ok) throw new Error(parsed.message);
    const created = page.locator(".cell").last();
    await created.getByRole("tab", { name: "As code" }).click();
    for (const { language, label } of LANGUAGES) {
      await created.getByRole("tab", { name: label, exact: true }).click();
      const text = generate(parsed.requests[0]!, language);
      expect(await created.getByRole("group", { name: "Code" }).textContent(), label).toBe(text);
      await page.evaluate(() => navigator.clipboard.writeText(""));
      await created.getByRole("button", { name: /^Cop(y|ied)$/ }).click();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), { message: label }).toBe(text);
    }
    expect(complaints).toEqual([]);
  });

  test("keeps its earlier answers, and can be inserted before another one in the past", async () => {
    const { page, complaints } = await anew();
    await page.getByLabel("Speed").selectOption("10");
    await sendLine(page, "docker start hello");
    const [create, start] = [page.getByLabel("Request 1", { exact: true }), page.locator(".cell").last()];
    await create.getByRole("button", { name: "Send" }).click();
    await create.locator(".status-line strong").waitFor();
    await start.getByRole("button", { name: "Send" }).click();
    const answers = start.locator(".earlier select");
    await expect.poll(() => answers.locator("option").allInnerTexts()).toEqual(["1 of 2", "2 of 2"]);
    await expect.poll(() => statuses(page), PATIENCE).toEqual(["201 Created", "204 No Content"]);
    await answers.selectOption({ label: "1 of 2" });
    expect(await statuses(page)).toEqual(["201 Created", "404 Not Found"]);

    await create.getByRole("button", { name: "More for request 1" }).click();
    await expect
      .poll(() => page.locator(".menu:popover-open .menu-title").innerText())
      .toMatch(/^Replay everything, with this request sent/);
    await page.locator(".menu:popover-open button", { hasText: /^1\. POST .*hello\/start$/ }).click();
    await page.getByText("The past was replayed with this request in it.").waitFor();
    await answers.selectOption({ label: "1 of 2" });
    await expect.poll(() => start.locator(".status-line strong").innerText(), PATIENCE).toBe("204 No Content");
    expect(complaints).toEqual([]);
  });
});

/** Every file that a route or a rule names. */
async function sources(): Promise<string[]> {
  const named = (await readFile(ROUTES, "utf8")).matchAll(/"((?:[\w-]+\/)+[\w-]+\.ts)"/g);
  const files = new Set(["container/lifecycle.ts", ...Array.from(named, (match) => match[1]!)]);
  expect(files.size).toBeGreaterThan(30);
  return Array.from(files, (file) => `source/${file}.txt`);
}

/** A file next to the page. */
function fetchText(page: Page, file: string): Promise<string> {
  return page.evaluate(async (path) => {
    const answer = await fetch(path);
    return answer.ok ? answer.text() : `${answer.status} for ${path}`;
  }, file);
}
