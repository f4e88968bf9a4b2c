// Who may reach whom, as the records say it: a naive rule, which knows nothing of how a host or the core does it.

import type { ContainerRecord, NetworkRecord } from "../../../../build/core/record-types.js";
import { type Ledger, RUNNING, wordOf } from "../../ledger.js";

type Family = 4 | 6;
type Endpoint = ContainerRecord["endpoints"][number];

const OPTION = "com.docker.network.bridge.";
const PARENTS = ["macvlan", "ipvlan"];

/** A network as it matters here. */
export interface Net {
  id: string;
  isInternal: boolean;
  isOnParent: boolean;
  /** Its containers reach each other. */
  connects: boolean;
  /** The default network answers no names. */
  hasNames: boolean;
  mode(family: Family): string;
}

/** A running container's place on a network. */
export interface Place {
  net: Net;
  address(family: Family): string;
  hasGateway(family: Family): boolean;
}

export interface Party {
  record: ContainerRecord;
  places: Place[];
}

/** Running containers with networks of their own. */
export function partiesOf(ledger: Ledger): Party[] {
  const running = [...ledger.containers.values()].filter((one) => RUNNING.includes(wordOf(one)));
  return running
    .map((record) => ({ record, places: record.endpoints.flatMap((one) => placeOf(one, ledger) ?? []) }))
    .filter(({ places }) => places.length > 0);
}

function placeOf({ networkId = "", place, network: name }: Endpoint, ledger: Ledger): Place | null {
  if (place === undefined) return null;
  const record = ledger.json<NetworkRecord>(`network/${networkId}`);
  const gateways = { 4: place.gateway, 6: place.ipv6Gateway ?? "" };
  return {
    net: netOf(networkId, name, record),
    address: (family) => (family === 4 ? place.address : (place.ipv6Address ?? "")),
    hasGateway: (family) => gateways[family] !== "",
  };
}

function netOf(id: string, name: string, record: NetworkRecord | undefined): Net {
  const { options = {}, driver = "bridge", internal: isInternal = false } = record ?? {};
  return {
    ...{ id, isInternal, isOnParent: PARENTS.includes(driver) },
    connects: options[`${OPTION}enable_icc`] !== "false",
    hasNames: (record?.name ?? name) !== "bridge",
    mode: (family) => options[`${OPTION}gateway_mode_ipv${family}`] ?? "nat",
  };
}

/**
 * Whether a container reaches an address of another one: on a network of both, if that connects its containers; or
 * through the machine, if the other one's network lets everybody in. `port`: null for an echo.
 */
export function reaches(from: Party, to: Party, at: Place, family: Family, port: number | null): boolean {
  const shared = from.places.find(({ net, address }) => net.id === at.net.id && address(family) !== "");
  if (shared !== undefined) return at.net.connects;
  return leavesFor(from, family) && isOpen(to, at, family, port);
}

function isOpen({ record }: Party, { net }: Place, family: Family, port: number | null): boolean {
  if (net.isInternal || net.isOnParent) return false;
  const mode = net.mode(family);
  if (mode === "nat-unprotected") return true;
  if (mode !== "routed") return false;
  const isOfFamily = (address: string): boolean => address.includes(":") === (family === 6);
  const opened = (record.sandbox?.ports ?? []).filter((one) => one.hostPort === 0 && isOfFamily(one.hostAddress));
  return port === null || opened.some((one) => one.containerPort === port && one.protocol === "tcp");
}

/** Whether the container's packets get to the machine and beyond it. Null if it depends on which network leads. */
export function leavesFor({ places }: Party, family: Family): boolean {
  return places.some((place) => leads(place, family));
}

function leads({ net, address, hasGateway }: Place, family: Family): boolean {
  return (
    !net.isInternal &&
    !net.isOnParent &&
    net.mode(family) !== "isolated" &&
    address(family) !== "" &&
    hasGateway(family)
  );
}

/** Whether the rule is simple enough to say: a parent's network may be the one that leads. */
export function isPlain({ places }: Party): boolean {
  return places.every(({ net }) => !net.isOnParent) || places.every(({ net }) => net.isOnParent);
}

/** The addresses under which a container knows another one by name; none if they share no network with names. */
export function knownAddresses(from: Party, to: Party): string[] {
  const names = new Set(from.places.filter(({ net }) => net.hasNames).map(({ net }) => net.id));
  const shared = to.places.filter(({ net }) => names.has(net.id));
  return shared.flatMap(({ address }) => [address(4), address(6)]).filter((address) => address !== "");
}
