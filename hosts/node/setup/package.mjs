// Builds the npm package `coracle-engine` for programs: ES modules, and one file of types for each.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Entries by file name: `index` runs everywhere, `node` on Node, Deno and Bun. */
export const ENTRIES = ["index", "node"];
const PACKAGE = "build/package";
/** Its public API and its inputs, for the tests. */
const REPORTS = "build/package-reports";

/** The new package is built beside the old one and then replaces it as a whole. Throws with the compilers' messages. */
export async function buildPackage(root) {
  const fresh = join(root, `${PACKAGE}.${process.pid}.part`);
  rmSync(fresh, { recursive: true, force: true });
  try {
    await bundleEntries(root, fresh);
    await bundleServer(root, fresh);
    await rollUpTypes(root, fresh);
    rmSync(join(root, PACKAGE), { recursive: true, force: true });
    renameSync(fresh, join(root, PACKAGE));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Packages with native parts stay dependencies; all others are bundled. */
export const NATIVE = ["koffi", "lmdb", "node-unix-socket"];
/** The HTTP server's packages, which need Node itself. Each has a file of its own, imported when it is used. */
const OF_SERVER = ["fastify", "ws"];

/** For bundled code that calls `require`, as CommonJS does. */
export const REQUIRE =
  'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);';

/**
 * Code that both entries need goes into shared files. Packages of plain JavaScript are bundled, so that no bundler and
 * no installation is needed.
 */
async function bundleEntries(root, outdir) {
  const esbuild = await import("esbuild");
  const common = { bundle: true, format: "esm", splitting: true, target: "es2022", charset: "ascii" };
  const { metafile, warnings } = await esbuild.build({
    ...common,
    entryPoints: ENTRIES.map((name) => join(root, "hosts/embedding", `${name}.ts`)),
    outdir,
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", ...NATIVE],
    minifySyntax: true,
    plugins: [onlyVersion(root), without(/^stream\/web$/), besides(OF_SERVER)],
    metafile: true,
    logLevel: "silent",
  });
  for (const warning of warnings) console.error(`esbuild: ${warning.text}`);
  mkdirSync(join(root, REPORTS), { recursive: true });
  writeFileSync(join(root, REPORTS, "inputs.json"), JSON.stringify(inputsOf(metafile), null, 1));
}

async function bundleServer(root, outdir) {
  const esbuild = await import("esbuild");
  await esbuild.build({
    ...{ bundle: true, format: "esm", platform: "node", target: "es2022", charset: "ascii" },
    entryPoints: OF_SERVER,
    absWorkingDir: root,
    outdir,
    minifySyntax: true,
    minifyWhitespace: true,
    banner: { js: REQUIRE },
    plugins: [without(UNUSED)],
    logLevel: "silent",
  });
}

/**
 * Packages that fastify loads for what we never use. `light-my-request` answers made-up requests in tests, and claims to
 * need a newer Node than all others. The other two compile JSON schemas, which no route has.
 */
export const UNUSED = /^(light-my-request|@fastify\/(ajv|fast-json-stringify)-compiler)$/;

/**
 * Leaves matching modules out of a bundle. For example, only platforms without streams of their own need `stream/web`.
 */
export function without(filter) {
  return {
    name: `without ${filter}`,
    setup: ({ onResolve, onLoad }) => {
      const namespace = `none ${filter}`;
      onResolve({ filter }, ({ path }) => ({ path, namespace }));
      onLoad({ filter: /.*/, namespace }, () => ({ contents: "" }));
    },
  };
}

/** Packages in files of their own beside the bundle. */
function besides(names) {
  return {
    name: "besides",
    setup: ({ onResolve }) => {
      onResolve({ filter: new RegExp(`^(?:${names.join("|")})$`) }, ({ path }) => ({
        path: `./${path}.js`,
        external: true,
      }));
    },
  };
}

/** The sources read only the version of package.json; the rest is left out. */
function onlyVersion(root) {
  const manifest = join(root, "package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  return {
    name: "only-version",
    setup: ({ onLoad }) => {
      onLoad({ filter: /package\.json$/ }, ({ path }) =>
        path === manifest ? { contents: JSON.stringify({ version }), loader: "json" } : undefined,
      );
    },
  };
}

/** The sources of each file and its imports, so that one can see what reaches a browser. */
function inputsOf({ outputs }) {
  return Object.fromEntries(
    Object.entries(outputs).map(([file, { inputs, imports }]) => [
      file.slice(file.lastIndexOf("/") + 1),
      { inputs: Object.keys(inputs).sort(), imports: imports.map(({ path }) => path.slice(path.lastIndexOf("/") + 1)) },
    ]),
  );
}

/** Declarations of all sources, then one file for each entry. */
async function rollUpTypes(root, outdir) {
  const types = join(root, "build/types");
  declare(root, types);
  const { Extractor, ExtractorConfig } = await import("@microsoft/api-extractor");
  for (const name of ENTRIES) {
    const messages = [];
    const config = ExtractorConfig.prepare({
      configObject: extractorOptions(root, types, outdir, name),
      configObjectFullPath: join(root, "build/types/api-extractor.json"),
      packageJsonFullPath: join(root, "package.json"),
    });
    const { succeeded } = Extractor.invoke(config, {
      localBuild: true,
      messageCallback: (message) => {
        message.handled = true;
        if (isFault(message)) messages.push(message.formatMessageWithLocation(root));
      },
    });
    if (!succeeded || messages.length > 0) throw new Error(`api-extractor: ${messages.join("\n")}`);
  }
}

/** Ignores messages about the report's location. */
function isFault({ category, logLevel }) {
  return category !== "console" && (logLevel === "error" || logLevel === "warning");
}

function extractorOptions(root, types, outdir, name) {
  return {
    projectFolder: root,
    mainEntryPointFilePath: join(types, "hosts/embedding", `${name}.d.ts`),
    compiler: { overrideTsconfig: JSON.parse(readFileSync(join(types, "tsconfig.json"), "utf8")), skipLibCheck: true },
    apiReport: {
      enabled: true,
      reportFolder: join(root, REPORTS),
      reportTempFolder: join(types, "temp"),
      reportFileName: `${name}.api.md`,
    },
    docModel: { enabled: false },
    tsdocMetadata: { enabled: false },
    dtsRollup: { enabled: true, untrimmedFilePath: join(outdir, `${name}.d.ts`) },
    newlineKind: "lf",
    messages: {
      extractorMessageReporting: {
        default: { logLevel: "warning" },
        // Every public item is released, so none is marked one by one.
        "ae-missing-release-tag": { logLevel: "none" },
        "ae-undocumented": { logLevel: "none" },
        "ae-forgotten-export": { logLevel: "warning", addToApiReportFile: true },
      },
      tsdocMessageReporting: { default: { logLevel: "none" } },
    },
  };
}

/** Writes the declarations of the entries, and of everything they import, to a folder. */
function declare(root, types) {
  rmSync(types, { recursive: true, force: true });
  mkdirSync(types, { recursive: true });
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const files = ENTRIES.map((name) => `../../hosts/embedding/${name}.ts`);
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: "../..", outDir: "." };
  const config = { compilerOptions: { ...compilerOptions, ...emit }, files };
  writeFileSync(join(types, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", types], { encoding: "utf8" });
  if (status !== 0) throw new Error(`tsc: ${stdout}`);
  copyDeclarations(join(root, "build/core"), join(types, "build/core"));
}

/** The compiler does not output the declarations that the core's build made. */
function copyDeclarations(from, to) {
  const names = readdirSync(from, { recursive: true }).filter((name) => name.endsWith(".d.ts"));
  for (const name of names) {
    const text = readFileSync(join(from, name), "utf8");
    mkdirSync(dirname(join(to, name)), { recursive: true });
    writeFileSync(join(to, name), name.startsWith("interfaces") ? onlyTypes(text) : text);
  }
}

/**
 * An interface as a namespace of types. Its functions belong to the component, and no value of that name is exported. A
 * type that it uses from another interface stays the other's, and does not become a second type with a number behind
 * its name.
 */
function onlyTypes(declarations) {
  return declarations
    .replaceAll(/(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n)?^export function .*\n/gm, "")
    .replaceAll(
      /^export type (\w+) = import\(('[^']+')\)\.\1;$/gm,
      "export type { $1 } from $2;\nimport type { $1 } from $2;",
    );
}
