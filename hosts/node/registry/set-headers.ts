// SECRET. Headers that somebody has set for a host of a registry.

import type { TransportRequest } from "../../registry/index.js";
import { headersAt } from "./hosts-file/headers.js";

/** Those of a request: none if it goes elsewhere than to the host, such as to a token server or after a redirect. */
export function setHeaders({ url, registry, way }: TransportRequest): Record<string, string> {
  const place = way?.headers;
  if (place === undefined) return {};
  const { protocol, host } = new URL(url);
  return new URL(`${protocol}//${registry}`).host === host ? headersAt(place) : {};
}
