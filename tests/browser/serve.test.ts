// The page's server, and the page without it.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, servePage } from "../../hosts/browser/serve.js";
import { until } from "../support/commands.js";
import { ROOT } from "../support/engines.js";
import { PLAYGROUND, PlaygroundBrowser, reasonForNoPages, sendLast } from "./chromium.js";
import { PATIENCE } from "./visitor.js";

/** It first builds what is out of date. */
const BUILDING = { timeoutMs: 100_000 };

const reason = reasonForNoPages();

describe("the playground's server", () => {
  test("says what to do when its port is in use", async () => {
    const server = await listen(PLAYGROUND);
    onTestFinished(() => server.close());
    const { port } = new URL(server.url);
    await expect(servePage({ directory: PLAYGROUND, args: ["--port", port] })).rejects.toThrow(
      `Another program, perhaps another playground, uses port ${port}; try: npm run playground -- --port 0`,
    );
  });

  test("runs at the end of `npm run playground` until it is stopped", async ({ skip }) => {
    if (!existsSync(join(PLAYGROUND, "index.html"))) return skip("the playground is not built (npm run build)");
    const child = spawn(process.execPath, [join(ROOT, "hosts/node/setup.mjs"), "playground", "--port", "0"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(signal ?? code)));
    let told = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (told += text.toString()));
    const url = () => /^The playground is at (\S+) /m.exec(told)?.[1];
    await until("the playground's address", () => url() !== undefined || child.exitCode !== null, BUILDING);
    const page = await fetch(url() ?? expect.fail(told));
    expect([page.status, await page.text()]).toEqual([200, readFileSync(join(PLAYGROUND, "index.html"), "utf8")]);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    await expect(fetch(url()!)).rejects.toThrow("fetch failed");
  });

  test.each(["abc", "-1", "65536", "80.5"])("refuses %s as a port", async (port) => {
    await expect(servePage({ directory: PLAYGROUND, args: [`--port=${port}`] })).rejects.toThrow("is not a port");
  });

  test("is not needed after the first visit of the page", async ({ skip }) => {
    if (reason !== null) return skip(reason);
    const browser = await PlaygroundBrowser.start();
    onTestFinished(() => browser.close());
    const { page, complaints } = await browser.open();
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await browser.endServer();
    for (const path of ["", "index.html", "?from=elsewhere"]) {
      await page.goto(browser.url + path);
      expect(await sendLast(page), path).toBe("201 Created");
    }
    // Neither a version's reference nor the body editor was loaded before.
    const groups = page.getByLabel("Endpoint").locator("optgroup");
    const names = () => groups.evaluateAll((all) => all.map((group) => (group as HTMLOptGroupElement).label));
    await expect.poll(names, PATIENCE).toContain("Distribution");
    await page.getByLabel("API version").selectOption("1.25");
    await expect.poll(names, PATIENCE).not.toContain("Distribution");
    await page.locator(".body-editor textarea").first().focus();
    await page.locator(".body-editor .cm-editor.cm-focused").waitFor();
    const [type, source] = await page.evaluate(async () => {
      const answer = await fetch("source/exec/create.ts.txt");
      return [answer.headers.get("content-type"), await answer.text()];
    });
    expect(type).toMatch(/^text\/plain;charset=utf-8$/i);
    expect(source).toBe(readFileSync(join(ROOT, "core/assembly/exec/create.ts"), "utf8"));
    expect(complaints).toEqual([]);
  });
});
