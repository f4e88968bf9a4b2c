// Leads a container's queries for 127.0.0.11:53 to the port at which its resolver listens. So port 53 stays free for a
// name server of the container's own.

import type { Kernel } from "../kernel.js";
import { ipv4 } from "../networks/addresses.js";
import { enterNamespace } from "../networks/namespace.js";
import { addChain, addRule, NF_INET_LOCAL_OUT, NF_INET_POST_ROUTING } from "../networks/filter/chains.js";
import {
  fieldIs,
  protocolIs,
  RECEIVER_PORT,
  setField,
  type Expression,
  type PacketField,
} from "../networks/filter/expressions.js";
import { big, openFilter, transact, type Table } from "../networks/filter/message.js";
import { addTable, deleteTable } from "../networks/filter/tables.js";
import type { Request } from "../networks/netlink/netlink.js";

const ADDRESS = ipv4("127.0.0.11");
const DNS = 53;
const TABLE: Table = { family: "ip", name: "coracle-names" };
const QUERIES = "queries";
const ANSWERS = "answers";

/**
 * Ports are replaced in the packets themselves. With address translation, the kernel would track every connection of the
 * container, which costs throughput. If a container tracks its connections by itself, it sees the resolver's port both
 * ways: queries are changed before that, and answers after it.
 */
export async function redirect(kernel: Kernel, namespace: string, port: number): Promise<void> {
  const filter = enterNamespace(kernel, namespace, () => openFilter(kernel));
  try {
    await transact(filter, [
      addTable(TABLE),
      deleteTable(TABLE),
      addTable(TABLE),
      addChain(TABLE, QUERIES, { type: "filter", number: NF_INET_LOCAL_OUT, priority: -310 }),
      addChain(TABLE, ANSWERS, { type: "filter", number: NF_INET_POST_ROUTING, priority: 310 }),
      ...PROTOCOLS.flatMap((protocol) => rulesOf(protocol, port)),
    ]);
  } finally {
    filter.closeAside();
  }
}

/** A protocol's number, and the offset of the checksum in its header. */
interface Protocol {
  number: number;
  checksum: number;
}

const PROTOCOLS: readonly Protocol[] = [
  { number: 17, checksum: 6 }, // UDP
  { number: 6, checksum: 16 }, // TCP
];

const SOURCE: PacketField = { base: "network", offset: 12, bytes: 4 };
const DESTINATION: PacketField = { base: "network", offset: 16, bytes: 4 };
const SOURCE_PORT: PacketField = { base: "transport", offset: 0, bytes: 2 };

function rulesOf(protocol: Protocol, port: number): Request[] {
  return [
    addRule(TABLE, QUERIES, ...fieldIs(DESTINATION, ADDRESS), ...moved(protocol, RECEIVER_PORT, DNS, port)),
    addRule(TABLE, ANSWERS, ...fieldIs(SOURCE, ADDRESS), ...moved(protocol, SOURCE_PORT, port, DNS)),
  ];
}

function moved({ number, checksum }: Protocol, field: PacketField, from: number, to: number): Expression[] {
  return [...protocolIs(number), ...fieldIs(field, big(from, 2)), ...setField(field, big(to, 2), checksum)];
}
