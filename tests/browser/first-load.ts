// What the first load of the playground fetches, as its build says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { PLAYGROUND } from "./chromium.js";

/** The reference of the API that a newcomer's page speaks. */
export const REFERENCE = "api/v1.41.json";

/** Paths in the built page: what its HTML names, and the reference. */
export function firstLoad(): string[] {
  const html = readFileSync(join(PLAYGROUND, "index.html"), "utf8");
  const named = Array.from(html.matchAll(/(?:src|href)="\.?\/?([^":]+\.(?:js|css|wasm))"/g), ([, path]) => path!);
  return ["index.html", ...named, REFERENCE];
}

/** As a web server compresses them. */
export function gzipped(paths: readonly string[]): number {
  const sizes = paths.map((path) => gzipSync(readFileSync(join(PLAYGROUND, path))).length);
  return sizes.reduce((sum, size) => sum + size, 0);
}
