// What busybox says of a connection that is not made.

import { isIpv6 } from "../../traffic/addresses.js";
import type { SocketError } from "../../traffic/errors.js";

/** It names the address only if that is of IPv4. */
export function refusalText(address: string, { message }: SocketError): string {
  return `can't connect to remote host${isIpv6(address) ? "" : ` (${address})`}: ${message}`;
}
