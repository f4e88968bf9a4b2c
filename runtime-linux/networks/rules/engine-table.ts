// The engine's table of the kernel's packet filter, one for each family: what all of its bridge networks share. A packet
// finds its network's rules by look-ups of its interfaces and of its sender's subnet, and the target of a published port
// by one of the receiver. So its path is as long with one network as with hundreds, and with one container as with many.

import {
  addChain,
  addRule,
  allUses,
  flushChain,
  NF_INET_FORWARD,
  NF_INET_LOCAL_OUT,
  NF_INET_POST_ROUTING,
  NF_INET_PRE_ROUTING,
  usesOf,
  type Hook,
} from "../filter/chains.js";
import * as nf from "../filter/expressions.js";
import type { Table } from "../filter/message.js";
import * as sets from "../filter/sets.js";
import { addTable } from "../filter/tables.js";
import type { Netlink, Request } from "../netlink/netlink.js";

type Expressions = nf.Expression[];
export type Family = Table["family"];

/** A chain and its rules. */
export interface Chain {
  name: string;
  hook?: Hook;
  rules: Expressions[];
  /** Rules of other chains, and elements of maps, that jump here. */
  jumpsHere?: number;
}

/** An address and how many of its bits count. */
export type Subnet = [address: Uint8Array, bits: number];

/** What differs between the tables of the two families. */
export interface Place {
  sender: nf.PacketField;
  receiver: nf.PacketField;
  /** Where the machine reaches itself. */
  loopback: Subnet;
}

export const PLACES: Readonly<Record<Family, Place>> = {
  ip: placeOf(12, 4, [Uint8Array.of(127, 0, 0, 0), 8]),
  ip6: placeOf(8, 16, [Uint8Array.from({ length: 16 }, (_, at) => (at === 15 ? 1 : 0)), 128]),
};

/** The receiver's address follows the sender's. */
function placeOf(offset: number, bytes: number, loopback: Subnet): Place {
  const [sender, receiver] = [offset, offset + bytes].map((at) => ({ base: "network" as const, offset: at, bytes }));
  return { sender: sender!, receiver: receiver!, loopback };
}

/**
 * - `published`, `everywhere`: where a published port of the machine leads, at one of its addresses or at all of them.
 * - `opened`: the published ports, at containers' own addresses, of a routed network, and of one that trusts interfaces.
 * - `bridges`: the interfaces of networks.
 * - `inward`, `outward`: a network's rules for what is sent to its bridge, and for what comes from it.
 * - `senders`: a network's rules for what its subnet sends, wherever it leaves.
 */
export type SetName = "published" | "everywhere" | "opened" | "bridges" | "inward" | "outward" | "senders";

/** Those in which a network has an element. */
export const BRIDGE_SETS = ["bridges", "inward", "outward", "senders"] as const satisfies readonly SetName[];

/** Those of published ports. */
export const PORT_SETS = ["published", "everywhere", "opened"] as const satisfies readonly SetName[];

/** Makes the table and its sets. Existing ones stay as they are. */
export function addTableAndSets(table: Table): Request[] {
  return [addTable(table), ...setsOf(table.family).map((set, at) => sets.addSet(table, set, at + 1))];
}

function setsOf(family: Family): (sets.NfSet & { name: SetName })[] {
  const address = family === "ip" ? sets.IPV4_ADDR : sets.IPV6_ADDR;
  const port = [sets.INET_PROTO, sets.INET_SERVICE];
  const value = [address, sets.INET_SERVICE];
  const bridge = [sets.IFNAME];
  return [
    { name: "published", key: [address, ...port], value },
    { name: "everywhere", key: port, value },
    { name: "opened", key: [address, ...port] },
    { name: "bridges", key: bridge },
    { name: "inward", key: bridge, value: "chain" },
    { name: "outward", key: bridge, value: "chain" },
    { name: "senders", key: [address], value: "chain", hasIntervals: true },
  ];
}

/** Makes the chains that all networks share. Those of an existing table get their rules anew. */
export function addSharedChains(table: Table): Request[] {
  return addChains(table, chainsOf(table.family));
}

/** Whether none of them lacks a rule: somebody may have flushed the table. */
export async function hasSharedChains(filter: Netlink, table: Table): Promise<boolean> {
  const shared = chainsOf(table.family);
  const names = shared.map(({ name }) => name);
  return areWhole(shared, await usesOf(filter, table, names));
}

/** Whether the table has all of these chains and the shared ones, with as many rules, and as many that jump to them. */
export async function hasChains(filter: Netlink, table: Table, chains: readonly Chain[]): Promise<boolean> {
  return areWhole([...chainsOf(table.family), ...chains], await allUses(filter, table));
}

function areWhole(chains: readonly Chain[], uses: ReadonlyMap<string, number>): boolean {
  return chains.every(({ name, rules, jumpsHere = 0 }) => uses.get(name) === rules.length + jumpsHere);
}

/** Makes chains. Existing ones get their rules anew. */
export function addChains(table: Table, chains: readonly Chain[]): Request[] {
  return [
    ...chains.flatMap(({ name, hook }) => [addChain(table, name, hook), flushChain(table, name)]),
    ...chains.flatMap(({ name, rules }) => rules.map((rule) => addRule(table, name, ...rule))),
  ];
}

/**
 * - `guard`: 127.0.0.0/8 is routed to the bridges (route_localnet), so only the machine itself may send to it. This
 *   chain comes before conntrack, which turns containers' answers back into packets for 127.0.0.1. The kernel itself does
 *   that for ::1.
 * - `publish`: translates an address and port of the machine to those of a container, for packets from elsewhere, from
 *   containers and from the machine itself. Packets for ::1 cannot be led to a container: see `ports.ts`.
 * - `leaving`: hides senders as their network wants. What the machine sends from 127.0.0.1 to a published port goes out
 *   under the machine's address, too, since its answers must come back this way.
 * - `passing`: what is forwarded from a bridge or to one. The rules for what comes from a bridge are asked first: they keep
 *   an internal network's packets in, and those for what is sent to a bridge decide.
 */
function chainsOf(family: Family): Chain[] {
  const { sender, receiver, loopback } = PLACES[family];
  const toLoopback = nf.fieldBegins(receiver, ...loopback);
  const jump = nf.jump("publish");
  const fromLoopback = [...nf.fieldBegins(sender, ...loopback), ...nf.leavesByOneOf("bridges")];
  return [
    { name: "guard", hook: GUARD, rules: [[...nf.comesFromElsewhere("lo"), ...toLoopback, ...nf.drop()]] },
    {
      name: "publish",
      jumpsHere: 2,
      rules: [
        ...(family === "ip6" ? [[...toLoopback, ...nf.goBack()]] : []),
        nf.ledByMap("published", family, receiver),
        [...nf.isForMachine(), ...nf.ledByMap("everywhere", family)],
      ],
    },
    { name: "arriving", hook: ARRIVING, rules: [jump] },
    { name: "local", hook: LOCAL, rules: [jump] },
    {
      name: "leaving",
      hook: LEAVING,
      rules: [nf.jumpBySender("senders", sender), [...fromLoopback, ...nf.isLed(), ...nf.masquerade()]],
    },
    { name: "passing", hook: PASSING, rules: [nf.jumpByOrigin("outward"), nf.jumpByExit("inward")] },
  ];
}

const GUARD: Hook = { type: "filter", number: NF_INET_PRE_ROUTING, priority: -300 };
const ARRIVING: Hook = { type: "nat", number: NF_INET_PRE_ROUTING, priority: -100 };
const LOCAL: Hook = { type: "nat", number: NF_INET_LOCAL_OUT, priority: -100 };
const LEAVING: Hook = { type: "nat", number: NF_INET_POST_ROUTING, priority: 100 };
const PASSING: Hook = { type: "filter", number: NF_INET_FORWARD, priority: 0 };
