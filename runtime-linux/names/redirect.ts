// Leads a container's queries for 127.0.0.11:53 to the port at which its resolver listens. So port 53 stays free for a
// name server of the container's own.

import type { Kernel } from "../kernel.js";
import { enterNamespace } from "../networks/namespace.js";
import { nft } from "../networks/rules.js";

const ADDRESS = "127.0.0.11";
const TABLE = "ip coracle-names";

/**
 * Ports are replaced in the packets themselves. With address translation, the kernel would track every connection of the
 * container, which costs throughput. If a container tracks its connections by itself, it sees the resolver's port both
 * ways: queries are changed before that, and answers after it.
 */
export async function redirect(kernel: Kernel, namespace: string, port: number): Promise<void> {
  const rules = [
    `add table ${TABLE}`,
    `delete table ${TABLE}`,
    `add table ${TABLE}`,
    `add chain ${TABLE} queries { type filter hook output priority -310 ; }`,
    `add chain ${TABLE} answers { type filter hook postrouting priority 310 ; }`,
    ...["udp", "tcp"].flatMap((protocol) => [
      `add rule ${TABLE} queries ip daddr ${ADDRESS} ${protocol} dport 53 ${protocol} dport set ${port}`,
      `add rule ${TABLE} answers ip saddr ${ADDRESS} ${protocol} sport ${port} ${protocol} sport set 53`,
    ]),
  ];
  await enterNamespace(kernel, namespace, () => nft(rules.join("\n")));
}
