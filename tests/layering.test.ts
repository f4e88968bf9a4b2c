// The rules between the folders: which imports are allowed, and that the core's wasm imports only its world.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readWorld } from "../core/build.js";
import { readWit } from "../core/bindgen/wit.js";
import { circlesIn } from "./support/import-circles.js";

/** Folders of `hosts` that others import only through their index. A folder in another is a room of its own. */
const DOORS = [
  "driver",
  "shared",
  "request",
  "streams",
  "streams/compression",
  "streams/copying",
  "streams/tar",
  "engine",
  "buildkit",
  "registry",
  "dry-run",
  "trace",
  "timeline",
  "simulated",
  "redaction",
  "hashes",
];

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TOP_FOLDERS = ["core", "hosts", "runtime-linux", "tests", "benches"];

describe("imports", () => {
  test("the core imports only itself and its generated bindings", () => {
    expect(
      breaches("core/assembly", (to) => to.startsWith("core/assembly/") || to.startsWith("build/bindings/")),
    ).toEqual([]);
  });

  test("the bindings generator imports no host", () => {
    expect(breaches("core/bindgen", (to) => !isHost(to), ["fixtures", ".test.ts"])).toEqual([]);
  });

  const everywhere = [
    "driver",
    "request",
    "shared",
    "engine",
    "streams",
    "buildkit",
    "registry",
    "simulated",
    "trace",
    "redaction",
    "hashes",
    "timeline",
    "dry-run",
    "browser",
  ];
  test.each(everywhere.map((folder) => `hosts/${folder}`))("%s runs everywhere", (folder) => {
    expect(breaches(folder, (to) => !isNodeOnly(to), PAGE_TOOLS)).toEqual([]);
  });

  test("the engine imports neither its users nor hosts", () => {
    const known = (to: string) => !isHost(to) || /^hosts\/(?:driver|request|shared|engine|dry-run|streams)\//.test(to);
    expect(breaches("hosts/engine", known)).toEqual([]);
  });

  test("an engine is assembled in one place, and the fork of a dry run in another", () => {
    const parts = /\bDriver\.(?:open|begin|resume)\(|\bnew DryRuns\(/;
    const making = filesOf("hosts").filter((file) => parts.test(readFileSync(join(ROOT, file), "utf8")));
    expect(making.filter((file) => file !== "hosts/driver/driver.ts").sort()).toEqual([
      "hosts/dry-run/dry-run.ts",
      "hosts/engine/assembled-engine.ts",
    ]);
  });

  test("dry runs of a real machine do not import the simulated one", () => {
    expect(breaches("hosts/dry-run", (to) => !to.startsWith("hosts/simulated/"))).toEqual([]);
  });

  test("in the embedded engine only files that say so in their name need Node", () => {
    expect(breaches("hosts/embedding", (to) => !isNodeOnly(to), ["/node"])).toEqual([]);
  });

  test("nothing that a browser loads leads to Node", () => {
    const reached = reachableFrom("hosts/embedding/index.ts");
    expect(reached).toContain("hosts/driver/driver.ts");
    expect(reached.flatMap((file) => importsOf(file).filter(isNodeOnly))).toEqual([]);
  });

  test("code shared by hosts imports neither hosts nor the driver", () => {
    expect(breaches("hosts/shared", (to) => !isHost(to) || to.startsWith("hosts/shared/"))).toEqual([]);
  });

  test.each(DOORS)("hosts/%s is imported only through its index", (room) => {
    const inner = DOORS.filter((other) => other.startsWith(`${room}/`));
    const isInside = (file: string): boolean =>
      file.startsWith(`hosts/${room}/`) && !inner.some((other) => file.startsWith(`hosts/${other}/`));
    const outside = ["hosts", "runtime-linux", "benches"].flatMap((folder) => filesOf(folder));
    const others = outside.filter((file) => !isInside(file));
    expect(others.length).toBeLessThan(outside.length);
    expect(breachesOf(others, (to) => !isInside(to) || to === `hosts/${room}/index.js`)).toEqual([]);
  });

  test("hosts has only folders", () => {
    expect(filesOf("hosts").filter((file) => dirname(file) === "hosts")).toEqual([]);
  });

  test("hosts use the core only as the built component", () => {
    expect(breaches("hosts", (to) => !to.startsWith("core/"))).toEqual([]);
  });

  test("the Linux runtime imports only code shared by all hosts, and no HTTP", () => {
    const known = (to: string) => to.startsWith("hosts/shared/") || to.startsWith("hosts/streams/");
    const http = ["node:http", "node:https", "fastify", "undici"];
    expect(breaches("runtime-linux", (to) => (!isHost(to) || known(to)) && !http.includes(to))).toEqual([]);
  });
});

/** A folder with more files than this is hard to navigate. */
const MOST_FILES = 30;
/** Folders of similar files may be larger; each has its own limit. */
const EQUALS: Record<string, number> = {
  benches: 35,
  "hosts/simulated/programs": 40,
  "tests/browser": 55,
  "tests/http": 85,
  "tests/simulator/invariants": 40,
};

test(`no folder has more than ${MOST_FILES} files, but lists of equals`, () => {
  const counts: Record<string, number> = {};
  const sources = TOP_FOLDERS.flatMap((folder) => filesOf(folder, SOURCE));
  const endings = new Set(sources.map((file) => extname(file)));
  expect([...endings]).toEqual(
    expect.arrayContaining([".ts", ".tsx", ".mjs", ".cjs", ".c", ".py", ".go", ".css", ".wit"]),
  );
  for (const file of sources) {
    counts[dirname(file)] = (counts[dirname(file)] ?? 0) + 1;
  }
  const crowded = Object.entries(counts).filter(([folder, count]) => count > (EQUALS[folder] ?? MOST_FILES));
  expect(Object.fromEntries(crowded)).toEqual({});
});

test("the simulator's model imports neither the core nor hosts", () => {
  const known = (to: string): boolean => to.startsWith("tests/model/") || to === "tests/simulator/oracle.js";
  expect(breaches("tests/model", known)).toEqual([]);
  expect(importsOf("tests/simulator/oracle.ts")).toEqual([]);
});

test("files do not import one another in circles", () => {
  const files = TOP_FOLDERS.flatMap((folder) => filesOf(folder));
  const known = new Set(files);
  const imports = new Map(
    files.map((file) => [file, importsOf(file).flatMap((to) => sourcesOf(to).filter((one) => known.has(one)))]),
  );
  expect(imports.size).toBeGreaterThan(1000);
  expect(imports.get("hosts/node/coracle.cjs")).toContain("hosts/node/bundle.cjs");
  expect(imports.get("hosts/node/start.mjs")).toContain("hosts/node/setup.mjs");
  expect(circlesIn(imports)).toEqual([]);
});

test("circles are found from any entry", () => {
  const imports = { a: ["b"], b: ["c", "d"], c: ["b"], d: ["e"], e: [], f: ["g"], g: ["h"], h: ["f", "a"] };
  expect(circlesIn(new Map(Object.entries(imports)))).toEqual([
    ["f", "g", "h"],
    ["b", "c"],
  ]);
});

/** The files that an import may mean: AssemblyScript omits the extension, and TypeScript writes that of JavaScript. */
function sourcesOf(to: string): string[] {
  const path = to.replace(/\.jsx?$/, "");
  return [to, `${path}.ts`, `${path}.tsx`];
}

test("the core's wasm imports the interfaces of its world and nothing else", async () => {
  const world = readWit(await readWorld(join(ROOT, "core/wit")));
  const module = new WebAssembly.Module(readFileSync(join(ROOT, "build/core/core.core.wasm")));
  const imports = WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`);
  const declared = world.imports.flatMap((name) =>
    world.interfaces.get(name)!.functions.map((func) => `${world.package}/${name}.${func.name}`),
  );
  expect(imports.sort()).toEqual(declared.sort());
});

function isHost(path: string): boolean {
  return path.startsWith("hosts/");
}

/** Programs that build and serve the page. */
const PAGE_TOOLS = [
  "hosts/browser/build.ts",
  "hosts/browser/core-files.ts",
  "hosts/browser/diagram.ts",
  "hosts/browser/serve.ts",
  "hosts/browser/version-alone.ts",
];

function isNodeOnly(path: string): boolean {
  const folders = ["hosts/node/", "hosts/embedding/node", "runtime-linux/"];
  return isBuiltin(path) || path.startsWith("node:") || folders.some((start) => path.startsWith(start));
}

/** All source files that a file imports directly or indirectly, types included. */
function reachableFrom(entry: string): string[] {
  const reached = new Set([entry]);
  for (const file of reached) {
    for (const to of importsOf(file)) {
      const source = to.replace(/\.js$/, ".ts");
      if (to.startsWith("hosts/") && existsSync(join(ROOT, source))) reached.add(source);
    }
  }
  return [...reached];
}

/** `FILE: IMPORT` for each forbidden import in a folder. Paths are relative to the repository. */
function breaches(folder: string, allowed: (to: string) => boolean, except: string[] = []): string[] {
  return breachesOf(
    filesOf(folder).filter((file) => !except.some((part) => file.includes(part))),
    allowed,
  );
}

function breachesOf(files: string[], allowed: (to: string) => boolean): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((to) => !allowed(to))
      .map((to) => `${file}: ${to}`),
  );
}

/** The forms of an import: `from`, for its effects only, and as a call. */
const IMPORT =
  /^(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']|^import\s*["']([^"']+)["']|\b(?:import|require)\(\s*["']([^"']+)["']/gm;

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const named = Array.from(text.matchAll(IMPORT), (match) => (match[1] ?? match[2] ?? match[3])!);
  return named.map((name) => (name.startsWith(".") ? normalize(join(dirname(file), name)) : name));
}

/** Files that may import one another. */
const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/;
/** Files in any language that people write here. */
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|c|h|py|go|css|html|wit)$/;

function filesOf(folder: string, kind = SCRIPT): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => kind.test(name))
    .map((name) => `${folder}/${name}`);
}
