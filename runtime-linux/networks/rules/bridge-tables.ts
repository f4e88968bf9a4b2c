// The firewall rules of a bridge network: one table of the kernel's packet filter for each of its families, made and
// removed along with it. Published ports are elements of two maps in it (`published.ts`), so a packet's path does not grow
// with the number of containers.

import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import { addressBytes, prefixOf } from "../addresses.js";
import type { Netlink, Request } from "../netlink/netlink.js";
import { flushSet } from "./nf-elements.js";
import * as nf from "./nf-expressions.js";
import * as tables from "./nf-tables.js";

type Bridge = networks.Bridge;
type Expressions = nf.Expression[];

/** The families of the network, by nft's names. */
export function familiesOf({ subnet, ipv6Subnet }: Bridge): tables.Table["family"][] {
  return [...(subnet === "" ? [] : (["ip"] as const)), ...(ipv6Subnet === "" ? [] : (["ip6"] as const))];
}

export function tableOf({ network }: Bridge, family: tables.Table["family"]): tables.Table {
  return { family, name: `coracle-${network.slice(0, 12)}` };
}

/**
 * Makes the network's tables. If a table exists, its rules are made anew. `keepsPorts`: the elements of its maps stay;
 * otherwise those that a crash or somebody else has left there are removed.
 */
export async function makeTables(kernel: Kernel, made: Bridge, keepsPorts: boolean): Promise<void> {
  await inFilter(kernel, async (filter) => {
    for (const family of familiesOf(made)) await tables.transact(filter, tableRequests(made, family, keepsPorts));
  });
}

/**
 * Removes the network's tables. A missing table is no error, and without a packet filter there is none. The kernel may have
 * one for IPv4 only.
 */
export async function removeTables(kernel: Kernel, made: Bridge): Promise<void> {
  for (const family of familiesOf(made)) {
    const table = tableOf(made, family);
    const requests = [tables.addTable(table), tables.deleteTable(table)];
    try {
      await inFilter(kernel, (filter) => tables.transact(filter, requests));
    } catch (error) {
      if (!WITHOUT_FILTER.includes((error as NodeJS.ErrnoException).code)) throw error;
    }
  }
}

/** What a kernel says without nf_tables (EOPNOTSUPP, which Node.js calls ENOTSUP) or without netfilter's sockets. */
const WITHOUT_FILTER: readonly (string | undefined)[] = ["ENOTSUP", "EPROTONOSUPPORT"];

/** `act` gets a socket for the filter of the calling thread's network namespace. */
export async function inFilter(kernel: Kernel, act: (filter: Netlink) => Promise<void>): Promise<void> {
  const filter = tables.openFilter(kernel);
  try {
    await act(filter);
  } finally {
    filter.closeAside();
  }
}

/** A chain and its rules. */
interface Chain {
  name: string;
  hook?: tables.Hook;
  rules: Expressions[];
}

function tableRequests(made: Bridge, family: tables.Table["family"], keepsPorts: boolean): Request[] {
  const table = tableOf(made, family);
  const address = family === "ip" ? tables.IPV4_ADDR : tables.IPV6_ADDR;
  const port = [tables.INET_PROTO, tables.INET_SERVICE];
  const value = [address, tables.INET_SERVICE];
  const sets: tables.NfSet[] = [
    { name: "published", key: [address, ...port], value },
    { name: "everywhere", key: port, value },
    { name: "opened", key: [address, ...port] },
  ];
  const chains = chainsOf(made, family);
  return [
    tables.addTable(table),
    ...sets.map((set, at) => tables.addSet(table, set, at + 1)),
    ...(keepsPorts ? [] : sets.map(({ name }) => flushSet(table, name))),
    ...chains.flatMap(({ name, hook }) => [tables.addChain(table, name, hook), tables.flushChain(table, name)]),
    ...chains.flatMap(({ name, rules }) => rules.map((rule) => tables.addRule(table, name, ...rule))),
  ];
}

/**
 * - `guard`: 127.0.0.0/8 is routed to the bridge (route_localnet), so only the machine itself may send to it. This
 *   chain comes before conntrack, which turns containers' answers back into packets for 127.0.0.1. The kernel itself does
 *   that for ::1.
 * - `publish`: translates an address and port of the machine to those of a container, for packets from elsewhere, from
 *   containers and from the machine itself. Packets for ::1 cannot be led to a container: see `ports.ts`.
 * - `leaving`: containers' packets go out under the machine's address, unless the network does not masquerade. So do
 *   packets to a published port from the same bridge or from 127.0.0.1, since their answers must come back this way.
 * - `entering`: only answers and published ports get in from outside the bridge, or what else the gateway mode lets in;
 *   for an internal network nothing gets in or out. It sees packets from the bridge back to the bridge, too, if a
 *   container sends them to the gateway.
 * The set `opened` has the published ports, at containers' own addresses, of a routed network, and of one that trusts
 * interfaces.
 */
function chainsOf(made: Bridge, family: tables.Table["family"]): Chain[] {
  const place = placeOf(made, family);
  const { receiver, loopback } = place;
  const [toLoopback, jump] = [nf.fieldBegins(receiver, ...loopback), nf.jump("publish")];
  return [
    { name: "guard", hook: GUARD, rules: [[...nf.comesFromElsewhere("lo"), ...toLoopback, ...nf.drop()]] },
    {
      name: "publish",
      rules: [
        ...(family === "ip6" ? [[...toLoopback, ...nf.goBack()]] : []),
        nf.ledByMap("published", family, receiver),
        [...nf.isForMachine(), ...nf.ledByMap("everywhere", family)],
      ],
    },
    { name: "arriving", hook: ARRIVING, rules: [jump] },
    { name: "local", hook: LOCAL, rules: [jump] },
    { name: "leaving", hook: LEAVING, rules: leaving(made, place) },
    { name: "entering", hook: ENTERING, rules: entering(made, ways(made, place)) },
  ];
}

const GUARD: tables.Hook = { type: "filter", number: tables.NF_INET_PRE_ROUTING, priority: -300 };
const ARRIVING: tables.Hook = { type: "nat", number: tables.NF_INET_PRE_ROUTING, priority: -100 };
const LOCAL: tables.Hook = { type: "nat", number: tables.NF_INET_LOCAL_OUT, priority: -100 };
const LEAVING: tables.Hook = { type: "nat", number: tables.NF_INET_POST_ROUTING, priority: 100 };
const ENTERING: tables.Hook = { type: "filter", number: tables.NF_INET_FORWARD, priority: 0 };

/** What differs between the tables of the two families. */
interface Place {
  sender: nf.PacketField;
  receiver: nf.PacketField;
  /** Where the machine reaches itself. */
  loopback: Subnet;
  subnet: Subnet;
  mode: string;
  /** The address under which packets leave; undefined for that of the interface through which they leave. */
  source: Uint8Array | undefined;
  icmp: number;
}

type Subnet = [address: Uint8Array, bits: number];

function placeOf(made: Bridge, family: tables.Table["family"]): Place {
  const isIpv4 = family === "ip";
  const bytes = isIpv4 ? 4 : 16;
  const source = isIpv4 ? made.sourceAddress : made.ipv6SourceAddress;
  return {
    sender: { base: "network", offset: isIpv4 ? 12 : 8, bytes },
    receiver: { base: "network", offset: isIpv4 ? 16 : 24, bytes },
    loopback: isIpv4 ? subnetOf("127.0.0.0/8") : subnetOf("::1/128"),
    subnet: subnetOf(isIpv4 ? made.subnet : made.ipv6Subnet),
    mode: isIpv4 ? made.gatewayMode : made.ipv6GatewayMode,
    source: source === "" ? undefined : addressBytes(source),
    icmp: isIpv4 ? ICMP : ICMPV6,
  };
}

function subnetOf(text: string): Subnet {
  return [addressBytes(text.split("/")[0]!), prefixOf(text)];
}

/** IP protocols. */
const ICMP = 1;
const ICMPV6 = 58;

function leaving({ interfaceName, masquerades }: Bridge, place: Place): Expressions[] {
  const { sender, subnet, loopback, mode, source } = place;
  const fromSubnet = nf.fieldBegins(sender, ...subnet);
  const toOthers = [...nf.leavesElsewhere(interfaceName), ...nf.leavesElsewhere("lo")];
  const back = [fromSubnet, nf.fieldBegins(sender, ...loopback)].map((from) => {
    return [...nf.leavesBy(interfaceName), ...from, ...nf.isLed(), ...nf.masquerade()];
  });
  if (!masquerades || mode === "routed") return back;
  const leave = source === undefined ? nf.masquerade() : nf.senderBecomes(source);
  return [[...fromSubnet, ...toOthers, ...leave], ...back];
}

/** What the gateway mode and the network's options let in from outside the bridge, besides what every mode does. */
function ways({ interfaceName, trustedInterfaces }: Bridge, { mode, icmp, receiver }: Place): Expressions[] {
  const outside = nf.comesFromElsewhere(interfaceName);
  if (mode === "nat-unprotected") return [[...outside, ...nf.accept()]];
  const opened = [...nf.isIn("opened", receiver), ...nf.accept()];
  if (mode === "nat") return trustedInterfaces.map((trusted) => [...nf.comesFrom(trusted), ...opened]);
  if (mode !== "routed") return [];
  return [[...outside, ...nf.protocolIs(icmp), ...nf.accept()], opened];
}

function entering({ interfaceName, internal, connectsContainers }: Bridge, more: Expressions[]): Expressions[] {
  return internal ? closed(interfaceName, connectsContainers) : open(interfaceName, connectsContainers, more);
}

/**
 * If the network does not connect its containers, ports of the bridge are isolated from each other. But a container may
 * send packets for another one to the gateway, which would route them back to the bridge. So these count as packets
 * from outside.
 */
function open(bridge: string, connects: boolean, more: Expressions[]): Expressions[] {
  return [
    [...nf.leavesElsewhere(bridge), ...nf.accept()],
    ...(connects ? [[...nf.comesFrom(bridge), ...nf.accept()]] : []),
    [...nf.isAnswer(), ...nf.accept()],
    [...nf.isLed(), ...nf.accept()],
    ...more,
    nf.drop(),
  ];
}

/**
 * For an internal network: what comes from the bridge stays on it, and nothing else gets in. If the network does not
 * connect its containers, only published ports and answers are routed back to the bridge, as in `open`.
 */
function closed(bridge: string, connects: boolean): Expressions[] {
  const back = [...nf.comesFrom(bridge), ...nf.leavesBy(bridge)];
  const kinds = connects ? [[]] : [nf.isAnswer(), nf.isLed()];
  return [
    ...kinds.map((kind) => [...back, ...kind, ...nf.accept()]),
    [...nf.comesFrom(bridge), ...nf.drop()],
    [...nf.leavesBy(bridge), ...nf.drop()],
  ];
}
