// Test blocks on pages of one browser.

import type { RequestListener } from "node:http";
import { afterAll, beforeAll } from "vitest";
import { describeUnless } from "../support/on-engines.js";
import { PlaygroundBrowser, reasonForNoPages } from "./chromium.js";

/**
 * A test block with its own browser, or, without a browser, one skipped test with the reason. `answer`: request
 * listener of another server than the page's.
 */
export function onPages(
  title: string,
  body: (browser: () => PlaygroundBrowser) => void,
  answer?: RequestListener,
): void {
  describeUnless(reasonForNoPages(), title, () => {
    let browser: PlaygroundBrowser | null = null;
    beforeAll(async () => {
      browser = await PlaygroundBrowser.start(answer);
    });
    afterAll(async () => browser?.close());
    body(() => {
      if (browser === null) throw new Error("the browser is not running");
      return browser;
    });
  });
}
