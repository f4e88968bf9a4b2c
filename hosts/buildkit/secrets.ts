// Credentials in the messages of clients. The core and its trace get none that nothing asks for.

import type { Fields } from "./messages/codec.js";

/** What a frontend is told of caches: `cache-imports` is JSON with keys of buckets. */
const CACHES = /^cache-(?:from|imports)$/;
/** Names of the keys to where an output goes. */
const KEYS = /secret|token|password|credential|auth|(?:access|account|api)[-_]?key/i;

/** Empties the credentials of caches and outputs in a message that is a build's, or returns it as it is. */
export function withoutSecrets(message: Fields): Fields {
  for (const options of [message.FrontendAttrs, message.FrontendOpt]) empty(options, CACHES);
  empty(message.ExporterAttrs, KEYS);
  for (const { Attrs } of (message.Exporters ?? []) as Fields[]) empty(Attrs, KEYS);
  return message;
}

function empty(values: unknown, names: RegExp): void {
  for (const name of Object.keys((values ?? {}) as Fields)) if (names.test(name)) (values as Fields)[name] = "";
}
