// Traces of daemons, opened in the playground: the history of a production engine, viewed in a browser.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must } from "../support/commands.js";
import { EngineClient } from "../support/engine-client.js";
import { CORACLE, engines, startWithBusybox, type Engine } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { PlaygroundBrowser, reasonForNoPages } from "./chromium.js";
import { onePage } from "./one-page.js";
import { PATIENCE } from "./visitor.js";

for (const engine of engines().filter(({ kind }) => kind !== "reference")) {
  const title = `a trace that a daemon recorded, ${engine.kind}`;
  describeUnless(engine.missing ?? reasonForNoPages(), title, () => openedTraces(engine));
}

function openedTraces(engine: Engine): void {
  let directory = "";
  let browser: PlaygroundBrowser;
  const [file, shared] = [() => join(directory, "trace.ndjson"), () => join(directory, "shared.ndjson")];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "coracle-page-trace-"));
    browser = await PlaygroundBrowser.start();
    const daemon = await startWithBusybox(engine);
    try {
      const client = new EngineClient(daemon.socketPath);
      const id = await client.running({ Env: ["SECRET=of-the-env"], Labels: { mine: "of-the-label" } }, "?name=web");
      await client.must(204, "POST", `/containers/${id}/kill`);
      await client.wait(id);
      await client.must(409, "POST", "/containers/create?name=web", { Image: "busybox" });
      await client.must(204, "DELETE", `/containers/${id}`);
      const host = ["-H", `unix://${daemon.socketPath}`];
      await must([...CORACLE, "trace", "save", ...host, file()]);
      await must([...CORACLE, "trace", "save", "--share", ...host, shared()]);
    } finally {
      await daemon.close();
    }
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true });
  });

  const anew = onePage(() => browser);

  async function choose(page: Page, path: string): Promise<void> {
    await page.getByLabel("Trace file").setInputFiles(path);
    await page.getByText("This is a recording").waitFor(PATIENCE);
  }

  test("can be scrubbed through, with the world of each moment", async () => {
    const { page, complaints, foreign } = await anew();
    await choose(page, file());
    const bar = await page.locator(".past").innerText();
    expect(bar).toContain("trace.ndjson");
    expect(bar).toContain("Every step matches the recording.");
    expect(bar).toContain("you can look at any moment, but you cannot continue from it");
    expect(await page.getByLabel("Events", { exact: true }).innerText()).toMatch(/container\s+destroy\s+web/);
    const seen = await lookBack(page);
    expect(seen.worlds).toContain("None yet");
    for (const status of ["created", "running", "releasing"]) expect(seen.worlds).toMatch(new RegExp(`web.*${status}`));
    expect(seen.requests.some((text) => /POST \/v1.41\/containers\/create\?name=web\s+.*of-the-env/.test(text))).toBe(
      true,
    );
    expect(seen.requests.some((text) => text.includes("409 Conflict"))).toBe(true);
    // Controls that need a world are not offered.
    for (const name of ["Break it", "Share", "Continue from here"]) {
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
    }
    await page.getByRole("button", { name: "Close the recording" }).click();
    await page.locator(".cell button.primary").waitFor();
    expect(await page.getByText("This is a recording").count()).toBe(0);
    expect([complaints, foreign]).toEqual([[], []]);
  });

  test("shows what happened for its requests", async () => {
    const { page } = await anew();
    await choose(page, file());
    const back = page.getByRole("button", { name: "Step back" });
    const cell = page.getByLabel("Recorded request");
    await expect
      .poll(async () => {
        await back.click();
        return (await cell.count()) > 0 && (await cell.innerText()).includes("409 Conflict");
      }, PATIENCE)
      .toBe(true);
    await cell.getByRole("tab", { name: "What happened" }).click();
    const told = await cell.locator(".explain").innerText();
    expect(told).toContain("POST /containers/create");
    expect(told).toContain("conflict (409)");
    expect(await cell.getByRole("tab", { name: "Other versions" }).count()).toBe(0);
  });

  test("that was shared is shown without the values", async () => {
    const { page, complaints } = await anew();
    await choose(page, shared());
    expect(await page.locator(".past").innerText()).toContain("nothing can be verified");
    const seen = await lookBack(page);
    expect(seen.worlds).toMatch(/web.*running/);
    expect(seen.requests.some((text) => text.includes("SECRET=xxxxxxxxxx"))).toBe(true);
    expect(await page.content()).not.toContain("of-the-");
    expect(complaints).toEqual([]);
  });

  test("can be dropped onto the page; any other file is refused", async () => {
    const { page } = await anew();
    await drop(page, "trace.ndjson", readFileSync(file(), "utf8"));
    await page.getByText("This is a recording").waitFor(PATIENCE);
    await drop(page, "notes.txt", "hello\n");
    await page.getByText("not JSON: the trace is damaged or cut short").waitFor(PATIENCE);
    expect(await page.locator(".past").innerText()).toContain("trace.ndjson");
  });
}

/** Steps back to the beginning. Returns everything that the world and the requests' column showed. */
async function lookBack(page: Page): Promise<{ worlds: string; requests: string[] }> {
  const back = page.getByRole("button", { name: "Step back" });
  const [worlds, requests]: [string[], string[]] = [[], []];
  for (;;) {
    worlds.push((await page.getByLabel("Containers", { exact: true }).innerText()).replaceAll("\n", " "));
    requests.push(await page.locator(".notebook-inner").innerText());
    if (await back.isDisabled()) return { worlds: worlds.join("\n"), requests };
    await back.click();
  }
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(
    ({ name, text }) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      document.querySelector(".page")!.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    },
    { name, text },
  );
}
