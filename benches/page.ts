// How large is the playground's first load, and how soon can its first request be sent and answered?
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { PlaygroundBrowser } from "../tests/browser/chromium.js";
import { median, under, type Answer, type Sizes } from "./question.js";

interface Visit {
  /** Milliseconds from the start of navigation until the Send button was visible. */
  readonly sendable: number;
  /** Milliseconds until the status of the answer was visible, with Send clicked at once. */
  readonly answered: number;
  /** Bytes fetched until then. */
  readonly bytes: number;
  readonly gzip: number;
  readonly files: number;
}

export async function page({ visits }: Sizes): Promise<Answer[]> {
  const browser = await PlaygroundBrowser.start();
  const made: Visit[] = [];
  try {
    for (let i = 0; i < visits; i += 1) made.push(await visit(browser));
  } finally {
    await browser.close();
  }
  const figure = (of: (one: Visit) => number) => ({ page: median(made.map(of)) });
  const fetched = `${figure(({ files }) => files).page} files, ${Math.round(figure(({ bytes }) => bytes).page / 1000)} KB`;
  const note = `median of ${visits} first visits in Chromium, on loopback`;
  return [
    {
      question: "first load of the playground, gzip",
      unit: "KB",
      figures: figure(({ gzip }) => gzip / 1000),
      goal: under(600, "KB"),
      note: `${fetched} unpacked`,
    },
    {
      question: "playground, until the first request can be sent",
      unit: "ms",
      figures: figure(({ sendable }) => sendable),
      goal: under(2000, "ms"),
      note,
    },
    {
      question: "playground, until the first request is answered",
      unit: "ms",
      figures: figure(({ answered }) => answered),
      goal: under(2000, "ms"),
      note: `${note}, Send pressed as soon as it is there`,
    },
  ];
}

async function visit(browser: PlaygroundBrowser): Promise<Visit> {
  const { page, complaints } = await browser.blank();
  const bodies: Promise<Buffer>[] = [];
  page.on("response", (response) => void bodies.push(response.body()));
  await page.addInitScript(sendAtOnce);
  await page.goto(browser.url);
  await page.waitForFunction(() => performance.getEntriesByName("answered").length > 0);
  const fetched = await Promise.all(bodies);
  const [sendable, answered] = [await momentOf(page, "sendable"), await momentOf(page, "answered")];
  const status = (await page.locator(".cell .status-line strong").first().innerText()).trim();
  await page.context().close();
  if (!status.startsWith("2")) throw new Error(`the first request was answered ${status}`);
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
  const bytes = fetched.reduce((sum, body) => sum + body.length, 0);
  const gzip = fetched.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0);
  return { sendable, answered, bytes, gzip, files: fetched.length };
}

/** Runs in the page before everything else: clicks Send as soon as it is painted. */
function sendAtOnce(): void {
  const frame = (): Promise<number> => new Promise(requestAnimationFrame);
  const press = async (send: HTMLElement): Promise<void> => {
    await frame();
    await frame();
    performance.mark("sendable");
    send.click();
  };
  let pressed = false;
  const observer = new MutationObserver(() => {
    const send = document.querySelector<HTMLElement>(".cell button.primary");
    if (send !== null && !pressed) void press(send);
    pressed ||= send !== null;
    if (document.querySelector(".cell .status-line strong") === null) return;
    performance.mark("answered");
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** Milliseconds from the start of navigation. */
function momentOf(page: Page, mark: string): Promise<number> {
  return page.evaluate((name) => performance.getEntriesByName(name)[0]!.startTime, mark);
}
