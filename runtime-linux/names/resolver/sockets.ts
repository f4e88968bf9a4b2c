// Sockets in the network namespaces of containers. Node makes a socket only where its own thread is, and only later, so
// these are made by libc and then handed to Node.

import { encode } from "@leichtgewicht/ip-codec";
import { attempt, call, errnoException } from "../../kernel/calls.js";
import { libc } from "../../kernel/libc.js";
import {
  AF_INET,
  AF_INET6,
  EINPROGRESS,
  SO_RCVBUFFORCE,
  SO_REUSEPORT,
  SO_SNDBUF,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_NONBLOCK,
  SOCK_STREAM,
  SOL_SOCKET,
} from "../../kernel/numbers.js";
import { receiveAtMost } from "../../kernel/packet-filter.js";
import { inetAddress, int } from "../../kernel/structures.js";
import { enterNamespace } from "../../networks/namespace.js";
import { LONGEST_QUERY } from "./messages.js";

export type Transport = "udp" | "tcp";

/** A name server, and the namespace from which it is asked; undefined: the machine's. */
export interface Server {
  address: string;
  namespace: string | undefined;
}

/** Where containers' queries arrive. */
export const OWN_ADDRESS = "127.0.0.11";

/** Of a server, by UDP. Node takes 64 KiB for each datagram that may come. No server sends longer ones than this. */
export const LONGEST_ANSWER = 4096;

/**
 * A socket that is bound to a port of 127.0.0.11 in a namespace. The process that replaces this one can bind it, too
 * (SO_REUSEPORT), so that there is always one that answers.
 */
export function boundSocket(transport: Transport, namespace: string, port: number): number {
  return within(namespace, () =>
    made(transport, AF_INET, (fd) => {
      call("setsockopt", transport, fd, SOL_SOCKET, SO_REUSEPORT, int(1), 4);
      if (transport === "udp") receiveAtMost(fd, LONGEST_QUERY);
      // The connections that are accepted there have the same.
      else call("setsockopt", transport, fd, SOL_SOCKET, SO_SNDBUF, int(SENT_BYTES), 4);
      const address = socketAddress(OWN_ADDRESS, port);
      call("bind", transport, fd, address, address.length);
    }),
  );
}

/** A socket that is connected to a name server, or about to be. */
export function connectedSocket(transport: Transport, { address: server, namespace }: Server): number {
  const address = socketAddress(server, DNS);
  const family = address.length === INET_BYTES ? AF_INET : AF_INET6;
  return within(namespace, () =>
    made(transport, family, (fd) => {
      if (transport === "udp") {
        receiveAtMost(fd, LONGEST_ANSWER);
        attempt("setsockopt", fd, SOL_SOCKET, SO_RCVBUFFORCE, int(HELD_BYTES), 4);
      }
      const result = attempt("connect", fd, address, address.length);
      if (result < 0 && result !== -EINPROGRESS) throw errnoException(-result, "connect", server);
    }),
  );
}

/**
 * From now on only datagrams that wait already are received: the kernel gives a connected socket only those of its peer,
 * and this one has none.
 */
export function receiveNoMore(fd: number): void {
  const nobody = socketAddress(OWN_ADDRESS, DISCARD);
  attempt("connect", fd, nobody, nobody.length);
}

/**
 * Sends a datagram at once. A negative result is an errno. If the kernel has no room for it, it is lost, as any datagram
 * may be. `to`: a `sockaddr`.
 */
export function sendDatagram(fd: number, bytes: Uint8Array, to: Uint8Array): number {
  return attempt("sendto", fd, bytes, bytes.length, 0, to, to.length);
}

/** Clients of a container have few addresses. To read one takes longer than to send an answer. */
const clients = new Map<string, Uint8Array>();
const MOST_CLIENTS = 256;

/** The `sockaddr` of a client, whose address is IPv4. */
export function clientAddress(address: string, port: number): Uint8Array {
  let bytes = clients.get(address);
  if (bytes === undefined) {
    if (clients.size === MOST_CLIENTS) clients.clear();
    clients.set(address, (bytes = encode(address)));
  }
  return inetAddress(bytes, port);
}

const DNS = 53;
/** What the kernel keeps for a client that does not read; it doubles this. */
const SENT_BYTES = 32 * 1024;
/** What the kernel keeps of answers that come at once; it doubles this. Each takes twice its length there, or more. */
const HELD_BYTES = 320 * 1024;
const DISCARD = 9;
const INET_BYTES = 16;

function within<T>(namespace: string | undefined, make: () => T): T {
  return namespace === undefined ? make() : enterNamespace(libc, namespace, make);
}

function made(transport: Transport, family: number, prepare: (fd: number) => void): number {
  const type = transport === "udp" ? SOCK_DGRAM : SOCK_STREAM;
  const fd = call("socket", transport, family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  try {
    prepare(fd);
    return fd;
  } catch (error) {
    call("close", transport, fd);
    throw error;
  }
}

/** struct sockaddr_in or sockaddr_in6. A link-local address has its interface behind a `%`. */
function socketAddress(text: string, port: number): Uint8Array {
  const [address = "", scope] = text.split("%");
  const bytes = encode(address);
  if (bytes.length === 4) return inetAddress(bytes, port);
  const made = Buffer.alloc(28);
  made.writeUInt16LE(AF_INET6, 0);
  made.writeUInt16BE(port, 2);
  made.set(bytes, 8);
  made.writeUInt32LE(scope === undefined ? 0 : libc.interfaceIndex(scope), 24);
  return made;
}
