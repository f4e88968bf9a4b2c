// The exports of `coracle-engine`, on Node and in a browser.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readWorld } from "../../core/build.js";
import { readWit } from "../../core/bindgen/wit.js";
import { PackedPackage, ROOT } from "./packed-package.js";

const tool = (path: string) => join(ROOT, "node_modules", path);
const ONLY_NODE = ["LinuxOptions", "engineAgent", "linuxHost"];

/** Programs that use it. */
const SOURCES = ["platforms/story.ts", "examples/own-host.ts", "examples/run-container.ts"];
const PROGRAMS = SOURCES.map((path) => basename(path));

let packed: PackedPackage;
beforeAll(() => {
  packed = new PackedPackage();
  for (const path of SOURCES) packed.write(basename(path), readFileSync(join(ROOT, "tests/embedding", path), "utf8"));
});
afterAll(() => packed?.remove());

describe("by its name", () => {
  const NAMES = `console.log(Object.keys(await import("coracle-engine")).sort().join(" "))`;

  test("it is found inside the repository and from a tarball, and is the same", () => {
    const inside = execFileSync(process.execPath, ["--input-type=module", "-e", NAMES], {
      cwd: ROOT,
      encoding: "utf8",
    });
    const installed = packed.run(process.execPath, ["--input-type=module", "-e", NAMES]);
    expect(inside).toBe(installed);
    expect(installed.trim().split(" ")).toEqual(expect.arrayContaining(["openEngine", "linuxHost", "engineAgent"]));
  });

  test("CommonJS gets the same with require if Node can require modules, and an error otherwise", () => {
    const program = packed.write(
      "required.cjs",
      `console.log(Object.keys(require("coracle-engine")).sort().join(" "))`,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" });
    if (status === 0) expect(stdout).toBe(packed.run(process.execPath, ["--input-type=module", "-e", NAMES]));
    else expect(stderr).toContain("ERR_REQUIRE_ESM");
  });

  test("exports for Node only are missing for browsers, and without any condition", () => {
    packed.write("names.js", `import * as all from "coracle-engine"; export const names = Object.keys(all).sort();`);
    const names = (condition: string) => {
      const flags = ["--platform=neutral", `--conditions=${condition}`];
      const bundle = packed.write("bundle.mjs", bundled("names.js", flags));
      const print = `console.log((await import(${JSON.stringify(bundle)})).names.join(" "))`;
      return packed.run(process.execPath, ["--input-type=module", "-e", print]).trim().split(" ");
    };
    const everywhere = names("browser");
    expect(names("default")).toEqual(everywhere);
    expect(everywhere).toContain("openEngine");
    expect(everywhere.filter((name) => ONLY_NODE.includes(name))).toEqual([]);
  });
});

describe("for browsers", () => {
  test("esbuild bundles it without configuration, and without any of Node's modules", () => {
    packed.write("app.js", `import { openEngine } from "coracle-engine"; globalThis.open = openEngine;`);
    const code = bundled("app.js", []);
    expect(code.match(/\bfrom\s*"[^"]*"|\bimport\s*\(|\brequire\(|["']node:|fastify|koffi|lmdb/g)).toBe(null);
  });

  test("no source for Node or Linux is reached", () => {
    const reports = JSON.parse(report("inputs.json")) as Record<string, { inputs: string[]; imports: string[] }>;
    const files = new Set(["index.js"]);
    for (const file of files) for (const name of reports[file]!.imports) files.add(name);
    const sources = [...files].flatMap((file) => reports[file]!.inputs);
    expect(sources).toContain("hosts/driver/driver.ts");
    expect(sources.filter((path) => /^(runtime-linux|hosts\/node|hosts\/embedding\/node)/.test(path))).toEqual([]);
  });
});

describe("the types", () => {
  test("the public interface is the reviewed one", () => {
    const golden = new URL("./api.md", import.meta.url).pathname;
    expectGolden(golden, report("node.api.md"));
  });

  test("all exports have their own documentation, except aliases", () => {
    const bare = /\/\/ @public \(undocumented\)\nexport (?!type \w+ = [\w.]+;)(.*)/g;
    expect(Array.from(report("node.api.md").matchAll(bare), ([, declaration]) => declaration)).toEqual([]);
  });

  test("all types that it uses are exported", () => {
    expect(report("node.api.md")).not.toContain("ae-forgotten-export");
  });

  test("a host uses only types, and each has one name", () => {
    const types = report("node.api.md");
    const functions = Array.from(types.matchAll(/^function (\w+)/gm), ([, name]) => name);
    expect(functions).toEqual([]);
    const again = /^type (\w+)_\d+ = (?:\1)(?:_\d+)?;/gm;
    expect(Array.from(types.matchAll(again), ([line]) => line)).toEqual([]);
    packed.write("value.ts", `import { engine } from "coracle-engine";\nexport const rules = engine.rules();\n`);
    expect(compiled(["value.ts"], ["--module", "nodenext"])).toMatch(/value\.ts\(2,22\).*TS2708/);
  });

  test("those for browsers are the same without exports for Node only", () => {
    const exported = (name: string) =>
      Array.from(
        report(name).matchAll(/^export (?:(?:abstract )?class|const|function|interface|type) (\w+)/gm),
        (at) => at[1]!,
      );
    expect(exported("index.api.md")).toEqual(exported("node.api.md").filter((name) => !ONLY_NODE.includes(name)));
  });

  test("they need only themselves and Node's own types", () => {
    const types = readFileSync(join(packed.directory, "node_modules/coracle-engine/build/package/node.d.ts"), "utf8");
    const imported = Array.from(types.matchAll(/(?:from|import\()\s*['"]([^'"]+)/g), ([, name]) => name);
    expect(imported.filter((name) => !name!.startsWith("node:"))).toEqual([]);
  });

  test.each([
    ["node16", ["--module", "node16"]],
    ["nodenext", ["--module", "nodenext"]],
    ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("programs compile with them, and they with the programs, with module resolution as in %s", (_name, flags) => {
    expect(compiled(PROGRAMS, ["--skipLibCheck", "false", "--verbatimModuleSyntax", ...flags])).toBe("");
  });

  test("they also compile in Deno", () => {
    const env = { ...process.env, DENO_DIR: join(packed.directory, "deno"), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
    packed.run(tool(".bin/deno"), ["check", "--no-remote", ...PROGRAMS], env);
  });

  test("linuxHost exists on Node, but not in browsers", () => {
    packed.write("linux.ts", `import { linuxHost } from "coracle-engine";\nexport const host = linuxHost;\n`);
    expect(compiled(["linux.ts"], ["--module", "nodenext"])).toBe("");
    const inBrowsers = compiled(["linux.ts"], ["--module", "esnext", "--moduleResolution", "bundler"]);
    expect(inBrowsers).toMatch(/linux\.ts.*TS2305.*'linuxHost'/);
  });

  test("a host has one member for each interface of the core's world", async () => {
    const { imports } = readWit(await readWorld(join(ROOT, "core/wit")));
    const [, host = ""] = /^export interface Host \{\n(.*?)^\}/ms.exec(report("node.api.md")) ?? [];
    const members = Array.from(host.matchAll(/^ {4}(?:readonly )?(\w+)[:(]/gm), ([, name]) => name!);
    expect(imports.filter((name) => !members.includes(name))).toEqual([]);
    expect(imports.length).toBeGreaterThan(0);
  });

  test("a host without a member does not compile, one with all of them does", () => {
    const members = [
      "timers",
      "records",
      "processes",
      "content",
      "networks",
      "volumes",
      "replies",
      "machine",
      "runtimes",
      "inventory",
      "listen",
      "seed",
      "close",
    ];
    packed.write("whole.ts", ownHost("const { ...host } = given;"));
    for (const member of members) packed.write(`no-${member}.ts`, ownHost(`const { ${member}: _, ...host } = given;`));
    expect(compiled(["whole.ts"], ["--module", "nodenext"])).toBe("");
    const errors = compiled(
      members.map((member) => `no-${member}.ts`),
      ["--module", "nodenext"],
    );
    for (const member of members) {
      expect(errors).toMatch(new RegExp(`no-${member}\\.ts.*TS2741: Property '${member}' is missing`));
    }
  });
});

function ownHost(taken: string): string {
  return `import type { Host } from "coracle-engine";
export function own(given: Host): Host {
  ${taken}
  return host;
}
`;
}

function report(name: string): string {
  return readFileSync(join(ROOT, "build/package-reports", name), "utf8");
}

/** The output of esbuild's command line for a file in the package's directory. */
function bundled(entry: string, flags: readonly string[]): string {
  return packed.run(tool("esbuild/bin/esbuild"), [entry, "--bundle", "--format=esm", "--log-level=warning", ...flags]);
}

/** The compiler's errors. Flags take precedence over these settings: a test can have declarations checked. */
function compiled(files: readonly string[], flags: readonly string[]): string {
  const strict = ["--ignoreConfig", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"];
  const types = ["--types", "node", "--typeRoots", tool("@types"), "--skipLibCheck"];
  const args = [tool("typescript/bin/tsc"), ...strict, ...types, ...flags, ...files];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: packed.directory, encoding: "utf8" });
  return stdout + stderr;
}

/** Rewritten only by hand: with `UPDATE=1`, and never in CI. */
function expectGolden(path: string, text: string): void {
  if (process.env["UPDATE"] === "1" && process.env["CI"] !== "true") writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
}
