// What the page says when one of its files cannot be fetched, and that a reload then works.

import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { sendLast } from "./chromium.js";
import { FaultyServer, type Failure } from "./faulty-server.js";
import { onPages } from "./on-pages.js";
import { sendLine } from "./visitor.js";

const CORE = /\/core\/core\.core-\w+\.wasm$/;
const SCRIPT = /\/main\.js$/;
const CANNOT = "The playground cannot start: ";
const REMEDY = ". Reload the page to try again. Reload";

const server = new FaultyServer();

onPages(
  "a page whose files are not all there",
  (browser) => {
    beforeEach(() => server.mend());

    test.each<[Failure, string]>([
      [404, "the server answered 404 to the request for core/"],
      [500, "the server answered 500 to the request for core/"],
      ["cut", "the server did not answer the request for core/"],
      ["broken off", "the answer to the request for core/"],
    ])("says that the core cannot be fetched: %s", async (failure, told) => {
      server.fail(CORE, failure);
      const { page } = await browser().blank();
      await page.goto(browser().url);
      expect(await alert(page)).toContain(CANNOT + told);
      expect(await alert(page)).toContain(REMEDY);
      await beginsOnReload(page);
    });

    test.each<Failure>([404, 500, "cut"])("says that its script cannot be fetched: %s", async (failure) => {
      server.fail(SCRIPT, failure);
      const { page } = await browser().blank();
      await page.goto(browser().url);
      expect(await alert(page)).toBe(`${CANNOT}its script could not be fetched${REMEDY}`);
      await beginsOnReload(page);
    });

    test("starts even if one request for the core fails", async () => {
      server.fail(CORE, 500, 1);
      const { page } = await browser().open();
      expect(await sendLast(page)).toBe("201 Created");
      await page.context().close();
    });

    test("says that its styles are missing, and starts", async () => {
      server.fail(/\/style\/main\.css$/, 500);
      const { page } = await browser().open();
      expect(await alert(page)).toBe(`Its styles are missing${REMEDY}`);
      expect(await sendLast(page)).toBe("201 Created");
      await beginsOnReload(page);
    });

    test("says that it cannot be stored, and works", async () => {
      server.fail(/\/service-worker\.js$/, 404);
      const { page } = await browser().open();
      await page.getByText("without a network this page will not open again").waitFor();
      expect(await sendLast(page)).toBe("201 Created");
      await page.context().close();
    });

    test("shows a terminal's output without an emulator", async () => {
      server.fail(/\/chunks\/emulator-\w+\.js$/, 404);
      const { page } = await browser().open();
      await page.getByLabel("Speed").selectOption("10");
      await sendLine(page, "docker create -t --name told busybox echo it was");
      await sendLine(page, "docker start told");
      await sendLine(page, "docker wait told");
      await sendLine(page, "curl http://localhost/v1.41/containers/told/logs?stdout=1");
      const answer = page.locator(".cell").last();
      await answer.getByText("The terminal could not be loaded").waitFor();
      expect(await answer.getByRole("log").innerText()).toContain("it was");
      await page.context().close();
    });
  },
  server.answer,
);

function alert(page: Page): Promise<string> {
  return page.getByRole("alert").innerText();
}

/** After the server is repaired. */
async function beginsOnReload(page: Page): Promise<void> {
  server.mend();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.waitForSelector(".cell button.primary");
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await sendLast(page)).toBe("201 Created");
  await page.context().close();
}
