// Sockets at published ports. Node has no option for sharing a port, so these are made by libc and then handed to Node.

import { call } from "../../kernel/calls.js";
import {
  AF_INET,
  AF_INET6,
  IPPROTO_IPV6,
  IPV6_V6ONLY,
  SO_REUSEADDR,
  SO_REUSEPORT,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_NONBLOCK,
  SOCK_STREAM,
  SOL_SOCKET,
} from "../../kernel/numbers.js";
import { inetAddress, int } from "../../kernel/structures.js";
import { addressBytes } from "../addresses.js";
import type { Place } from "./forwarder.js";

/**
 * A socket that is bound to a port at this address, not on the other family. `shared`: also if another process, which
 * shares it, has it already. Throws the error of bind(2).
 */
export function boundAt(protocol: "tcp" | "udp", { address, port }: Place, shared: boolean): number {
  const type = (protocol === "tcp" ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK;
  const bytes = addressBytes(address);
  const isIpv6 = bytes.length > 4;
  const fd = call("socket", protocol, isIpv6 ? AF_INET6 : AF_INET, type, 0);
  try {
    if (isIpv6) call("setsockopt", protocol, fd, IPPROTO_IPV6, IPV6_V6ONLY, int(1), 4);
    // Old connections of a stopped server (TIME_WAIT) do not block the port. For UDP it would mean sharing.
    if (protocol === "tcp") call("setsockopt", protocol, fd, SOL_SOCKET, SO_REUSEADDR, int(1), 4);
    if (shared) share(fd, true);
    const name = inetAddress(bytes, port);
    call("bind", protocol, fd, name, name.length);
    return fd;
  } catch (error) {
    call("close", protocol, fd);
    throw error;
  }
}

/**
 * Whether a process that replaces this one may bind the port, too: where it cannot get the socket itself, since the kernel
 * is too old for that, or because two engines' processes meet. Only for a moment: any program of the same user could
 * then take a part of what arrives. For a TCP port that was bound while it was shared, the kernel remembers that, and a
 * program of the same user that shares it, too, can bind it later.
 */
export function share(fd: number, isShared: boolean): void {
  call("setsockopt", "share", fd, SOL_SOCKET, SO_REUSEPORT, int(isShared ? 1 : 0), 4);
}
