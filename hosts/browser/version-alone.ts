// Of package.json, the page needs the version. The rest, most of it for those who develop, would take 1 KB of its first
// load.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/** Replaces package.json by one that holds nothing but the version. */
export function versionAlone(root: string): Plugin {
  return {
    name: "version alone",
    setup: (build) => {
      const path = join(root, "package.json");
      build.onLoad({ filter: /package\.json$/ }, async (file) => {
        if (file.path !== path) return undefined;
        const { version } = JSON.parse(await readFile(path, "utf8")) as { version: string };
        return { contents: JSON.stringify({ version }), loader: "json" };
      });
    },
  };
}
