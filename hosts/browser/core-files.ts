// Copies the core's wasm modules next to the built page, which fetches them unchanged.

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Writes the modules to the page's folder, each named by its hash. Returns their paths there by the core's own names.
 */
export async function writeCore(root: string, target: string): Promise<Record<string, string>> {
  const from = join(root, "build/core");
  const files: Record<string, string> = {};
  await mkdir(join(target, "core"));
  for (const name of (await readdir(from)).filter((one) => one.endsWith(".wasm")).sort()) {
    const bytes = await readFile(join(from, name));
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
    const file = `core/${name.replace(/\.wasm$/, `-${hash}.wasm`)}`;
    await writeFile(join(target, file), bytes);
    files[name] = file;
  }
  return files;
}

/** Makes the page fetch the modules, instead of embedding them in its script as the package does. */
export function fetchedCore(root: string): Plugin {
  const path = join(root, "hosts/browser/session/fetched-modules.ts");
  return {
    name: "fetched core",
    setup: (build) => {
      build.onResolve({ filter: /^\.\/modules\.js$/ }, ({ resolveDir }) =>
        resolveDir === join(root, "hosts/embedding") ? { path } : undefined,
      );
    },
  };
}
