// Certificates of registries, as Docker keeps them: `DIRECTORY/HOST:PORT/` has authorities in `*.crt`, and certificates
// to show to the registry in `NAME.cert` with `NAME.key`. They are read again when they change.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { usualAuthorities } from "./authorities.js";

/** What a connection needs of them, in the words of `node:tls`. SECRET: the keys. */
export interface Certificates {
  ca?: string[];
  cert?: Buffer[];
  key?: Buffer[];
}

/** What is read for one registry. */
export interface Found {
  /** Differs from earlier ones when a file has changed. */
  mark: string;
  read(): Certificates;
}

/** Null if the registry has none. Throws an error of `node:fs` if they cannot be read. */
export function certificatesOf(directory: string, authority: string): Found | null {
  const own = join(directory, authority);
  // The name comes from a client: it must not lead elsewhere.
  if (authority === "" || /[/\0]|^\.\.?$/.test(authority)) return null;
  const names = namesIn(own).filter((name) => /\.(crt|cert|key)$/.test(name));
  if (names.length === 0) return null;
  const mark = JSON.stringify(names.map((name) => [name, statSync(join(own, name)).mtimeMs]));
  return { mark, read: () => readAll(own, names) };
}

function readAll(own: string, names: readonly string[]): Certificates {
  const read = (name: string): Buffer => readFileSync(join(own, name));
  const authorities = names.filter((name) => name.endsWith(".crt")).map((name) => read(name).toString());
  const shown = names.filter((name) => name.endsWith(".cert"));
  return {
    // They are trusted besides the usual ones.
    ...(authorities.length > 0 && { ca: [...usualAuthorities(), ...authorities] }),
    // A certificate without its key fails here, and names the file.
    ...(shown.length > 0 && { cert: shown.map(read), key: shown.map((name) => read(name.replace(/cert$/, "key"))) }),
  };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
