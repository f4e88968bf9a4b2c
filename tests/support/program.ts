// A file of tests made into a program that Node runs by itself: to be killed, or watched.
import { mkdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const TESTS = fileURLToPath(new URL("..", import.meta.url));

/** Made of `url` and all it imports; it stands beside the project's modules, so that it finds them. */
export function programOf(url: URL): string {
  const source = fileURLToPath(url);
  const directory = join(TESTS, "../build/tests", relative(TESTS, dirname(source)));
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `${basename(source, ".ts")}.mjs`);
  buildSync({ entryPoints: [source], outfile, bundle: true, packages: "external", platform: "node", format: "esm" });
  return outfile;
}
