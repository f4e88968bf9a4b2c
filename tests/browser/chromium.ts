// A real browser with the built playground: Debian's Chromium, driven by playwright-core.

import { existsSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { answersFrom } from "../../hosts/browser/serve.js";
import { countUnwaited } from "../support/lending/cost.js";
import { commandLineOf, descendantsOf } from "../support/processes.js";
import { OwnNetwork, reasonForNoOwnNetwork } from "./own-network.js";

const HEADLESS = "/usr/bin/chromium-headless-shell";
/** Both show the same pages; the headless shell needs half the processor time. */
export const CHROMIUM = existsSync(HEADLESS) ? HEADLESS : "/usr/bin/chromium";
/** Time limit for anything on a page, on a busy machine. */
const LONGEST_MS = 100_000;
/** Directory of the built page. */
export const PLAYGROUND = fileURLToPath(new URL("../../build/playground", import.meta.url));

/** Why pages cannot be tested here; null if they can. */
export function reasonForNoPages(): string | null {
  if (!existsSync(CHROMIUM)) return "there is no Chromium (Debian package chromium-headless-shell)";
  if (!existsSync(`${PLAYGROUND}/index.html`)) return "the playground is not built (npm run build)";
  return null;
}

/** A page, and its unwanted behaviour. */
export interface Watched {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors and breaches of the policy. */
  readonly complaints: string[];
  /** Requests to any server other than the page's. */
  readonly foreign: string[];
}

export class PlaygroundBrowser {
  /** `answer`: the request listener of the page's server. */
  static async start(answer = answersFrom(PLAYGROUND)): Promise<PlaygroundBrowser> {
    const network = reasonForNoOwnNetwork() === null ? await OwnNetwork.open() : null;
    const server = await serving(answer, network);
    // The sandbox does not work for root.
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];
    args.push("--disable-background-networking", "--disable-component-update");
    // Most functions of a page run too short for V8's optimizing compiler, and threads that collect garbage at once mostly
    // wait for one another: two files of pages took 20 s of processors instead of 22.
    args.push("--js-flags=--interrupt-budget=600000 --single-threaded-gc");
    const executablePath = network === null ? CHROMIUM : await network.running(CHROMIUM);
    const { port } = server.address() as AddressInfo;
    const browser = await chromium.launch({ executablePath, args });
    return new PlaygroundBrowser(`http://127.0.0.1:${port}/`, server, browser, network);
  }

  private constructor(
    /** Where the browser finds the page. If the browser has its own network, only the browser does. */
    readonly url: string,
    private readonly server: Server,
    private readonly browser: Browser,
    private readonly network: OwnNetwork | null,
  ) {}

  /**
   * A page in a new profile, with the first cell. `fragment`: a shared session. `script`: runs before the page's own
   * scripts.
   */
  async open(options: BrowserContextOptions = {}, fragment = "", script = ""): Promise<Watched> {
    const watched = await this.blank(options, script);
    await watched.page.goto(this.url + fragment);
    await begun(watched.page);
    return watched;
  }

  /** A page in a new profile, still empty. */
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

  /** From now on nothing answers at `url`. */
  async endServer(): Promise<void> {
    const ended = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await ended;
  }

  async close(): Promise<void> {
    // With several browsers at a time, the first to close would count the others, too.
    countUnwaited(descendantsOf(process.pid).filter(isChildOfChromium));
    await this.browser.close();
    await this.endServer();
    await this.network?.close();
  }
}

/** Chromium does not wait for them. Its first process has no type. */
function isChildOfChromium(pid: number): boolean {
  return commandLineOf(pid).includes(" --type=");
}

async function serving(answer: RequestListener, network: OwnNetwork | null): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (network === null) server.listen(0, "127.0.0.1", resolve);
    else server.listen(network.listening, resolve);
  });
  return server;
}

/** Waits until the page can be used; reports at once what prevents it. */
async function begun(page: Page): Promise<void> {
  const cannot = page.locator("#app > [role=alert]");
  await page.locator(".cell button.primary").or(cannot).first().waitFor();
  if ((await cannot.count()) > 0) throw new Error(await cannot.innerText());
}

/** Sends the last cell of the notebook and waits for the head of its answer: `201 Created`. */
export async function sendLast(page: Page): Promise<string> {
  const cell = page.locator(".cell").last();
  await cell.locator("button.primary").click();
  return (await cell.locator(".answer .status-line strong").innerText()).trim();
}
