// Which connections an attempt to reach a registry accepts.

import type { types } from "../shared/index.js";

/** It applies to requests to the registry, to their redirects, and to its token server. */
export interface Trust {
  /** TLS with any certificate is accepted. */
  anyCertificate: boolean;
  /** Whose own certificates count: the registry's authority; or empty. */
  registry: string;
  /** What somebody has set for the registry. */
  way?: types.RegistryWay | undefined;
  /** Connections without TLS are accepted, and credentials may go over them. */
  plain: boolean;
}

/** `attempt`: the security of this attempt. The endpoint tells all that the registry may be tried with. */
export function trustOf(attempt: types.Security, { authority, security: securities, way }: types.Endpoint): Trust {
  // An attempt with a verified certificate accepts no other, even if a later attempt would.
  const anyCertificate = attempt !== "verified-tls" && securities.includes("any-certificate");
  return { anyCertificate, registry: authority, way, plain: securities.includes("plain") };
}
