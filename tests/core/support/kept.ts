// WebAssembly that is kept in `build/` once it is made: to compile a part of the core takes one or two seconds of a
// processor, and several test files need the same one.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const KEPT = join(ROOT, "build/doors");

/** What all that is kept is made with, besides its own sources. */
const MADE_WITH = [
  "node_modules/assemblyscript/package.json",
  "node_modules/binaryen/package.json",
  "tests/core/support/door.ts",
  "tests/core/support/counting.ts",
];

/** The content of all files whose names end like this, with their names, below folders of the repository. */
export function contentOf(folders: readonly string[], ending: string): string[] {
  const inFolder = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(ending))
      .sort()
      .flatMap((name) => [`${folder}/${name}`, readFileSync(join(ROOT, folder, name), "utf8")]);
  return folders.flatMap(inFolder);
}

/** What `make` makes of exactly these sources. Of each name the last one is kept. */
export async function kept(
  name: string,
  sources: readonly (string | Uint8Array)[],
  make: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = `${name}-${digestOf([...sources, ...MADE_WITH.map((path) => readFileSync(join(ROOT, path)))])}.wasm`;
  try {
    return new Uint8Array(readFileSync(join(KEPT, file)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = await make();
  mkdirSync(KEPT, { recursive: true });
  // Another process may make the same at this moment.
  const draft = join(KEPT, `draft-${process.pid}-${file}`);
  writeFileSync(draft, made);
  renameSync(draft, join(KEPT, file));
  for (const other of readdirSync(KEPT)) {
    if (other.startsWith(`${name}-`) && other !== file) rmSync(join(KEPT, other), { force: true });
  }
  return made;
}

/** The length of each part is told, so that equal digests have equal parts. */
function digestOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest("hex").slice(0, 32);
}
