// Files about the network: what programs read of `/etc/hosts` and `/etc/resolv.conf`, and what the kernel shows in /proc.

import { canonical, groupsOf, isIpv6, numberOf } from "./addresses.js";
import type { Bound } from "./bindings.js";
import type { NetworkNamespace } from "./namespace.js";

/** The addresses of a name in `/etc/hosts` (hosts(5)). */
export function addressesIn(hosts: string, name: string): string[] {
  const lines = hosts.split("\n").map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
  const wanted = name.toLowerCase();
  return lines
    .filter(([, ...names]) => names.some((one) => one.toLowerCase() === wanted))
    .flatMap(([address = ""]) => canonical(address) ?? []);
}

/** The name servers of `/etc/resolv.conf` (resolv.conf(5)). */
export function serversIn(resolvConf: string): string[] {
  return [...resolvConf.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server = ""]) => server);
}

/** The lines of a table begin with the same columns for both protocols. */
type Bounds = Pick<NetworkNamespace, "listeners" | "datagrams">;

/** Columns of a line after the addresses, for a socket that listens. */
const LISTENING = "0A 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 100 0 0 10 0";
const QUEUES = "st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";

/** `/proc/net/tcp` (proc(5)): the sockets of IPv4 that listen. */
export function tcpText({ listeners }: Bounds): string {
  const lines = linesOf(listeners.all.filter(({ address }) => !isIpv6(address)));
  return [`  sl  local_address rem_address   ${QUEUES}`, ...lines].map((line) => `${line.padEnd(149)}\n`).join("");
}

/** `/proc/net/tcp6`: those of IPv6. */
export function tcp6Text({ listeners }: Bounds): string {
  const head = `  sl  local_address${" ".repeat(25)}remote_address${" ".repeat(24)}${QUEUES}`;
  const lines = linesOf(listeners.all.filter(({ address }) => isIpv6(address)));
  return [head, ...lines].map((line) => `${line}\n`).join("");
}

/** Columns of a socket of UDP. */
const UNCONNECTED = "07 00000000:00000000 00:00000000 00000000     0        0 0 2 0000000000000000 0";
const MORE = "ref pointer drops";

/** `/proc/net/udp`: the sockets of UDP over IPv4 alone. */
export function udpText({ datagrams }: Bounds): string {
  const lines = linesOf(
    datagrams.all.filter(({ address }) => !isIpv6(address)),
    UNCONNECTED,
    5,
  );
  const head = `   sl  local_address rem_address   ${QUEUES} ${MORE}`;
  return [head, ...lines].map((line) => `${line.padEnd(127)}\n`).join("");
}

/** `/proc/net/udp6`: those of IPv6. */
export function udp6Text({ datagrams }: Bounds): string {
  const head = `  sl  local_address${" ".repeat(25)}remote_address${" ".repeat(24)}${QUEUES} ${MORE}`;
  const lines = linesOf(
    datagrams.all.filter(({ address }) => isIpv6(address)),
    UNCONNECTED,
    5,
  );
  return [head, ...lines].map((line) => `${line}\n`).join("");
}

function linesOf(listeners: readonly Bound[], rest = LISTENING, width = 4): string[] {
  return listeners.map(({ address, port }, index) => {
    const own = addressText(address);
    const at = `${own}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
    return `${String(index).padStart(width)}: ${at} ${"0".repeat(own.length)}:0000 ${rest}`;
  });
}

/** The bytes of each 32 bits in the machine's order, the lowest first. */
function addressText(address: string): string {
  const words = wordsOf(address).map((word) => word.toString(16).padStart(8, "0"));
  return words.map((word) => word.replace(/(..)(..)(..)(..)/, "$4$3$2$1").toUpperCase()).join("");
}

function wordsOf(address: string): number[] {
  const groups = groupsOf(address);
  if (groups === null) return [numberOf(address) ?? 0];
  return [0, 2, 4, 6].map((at) => groups[at]! * 0x10000 + groups[at + 1]!);
}
