// Writes the core's wasm modules as a JavaScript module, for programs that cannot read separate files.

import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes `modules.js` and its types next to the wasm files of a folder. It has their names, and their bytes in base64.
 */
export async function embedModules(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".wasm")).sort();
  const lines = names.map(async (name) => {
    const bytes = await readFile(join(directory, name));
    return `  ${JSON.stringify(name)}: "${bytes.toString("base64")}",\n`;
  });
  await write(join(directory, "modules.js"), `export const MODULES = {\n${(await Promise.all(lines)).join("")}};\n`);
  await write(join(directory, "modules.d.ts"), TYPES);
}

const TYPES = `/** The core's wasm modules by the names its glue asks for, in base64. */
export declare const MODULES: Readonly<Record<string, string>>;
`;

/** Writes the file atomically. */
async function write(path: string, text: string): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  await writeFile(part, text);
  await rename(part, path);
}
