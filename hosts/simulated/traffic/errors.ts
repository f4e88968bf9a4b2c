// Errors of sockets, in the C library's words.

/** Names of errno(3); `ENOTFOUND` for a name that nobody knows. */
export type SocketErrorCode =
  | "EADDRINUSE"
  | "EADDRNOTAVAIL"
  | "ECONNREFUSED"
  | "EHOSTUNREACH"
  | "EINVAL"
  | "EMSGSIZE"
  | "ENETUNREACH"
  | "ENOTFOUND"
  | "ETIMEDOUT";

const TEXTS: Readonly<Record<SocketErrorCode, string>> = {
  EADDRINUSE: "Address already in use",
  EADDRNOTAVAIL: "Cannot assign requested address",
  ECONNREFUSED: "Connection refused",
  EHOSTUNREACH: "No route to host",
  EINVAL: "Invalid argument",
  EMSGSIZE: "Message too long",
  ENETUNREACH: "Network is unreachable",
  ENOTFOUND: "Name does not resolve",
  ETIMEDOUT: "Connection timed out",
};

/** A socket call that failed. */
export class SocketError extends Error {
  constructor(readonly code: SocketErrorCode) {
    super(TEXTS[code]);
  }
}
