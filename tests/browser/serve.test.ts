// The page's server, and the page without it.

import { describe, expect, onTestFinished, test } from "vitest";
import { listen, servePage } from "../../hosts/browser/serve.js";
import { PLAYGROUND, PlaygroundBrowser, reasonForNoPages, sendLast } from "./chromium.js";

const reason = reasonForNoPages();

describe("the playground's server", () => {
  test("says what to do when its port is in use", async () => {
    const server = await listen(PLAYGROUND);
    onTestFinished(() => server.close());
    const { port } = new URL(server.url);
    await expect(servePage({ directory: PLAYGROUND, args: ["--port", port] })).rejects.toThrow(
      `Port ${port} is in use, perhaps by another playground; try: npm run playground -- --port 0`,
    );
  });

  test.each(["abc", "-1", "65536", "80.5"])("refuses %s for a port", async (port) => {
    await expect(servePage({ directory: PLAYGROUND, args: [`--port=${port}`] })).rejects.toThrow("is no port");
  });

  test("is not needed once the page has been there", async ({ skip }) => {
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
    expect(complaints).toEqual([]);
  });
});
