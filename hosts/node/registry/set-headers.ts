// SECRET. Headers that somebody has set for a host of a registry.

import { readFileSync } from "node:fs";
import type { TransportRequest } from "../../registry/index.js";
import { headersFor } from "./hosts-file/headers.js";

/** Those of a request: none if it goes elsewhere than to the host, such as to a token server or after a redirect. */
export function setHeaders({ url, registry, way }: TransportRequest): Record<string, string> {
  const place = way?.headers;
  if (place === undefined) return {};
  const { protocol, host } = new URL(url);
  if (new URL(`${protocol}//${registry}`).host !== host) return {};
  return headersFor(readFileSync(place.file, "utf8"), place.host);
}
