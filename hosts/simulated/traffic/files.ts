// Files about the network: what programs read of `/etc/hosts` and `/etc/resolv.conf`, and what the kernel shows in /proc.

import { numberOf } from "./addresses.js";
import type { NetworkNamespace } from "./namespace.js";

/** The IPv4 addresses of a name in `/etc/hosts` (hosts(5)). */
export function addressesIn(hosts: string, name: string): string[] {
  const lines = hosts.split("\n").map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
  const wanted = name.toLowerCase();
  return lines
    .filter(([, ...names]) => names.some((one) => one.toLowerCase() === wanted))
    .flatMap(([address = ""]) => (numberOf(address) === null ? [] : [address]));
}

/** The name servers of `/etc/resolv.conf` (resolv.conf(5)). */
export function serversIn(resolvConf: string): string[] {
  return [...resolvConf.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server = ""]) => server);
}

/** `/proc/net/tcp` (proc(5)): the sockets that listen. */
export function tcpText({ listeners }: NetworkNamespace): string {
  const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
  const lines = listeners.map(({ address, port }, index) => {
    const at = `${addressText(address)}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
    const rest =
      "00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 100 0 0 10 0";
    return `${String(index).padStart(4)}: ${at} ${rest}`;
  });
  return [head.padEnd(149), ...lines.map((line) => line.padEnd(149))].map((line) => `${line}\n`).join("");
}

/** The bytes in the machine's order, the lowest first. */
function addressText(address: string): string {
  const bytes = address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  return bytes.reverse().join("").toUpperCase();
}
