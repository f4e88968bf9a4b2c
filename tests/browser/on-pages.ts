// Blocks of tests on pages of one browser.

import type { RequestListener } from "node:http";
import { afterAll, beforeAll } from "vitest";
import { describeUnless } from "../support/on-engines.js";
import { PlaygroundBrowser, reasonForNoPages } from "./chromium.js";

/**
 * One block of tests with a browser of its own, or, where there is none, one skipped test that says why. `answer`: of a
 * server other than the page's own.
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
