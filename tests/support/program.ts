// Bundles a test file into a program for Node, to be killed or watched.
import { mkdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const TESTS = fileURLToPath(new URL("..", import.meta.url));

/** Bundles `url` and its imports. The program is placed next to the project's modules, so that it finds them. */
export function programOf(url: URL): string {
  const source = fileURLToPath(url);
  const directory = join(TESTS, "../build/tests", relative(TESTS, dirname(source)));
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `${basename(source, ".ts")}.mjs`);
  buildSync({ entryPoints: [source], outfile, bundle: true, packages: "external", platform: "node", format: "esm" });
  return outfile;
}
