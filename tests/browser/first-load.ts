// The files of the playground's first load, according to its build.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { PLAYGROUND } from "./chromium.js";

/** The API reference that a new visitor's page loads. */
export const REFERENCE = "api/v1.41.json";

/** Paths in the built page: the files named in its HTML, and the reference. */
export function firstLoad(): string[] {
  const html = readFileSync(join(PLAYGROUND, "index.html"), "utf8");
  const named = Array.from(html.matchAll(/(?:src|href)="\.?\/?([^":]+\.(?:js|css|wasm))"/g), ([, path]) => path!);
  return ["index.html", ...named, REFERENCE];
}

/** Size as compressed by a web server. */
export function gzipped(paths: readonly string[]): number {
  const sizes = paths.map((path) => gzipSync(readFileSync(join(PLAYGROUND, path))).length);
  return sizes.reduce((sum, size) => sum + size, 0);
}
