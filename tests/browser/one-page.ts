// One page for several tests: to load a page takes longer than most of them.

import type { BrowserContextOptions, Page } from "playwright-core";
import { afterEach } from "vitest";
import type { PlaygroundBrowser, Watched } from "./chromium.js";
import { startOver } from "./visitor.js";

interface Beginning {
  /** Prepares a page that was just loaded. */
  first?: (page: Page) => Promise<void>;
  /** Prepares a page that another test has used. Each test must send something. */
  next?: (page: Page) => Promise<void>;
}

/**
 * Gives the same page to each test that asks for it, by default with a new world and one cell. After a failed test the
 * page is closed: what is left there, such as an open menu, would fail the others, too.
 */
export function onePage(
  browser: () => PlaygroundBrowser,
  options: BrowserContextOptions = {},
  { first = async () => {}, next = startOver }: Beginning = {},
): () => Promise<Watched> {
  let watched: Watched | null = null;
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    await watched?.page.context().close();
    watched = null;
  });
  return async () => {
    if (watched !== null) await next(watched.page);
    else {
      watched = await browser().open(options);
      await first(watched.page);
    }
    return watched;
  };
}
