// Credentials in the messages of clients. The core and its trace get none that nothing asks for.

import type { Fields } from "./messages/codec.js";

/** What a frontend is told of caches: JSON with keys of buckets, and references of images. */
const [DOCUMENTS, REFERENCES] = ["cache-imports", "cache-from"];
/** Attributes of caches in directories of the client. */
const [SOURCE, TARGET] = [
  ["src", "digest"],
  ["dest", "mode", "ignore-error", "oci-mediatypes", "compression", "compression-level", "force-compression"],
];
const LOCAL = [...SOURCE, ...TARGET];
/** Names of the keys to where an output goes. */
const KEYS = /secret|token|password|credential|auth|(?:access|account|api)[-_]?key/i;

/** Empties the credentials of caches and outputs in a message that is a build's, or returns it as it is. */
export function withoutSecrets(message: Fields): Fields {
  for (const options of [message.FrontendAttrs, message.FrontendOpt]) withoutKeys((options ?? {}) as Fields);
  const caches = (message.Cache ?? {}) as { Exports?: Fields[]; Imports?: Fields[] };
  for (const cache of [...(caches.Exports ?? []), ...(caches.Imports ?? [])]) onlyLocal(cache);
  empty(message.ExporterAttrs, KEYS);
  for (const { Attrs } of (message.Exporters ?? []) as Fields[]) empty(Attrs, KEYS);
  return message;
}

/** Of caches, types and references are kept: `registry r.example/a:1,s3`, with commas between them. */
function withoutKeys(options: Fields): void {
  if (DOCUMENTS in options) options[DOCUMENTS] = sourcesIn(String(options[DOCUMENTS])).filter(isPlain).join(",");
  if (REFERENCES in options) options[REFERENCES] = String(options[REFERENCES]).split(",").filter(isPlain).join(",");
}

/** A cache in a directory of the client has no credentials, but only these attributes are used. */
function onlyLocal(cache: Fields): void {
  const given = (cache.Attrs ?? {}) as Fields;
  delete cache.Attrs;
  if (cache.Type !== "local") return;
  cache.Attrs = Object.fromEntries(LOCAL.filter((name) => name in given).map((name) => [name, given[name]]));
}

function sourcesIn(text: string): string[] {
  try {
    const all = JSON.parse(text) as { Type?: string; Attrs?: { ref?: string } }[];
    return all.map(({ Type, Attrs }) => (Type === "registry" ? `${Type} ${Attrs?.ref ?? ""}` : `${Type}`));
  } catch {
    return [];
  }
}

function isPlain(text: string): boolean {
  return !/[=",]|:\/\//.test(text);
}

function empty(values: unknown, names: RegExp): void {
  for (const name of Object.keys((values ?? {}) as Fields)) if (names.test(name)) (values as Fields)[name] = "";
}
