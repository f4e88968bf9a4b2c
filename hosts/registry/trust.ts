// How far a registry is trusted, once it is known by which of its securities it is spoken to.

import type { types } from "../shared/host.js";

/** What holds for requests to a registry, for their redirects, and for its token server. */
export interface Trust {
  /** TLS with any certificate is accepted. */
  anyCertificate: boolean;
  /** Connections without TLS are accepted, and credentials may go over them. */
  plain: boolean;
}

/** `attempt`: the security in use, one of those that the registry may have. */
export function trustOf(attempt: types.Security, securities: readonly types.Security[]): Trust {
  // Whoever asked for a verified certificate is not content with another, even if a later attempt would be.
  const anyCertificate = attempt !== "verified-tls" && securities.includes("any-certificate");
  return { anyCertificate, plain: securities.includes("plain") };
}
