// Blocks of tests on pages of one browser.

import { afterAll, beforeAll } from "vitest";
import { describeUnless } from "../support/on-engines.js";
import { PlaygroundBrowser, reasonForNoPages } from "./chromium.js";

/** One block of tests with a browser of its own, or, where there is none, one skipped test that says why. */
export function onPages(title: string, body: (browser: () => PlaygroundBrowser) => void): void {
  describeUnless(reasonForNoPages(), title, () => {
    let browser: PlaygroundBrowser | null = null;
    beforeAll(async () => {
      browser = await PlaygroundBrowser.start();
    });
    afterAll(async () => browser?.close());
    body(() => {
      if (browser === null) throw new Error("the browser is not running");
      return browser;
    });
  });
}
