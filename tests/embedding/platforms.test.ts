// The same program gives the same result on every platform that the package supports.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { CHROMIUM } from "../browser/chromium.js";
import { PackedPackage, ROOT } from "./packed-package.js";

const PLATFORMS = join(ROOT, "tests/embedding/platforms");
// Root needs --no-sandbox; the other flags keep the browser from sending requests of its own.
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]; // prettier-ignore

const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>`;

let packed: PackedPackage;
let onNode: string[];

beforeAll(() => {
  packed = new PackedPackage();
  const outfile = join(packed.directory, "main.mjs");
  buildSync({ entryPoints: [join(PLATFORMS, "main.ts")], outfile, bundle: true, format: "esm", external: ["coracle-engine"] }); // prettier-ignore
  onNode = linesOf(packed.run(process.execPath, ["main.mjs"]));
});
afterAll(() => packed?.remove());

test("Node: everything works, and twice the same", () => {
  const statuses = onNode.map((line) => /^(?:[A-Z]+|connect) (\S+) (\d+)/.exec(line)?.slice(1).join(" "));
  expect(statuses.filter((status) => status !== undefined)).toEqual([
    "/containers/create?name=web 201",
    "/containers/web/attach?stream=1&stdin=1&stdout=1&stderr=1 101",
    "/containers/web/start 204",
    "/containers/web/wait 200",
    "/containers/web/logs?stdout=1&stderr=1&timestamps=1 200",
    "/containers/web/json 200",
    "/containers/create?name=writer 201",
    "/containers/writer/start 204",
    "/commit?container=writer&repo=kept&tag=1 201",
    "/images/json 200",
    "/images/create?fromImage=registry.example/team/app&tag=1 401",
    "/images/create?fromImage=registry.example/team/app&tag=1 200",
    "/containers/create?name=sleeper 201",
    "/containers/sleeper/start 204",
    "/containers/sleeper/attach?stream=1&stdin=1&stdout=1 101",
    "/containers/sleeper/json 200",
    "/containers/json?all=1 200",
    expect.stringMatching(/^\/events\S+ 200$/),
    "/v1.30/info 200",
    "/containers/create 404",
    "/images/load 200",
    "/images/load 200",
  ]);
  expect(onNode.find((line) => line.startsWith("attached"))).toContain("typed by a program");
  expect(onNode.find((line) => line.includes("/web/wait"))).toContain('"StatusCode":4');
  expect(onNode).toContain("left taken taken lost lost 0");
  expect(onNode.find((line) => line.includes("the disk is gone"))).toContain("errorDetail");
  expect(onNode).toContain("crashed down TypeError");
  expect(onNode.find((line) => line.includes("/sleeper/json"))).toContain('"Status":"exited"');
  expect(onNode.at(-1)).toMatch(/^[0-9a-f]{64}$/);
  expect(linesOf(packed.run(process.execPath, ["main.mjs"]))).toEqual(onNode);
});

test("Deno", () => {
  const env = { ...process.env, DENO_DIR: join(packed.directory, "deno"), DENO_NO_UPDATE_CHECK: "1" };
  const deno = join(ROOT, "node_modules/.bin/deno");
  expect(linesOf(packed.run(deno, ["run", "--no-remote", "--allow-read", "main.mjs"], env))).toEqual(onNode);
});

test("Bun", () => {
  const home = join(ROOT, "node_modules/bun");
  const bun = join(home, "bin/bun.exe");
  // Newer releases of npm run no scripts of packages: until its own script has run, the program is a placeholder text.
  if (statSync(bun).size < 2 ** 20) execFileSync(process.execPath, ["install.js"], { cwd: home });
  expect(linesOf(packed.run(bun, ["run", "main.mjs"]))).toEqual(onNode);
});

test("Chromium, bundled by esbuild without configuration", async ({ skip }) => {
  skip(!existsSync(CHROMIUM), `${CHROMIUM} is not installed`);
  const page = await openPage(await served({ "/page.js": bundled("page", ["--format=esm"]) }));
  await page.waitForFunction(() => "told" in globalThis);
  const told = await page.evaluate(() => (globalThis as unknown as { told: Promise<string[]> }).told);
  expect(told).toEqual(onNode);
});

test("a worker in Chromium, minified to a classic script", async ({ skip }) => {
  skip(!existsSync(CHROMIUM), `${CHROMIUM} is not installed`);
  const page = await openPage(await served({ "/worker.js": bundled("worker", ["--format=iife", "--minify"]) }));
  const told = await page.evaluate(() => {
    const worker = new Worker("/worker.js");
    return new Promise<unknown>((resolve, reject) => {
      worker.addEventListener("message", ({ data }) => resolve(data));
      worker.addEventListener("error", ({ message }) => reject(new Error(message)));
    });
  });
  expect(told).toEqual(onNode);
});

/** The output of esbuild's command line for a program, configured only by these flags. */
function bundled(name: string, flags: readonly string[]): string {
  const entryPoints = [join(PLATFORMS, `${name}.ts`), join(PLATFORMS, "story.ts")];
  buildSync({ entryPoints, outdir: packed.directory, format: "esm" });
  const esbuild = join(ROOT, "node_modules/esbuild/bin/esbuild");
  return packed.run(esbuild, [`${name}.js`, "--bundle", "--log-level=warning", ...flags]);
}

function linesOf(printed: string): string[] {
  return printed
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as string);
}

/** Serves a page, which runs `/page.js` if that is one of the scripts. Returns its URL. */
async function served(scripts: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const script = scripts[url];
    response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript");
    response.end(script ?? (url === "/" ? PAGE : ""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function openPage(url: string) {
  const profile = mkdtempSync(join(tmpdir(), "coracle-chromium-"));
  const options = { executablePath: CHROMIUM, headless: true, args: FLAGS };
  const browser = await chromium.launchPersistentContext(profile, options);
  onTestFinished(async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  });
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(url);
  return page;
}
