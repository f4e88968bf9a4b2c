// Certificates of registries, as Docker keeps them: `DIRECTORY/HOST:PORT/` has authorities in `*.crt`, and certificates
// to show to the registry in `NAME.cert` with `NAME.key`. They are read again when they change.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { types } from "../../shared/index.js";
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

/**
 * Null if the registry has none: neither in its directory nor in the files that somebody has set for it. Throws an error of
 * `node:fs` if they cannot be read.
 */
export function certificatesOf(directory: string | null, authority: string, way?: types.RegistryWay): Found | null {
  const own = directory === null ? NOTHING : filesIn(directory, authority);
  const authorities = [...own.authorities, ...(way?.authorities ?? [])];
  const shown = [...own.certificates, ...(way?.certificates ?? [])];
  const paths = [...authorities, ...shown.flatMap(({ certificate, key }) => [certificate, key])];
  if (paths.length === 0) return null;
  const mark = JSON.stringify(paths.map((path) => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs]));
  return { mark, read: () => readAll(authorities, shown) };
}

type Files = Pick<types.RegistryWay, "authorities" | "certificates">;
const NOTHING: Files = { authorities: [], certificates: [] };

/** A certificate without its key is one whose key cannot be read. */
function filesIn(directory: string, authority: string): Files {
  // The name comes from a client: it must not lead elsewhere.
  if (authority === "" || /[/\0]|^\.\.?$/.test(authority)) return NOTHING;
  const place = join(directory, authority);
  const paths = namesIn(place).map((name) => join(place, name));
  return {
    authorities: paths.filter((path) => path.endsWith(".crt")),
    certificates: paths
      .filter((path) => path.endsWith(".cert"))
      .map((certificate) => ({ certificate, key: certificate.replace(/cert$/, "key") })),
  };
}

function readAll(authorities: readonly string[], shown: readonly types.ClientCertificate[]): Certificates {
  return {
    // They are trusted besides the usual ones.
    ...(authorities.length > 0 && {
      ca: [...usualAuthorities(), ...authorities.map((path) => readFileSync(path).toString())],
    }),
    ...(shown.length > 0 && {
      cert: shown.map(({ certificate }) => readFileSync(certificate)),
      key: shown.map(({ key }) => readFileSync(key)),
    }),
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
