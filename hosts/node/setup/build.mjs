// Builds stale products: the core first, then what runs it.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ENCODER, loadedLate, takenWhole, withDatabase } from "./late.mjs";
import { buildPackage, UNUSED, NATIVE, without } from "./package.mjs";

/**
 * The products: what each is built from, and a file that must exist. A product's inputs include those of the products
 * before it. Those after the core contain the built core, which may be older than its sources.
 */
const PRODUCTS = [
  { name: "core", inputs: ["core", "package-lock.json"], output: "build/core/core.js", build: buildCore },
  {
    name: "daemon",
    inputs: ["core", "hosts", "runtime-linux", "package-lock.json"],
    output: "build/coracle.cjs",
    build: bundleDaemon,
  },
  {
    name: "package",
    inputs: ["core", "hosts", "runtime-linux", "package.json", "package-lock.json"],
    output: "build/package/node.d.ts",
    build: buildPackage,
  },
  {
    name: "playground",
    inputs: ["core", "hosts", "tests/swagger", "package-lock.json"],
    output: "build/playground/index.html",
    build: buildPlayground,
  },
];

const [CORE] = PRODUCTS;

/** The stale ones of the named products; of all products if none is named. */
export function staleProducts(root, names = PRODUCTS.map((product) => product.name)) {
  return PRODUCTS.filter((product) => names.includes(product.name) && isStale(root, product)).map(({ name }) => name);
}

/** Builds the stale ones among `names`. Throws with the compiler's message. */
export async function build(root, { names = PRODUCTS.map((product) => product.name), release = true } = {}) {
  const unknown = names.find((name) => !PRODUCTS.some((product) => product.name === name));
  if (unknown) throw new Error(`there is no product "${unknown}"`);
  for (const product of PRODUCTS) {
    if (!names.includes(product.name) || (release && !isStale(root, product))) continue;
    const hash = hashOf(root, product);
    const begun = Date.now();
    console.log(`Building the ${product.name}`);
    await product.build(root, release);
    writeStamp(root, product, release ? hash : "debug");
    console.log(`Built the ${product.name} in ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }
}

/**
 * Bundles a TypeScript program of this repository and returns the module's URL. `alias`: files that replace modules.
 * Other processes may be reading the previous bundle.
 */
export async function bundleTool(root, entry, name, alias = {}) {
  const program = join(root, "build/tools", `${name}.mjs`);
  const outfile = `${program}.${process.pid}`;
  await bundle({ entryPoints: [join(root, entry)], outfile, packages: "external", alias });
  renameSync(outfile, program);
  return pathToFileURL(program).href;
}

function isStale(root, product) {
  const stamp = stampOf(root, product);
  if (!existsSync(join(root, product.output)) || !existsSync(stamp)) return true;
  return readFileSync(stamp, "utf8") !== hashOf(root, product);
}

function stampOf(root, product) {
  return join(root, "build/stamps", product.name);
}

/** Replaces the file, because another copy of the repository may share the old one by a hard link. */
function writeStamp(root, product, hash) {
  const stamp = stampOf(root, product);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(`${stamp}.part`, hash);
  renameSync(`${stamp}.part`, stamp);
}

/** A hash of names and contents of all files, except tests and pages, and of what the core in it was built from. */
function hashOf(root, product) {
  const hash = createHash("sha256").update(product === CORE ? "" : builtCore(root));
  for (const input of product.inputs) {
    for (const file of filesOf(root, input))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update("\0");
  }
  return hash.digest("hex");
}

function builtCore(root) {
  const stamp = stampOf(root, CORE);
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
}

function filesOf(root, path) {
  if (!existsSync(join(root, path))) return [];
  if (path.includes(".")) return [path];
  const found = readdirSync(join(root, path), { withFileTypes: true, recursive: true });
  return found
    .filter((one) => one.isFile() && !/\.test\.ts$|\.md$/.test(one.name))
    .map((one) => join(one.parentPath ?? one.path, one.name).slice(root.length + 1))
    .sort();
}

/** The core's build is TypeScript, too. */
async function buildCore(root, release) {
  const { buildCore: run } = await import(await bundleTool(root, "core/build.ts", "build-core"));
  await run({ root, release });
}

/** The daemon, its threads for content, the processes that outlive it (for names, and for ports), and its image. */
async function bundleDaemon(root) {
  await bundleWhole(root, "runtime-linux/names/resolver/main.ts", "build/names.cjs");
  await bundleWhole(root, "runtime-linux/networks/forward/main.ts", "build/ports.cjs");
  await bundleWhole(root, "hosts/node/content-thread.ts", "build/content.cjs");
  const bundled = join(root, "build/coracle.cjs");
  const outfile = `${bundled}.part`;
  await bundleProgram(root, "hosts/node/main.ts", outfile);
  const hash = createHash("sha256").update(readFileSync(outfile)).digest("hex").slice(0, 16);
  appendFileSync(outfile, `//# build=${hash}\n`);
  renameSync(outfile, bundled);
  await makeImage(root);
  compileAhead(root, bundled);
}

/** The daemon also makes it by itself, and does so on other machines. */
async function makeImage(root) {
  try {
    const tool = await bundleTool(root, "runtime-linux/kept-image.ts", "kept-image");
    await (await import(tool)).keepBusybox(join(root, "build"));
  } catch (error) {
    console.error(`Warning: first starts will be slower, without an image: ${error.message}`);
  }
}

/**
 * The code that V8 compiles for the bundle, for quicker starts. It is best taken from a daemon with real containers. That
 * one gets network and mounts of its own, so that it changes nothing here. Where none can start, a simulated one does.
 * The daemon also runs without the code, so a machine on which neither starts (for example because the path of the
 * temporary directory is too long for a socket) only gets a warning.
 */
export function compileAhead(root, bundled) {
  const code = [process.execPath, join(root, "hosts/node/setup/code.cjs"), bundled];
  const apart = [
    "unshare",
    "--net",
    "--mount",
    ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]),
    "--",
  ];
  if (failureOf([...apart, ...code]) === null) return;
  const failure = failureOf([...code, "--simulated"]);
  if (failure !== null) console.error(`Warning: starts will be slower, without compiled code: ${failure}`);
}

/** Why the command did not succeed, or null. */
function failureOf([program, ...args]) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8", timeout: 60_000 });
  return status === 0 ? null : (error?.message ?? stderr);
}

/** Node's own functions replace packages that do the same on any platform, but many times slower. */
export function platformsOwn(root) {
  return { "@noble/hashes/sha2.js": join(root, "hosts/node/sha2.ts") };
}

/** Static files: the page with the core, and the API's reference. */
async function buildPlayground(root, release) {
  const { buildPage } = await import(await bundleTool(root, "hosts/browser/build.ts", "build-playground"));
  await buildPage({ root, release });
}

/** A daemon that starts meanwhile finds the old file or the new one. */
async function bundleWhole(root, entry, outfile) {
  await bundleProgram(root, entry, `${outfile}.part`);
  renameSync(join(root, `${outfile}.part`), join(root, outfile));
}

/** One file with everything except packages with native parts: reading a single file makes the start quick. */
async function bundleProgram(root, entry, outfile) {
  await bundle({
    entryPoints: [join(root, entry)],
    outfile: resolve(root, outfile),
    external: NATIVE.filter((name) => name !== "lmdb"),
    // V8 can cache the code of scripts, but not of modules (bundle.cjs). A script has no `import.meta`.
    format: "cjs",
    define: { "import.meta.url": "bundleUrl" },
    banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
    // V8 would store a text with other characters in two bytes each. This one is read in a third of the time.
    charset: "ascii",
    plugins: [without(UNUSED), without(ENCODER), loadedLate(root), takenWhole(), withDatabase()],
    alias: platformsOwn(root),
    minifyWhitespace: true,
    minifySyntax: true,
  });
}

async function bundle(options) {
  mkdirSync(dirname(options.outfile), { recursive: true });
  const esbuild = await import("esbuild");
  const result = await esbuild.build({
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
    write: true,
    ...options,
  });
  for (const warning of result.warnings) console.error(`esbuild: ${warning.text}`);
}
