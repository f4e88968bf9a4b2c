// A real browser with the built playground in it. Debian's Chromium, driven by playwright-core.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { listen, type PageServer } from "../../hosts/browser/serve.js";

const HEADLESS = "/usr/bin/chromium-headless-shell";
/** Both show the same pages; the one that knows no windows takes half of the processor's time. */
export const CHROMIUM = existsSync(HEADLESS) ? HEADLESS : "/usr/bin/chromium";
/** So long may anything on a page take, on a machine that is busy with other things. */
const LONGEST_MS = 100_000;
/** Where the built page is. */
export const PLAYGROUND = fileURLToPath(new URL("../../build/playground", import.meta.url));

/** Why pages cannot be tested here; null if they can. */
export function reasonForNoPages(): string | null {
  if (!existsSync(CHROMIUM)) return "there is no Chromium (Debian package chromium-headless-shell)";
  if (!existsSync(`${PLAYGROUND}/index.html`)) return "the playground is not built (npm run build)";
  return null;
}

/** What a page did that it should not have. */
export interface Watched {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught ones and breaches of the policy. */
  readonly complaints: string[];
  /** Requests to anywhere but the server of the page. */
  readonly foreign: string[];
}

export class PlaygroundBrowser {
  static async start(): Promise<PlaygroundBrowser> {
    const server = await listen(PLAYGROUND);
    // As root there is no sandbox to be had.
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];
    args.push("--disable-background-networking", "--disable-component-update");
    return new PlaygroundBrowser(server, await chromium.launch({ executablePath: CHROMIUM, args }));
  }

  private constructor(
    private readonly server: PageServer,
    private readonly browser: Browser,
  ) {}

  get url(): string {
    return this.server.url;
  }

  /**
   * A page in a profile of its own, with the first cell in it. `fragment`: a shared session. `script`: runs before any
   * of the page's own.
   */
  async open(options: BrowserContextOptions = {}, fragment = "", script = ""): Promise<Watched> {
    const watched = await this.blank(options, script);
    await watched.page.goto(this.url + fragment);
    await watched.page.waitForSelector(".cell button.primary");
    return watched;
  }

  /** A page in a profile of its own, with nothing in it yet. */
  async blank(options: BrowserContextOptions = {}, script = ""): Promise<Watched> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(LONGEST_MS);
    const page = await context.newPage();
    await page.addInitScript({ content: script });
    const [complaints, foreign]: [string[], string[]] = [[], []];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error.stack ?? error)));
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(this.url)) foreign.push(request.url());
    });
    return { page, complaints, foreign };
  }

  /** Nobody answers at `url` any more. */
  endServer(): Promise<void> {
    return this.server.close();
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.close();
  }
}

/** Sends the last cell of the notebook and waits for the head of its answer: `201 Created`. */
export async function sendLast(page: Page): Promise<string> {
  const cell = page.locator(".cell").last();
  await cell.locator("button.primary").click();
  return (await cell.locator(".answer .status-line strong").innerText()).trim();
}
