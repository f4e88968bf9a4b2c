// Builds the playground as static files that work from any path: the page, the core, and the API reference of each
// version.

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { fetchedCore, writeCore } from "./core-files.js";
import { laidOutDiagram } from "./diagram.js";
import { versionAlone } from "./version-alone.js";
import { allReferences } from "./reference/node-references.js";
import { NEWEST_VERSION } from "./session/versions.js";

/** All of the core's sources in one file. */
const SOURCES = "sources.json";

export interface BuildPageOptions {
  /** Path of the repository. */
  root: string;
  /** Minified if true; otherwise with names and source maps. */
  release: boolean;
  /** Output directory; `build/playground` if not given. */
  outDir?: string;
}

/** Bytes that the first load fetches. */
export interface PageWeight {
  bytes: number;
  gzip: number;
}

/**
 * Builds in a second directory that replaces the old one when it is complete, so that a failed build leaves nothing.
 */
export async function buildPage({ root, release, outDir = "build/playground" }: BuildPageOptions): Promise<PageWeight> {
  const target = join(root, outDir);
  const fresh = `${target}.${process.pid}.part`;
  await mkdir(fresh, { recursive: true });
  try {
    const weight = await writePage(root, fresh, release);
    await rm(target, { recursive: true, force: true });
    await rename(fresh, target);
    return weight;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function writePage(root: string, target: string, release: boolean): Promise<PageWeight> {
  const source = join(root, "hosts/browser");
  const described = await writeReferences(root, target);
  const core = await writeCore(root, target);
  const metafile = await bundle({ root, source, target, release, described, core });
  const first = [...firstLoad(metafile, target), ...Object.values(core)];
  await writeHtml(source, target, first);
  await copyFile(join(source, "icon.svg"), join(target, "icon.svg"));
  await copySources(join(root, "core/assembly"), target);
  await writeServiceWorker(source, target);
  return weigh(target, ["index.html", ...first]);
}

/** Writes a reference file for each version that has a description. Returns the versions, oldest first. */
async function writeReferences(root: string, target: string): Promise<string[]> {
  await mkdir(join(target, "api"));
  const references = await allReferences(join(root, "tests/swagger/swagger.tar.br"));
  const known = [...references].filter(([version]) => Number(version.split(".")[1]) <= NEWEST_VERSION);
  for (const [version, reference] of known) {
    await writeFile(join(target, "api", `v${version}.json`), JSON.stringify(reference));
  }
  return known.map(([version]) => version);
}

/**
 * Copies the core's sources next to the page, as text so that a browser displays them, and once more into one file
 * for the service worker.
 */
async function copySources(from: string, target: string): Promise<void> {
  const texts: Record<string, string> = {};
  for (const file of await filesOf(from)) {
    const path = `source/${file}.txt`;
    texts[path] = await readFile(join(from, file), "utf8");
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), texts[path]);
  }
  await writeFile(join(target, SOURCES), JSON.stringify(texts));
}

interface Bundle {
  readonly root: string;
  readonly source: string;
  readonly target: string;
  readonly release: boolean;
  /** Versions that have a reference. */
  readonly described: readonly string[];
  /** Files of the core's modules. */
  readonly core: Readonly<Record<string, string>>;
}

async function bundle({ root, source, target, release, described, core }: Bundle): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { main: join(source, "main.tsx"), "style/main": join(source, "page/styles/main.css") },
    outdir: target,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { DESCRIBED_VERSIONS: JSON.stringify(described), CORE_FILES: JSON.stringify(core) },
    plugins: [fetchedCore(root), laidOutDiagram(root), versionAlone(root)],
    chunkNames: "chunks/[name]-[hash]",
    minify: release,
    sourcemap: !release,
    legalComments: "linked",
    metafile: true,
    logLevel: "warning",
    absWorkingDir: target,
  });
  return metafile;
}

/** Files that the page needs to start: the entry, all chunks that it imports statically, and the style sheet. */
function firstLoad(metafile: Metafile, target: string): string[] {
  const files = new Set<string>();
  const add = (name: string): void => {
    const output = metafile.outputs[name];
    if (output === undefined || files.has(name)) return;
    files.add(name);
    for (const one of output.imports) if (one.kind === "import-statement") add(one.path);
  };
  add("main.js");
  add("style/main.css");
  if (files.size < 2) throw new Error(`esbuild did not write the entries to ${target}`);
  return [...files];
}

/**
 * Adds a preload hint for each chunk and module, so that the browser finds them without reading one after the other.
 * Also inlines the script that reports files that could not be fetched; the policy allows no other inline script.
 */
async function writeHtml(source: string, target: string, first: readonly string[]): Promise<void> {
  const html = await readFile(join(source, "index.html"), "utf8");
  const starting = await startingScript(source);
  const hash = createHash("sha256").update(starting).digest("base64");
  const chunks = first.filter((name) => name.startsWith("chunks/") && name.endsWith(".js"));
  const hints = chunks.map((name) => `<link rel="modulepreload" href="${name}" />`);
  const modules = first.filter((name) => name.endsWith(".wasm"));
  hints.push(...modules.map((name) => `<link rel="preload" as="fetch" crossorigin href="${name}" />`));
  const written = html
    .replace("STARTING-HASH", `sha256-${hash}`)
    .replace("<!-- starting -->", () => `<script>${starting}</script>`)
    .replace("<!-- preload -->", hints.join("\n    "));
  await writeFile(join(target, "index.html"), written);
}

async function startingScript(source: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(source, "starting.ts")],
    bundle: true,
    write: false,
    format: "iife",
    minify: true,
    target: "es2022",
    logLevel: "warning",
  });
  return outputFiles[0]!.text.trim();
}

async function writeServiceWorker(source: string, target: string): Promise<void> {
  const files = await filesOf(target);
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(await readFile(join(target, file)));
  const isKept = (file: string): boolean => file !== SOURCES && !file.startsWith("source/") && !file.endsWith(".map");
  const define = {
    FILES: ["./", ...files.filter(isKept)],
    SOURCES,
    BUILD: `coracle-${hash.digest("hex").slice(0, 12)}`,
  };
  await build({
    entryPoints: [join(source, "service-worker.ts")],
    outfile: join(target, "service-worker.js"),
    bundle: true,
    minify: true,
    target: "es2022",
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
    logLevel: "warning",
  });
}

async function weigh(target: string, files: readonly string[]): Promise<PageWeight> {
  const weight = { bytes: 0, gzip: 0 };
  for (const file of files) {
    const bytes = await readFile(join(target, file));
    const gzip = gzipSync(bytes, { level: 9 }).length;
    console.log(`  ${file.padEnd(36)} ${kilobytes(bytes.length)} ${kilobytes(gzip)} gzip`);
    weight.bytes += bytes.length;
    weight.gzip += gzip;
  }
  console.log(`  ${"first load".padEnd(36)} ${kilobytes(weight.bytes)} ${kilobytes(weight.gzip)} gzip`);
  return weight;
}

async function filesOf(target: string): Promise<string[]> {
  const found = await readdir(target, { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath ?? one.path, one.name).slice(target.length + 1))
    .sort();
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1).padStart(7)} kB`;
}
