// The ports that a container asks to publish: `PortBindings`, and with `PublishAllPorts` all exposed ports.

import { Json } from "../../json/json";
import { decimalOf } from "../../text/decimal";
import { canonicalAddress } from "../address/address";
import { overlap } from "../address/wildcard";

const MAX_PORT: i32 = 65535;
/** Beyond this many addresses each gets its own port, since every pair of them is compared. */
const MOST_TOGETHER: i32 = 16;

/** One port of the container, published on the same port of the machine on all of these addresses. */
export class PortWish {
  constructor(
    readonly containerPort: u16,
    readonly protocol: string,
    readonly addresses: string[],
    /** 0 if the engine chooses. */
    readonly firstPort: u16,
    readonly lastPort: u16,
  ) {}

  /** The same wish, at these addresses. */
  at(addresses: string[]): PortWish {
    return new PortWish(this.containerPort, this.protocol, addresses, this.firstPort, this.lastPort);
  }

  /** Adds the addresses of a wish for the same ports elsewhere, since Docker uses one port for both families. */
  unite(other: PortWish): bool {
    if (this.addresses.length >= MOST_TOGETHER) return false;
    if (this.containerPort != other.containerPort || this.protocol != other.protocol) return false;
    if (this.firstPort != other.firstPort || this.lastPort != other.lastPort) return false;
    for (let i = 0; i < this.addresses.length; i++) {
      for (let j = 0; j < other.addresses.length; j++) {
        if (overlap(this.addresses[i], other.addresses[j])) return false;
      }
    }
    for (let j = 0; j < other.addresses.length; j++) this.addresses.push(other.addresses[j]);
    return true;
  }
}

/**
 * Malformed entries are skipped: `refusePorts` refused them at create. `everywhere`: the addresses of a port that names
 * none, IPv4 first.
 */
export function readPortWishes(hostConfig: Json, config: Json, everywhere: string[]): PortWish[] {
  const wishes: PortWish[] = [];
  const bindings = hostConfig.find("PortBindings");
  const bound = new Set<string>();
  if (bindings !== null) {
    for (let i = 0; i < bindings.keys.length; i++) {
      const keys = portKeysOf(bindings.keys[i]);
      for (let k = 0; k < keys.length; k++) bound.add(keys[k]);
      if (keys.length == 1) addWishes(wishes, keys[0], bindings.items[i], everywhere);
    }
  }
  const exposed = config.find("ExposedPorts");
  if (!hostConfig.boolOf("PublishAllPorts") || exposed === null) return wishes;
  for (let i = 0; i < exposed.keys.length; i++) {
    const keys = portKeysOf(exposed.keys[i]);
    for (let k = 0; k < keys.length; k++) if (!bound.has(keys[k])) addWish(wishes, keys[k], "", "", everywhere);
  }
  return wishes;
}

/**
 * `80/tcp` for `80`, and every port of the range `8000-8010/udp`.
 * Empty for an invalid text, which an image may contain.
 */
export function portKeysOf(spec: string): string[] {
  const keys: string[] = [];
  const range = rangeOf(spec);
  const protocol = protocolOf(spec);
  if (range == NO_RANGE || firstOf(range) == 0 || !isProtocol(protocol)) return keys;
  for (let port = firstOf(range); port <= lastOf(range); port++) keys.push(`${port.toString()}/${protocol}`);
  return keys;
}

/**
 * Number of ports of all three protocols. No request for more
 * could succeed, and each port of a range may have to be tried.
 */
const MAX_PORTS: u32 = 3 * 65536;

/** Why the bindings are invalid; null if they are valid. */
export function refusePorts(bindings: Json): string | null {
  let ports: u32 = 0;
  for (let i = 0; i < bindings.keys.length; i++) {
    const problem = keyProblem(bindings.keys[i]);
    if (problem !== null) return problem;
    const list = bindings.items[i];
    for (let j = 0; j < list.items.length; j++) {
      const port = list.items[j].stringOf("HostPort");
      const range = rangeOf(port);
      if (range == NO_RANGE) return `invalid port specification: "${port}"`;
      ports += lastOf(range) - firstOf(range) + 1;
      if (ports > MAX_PORTS) return `HostConfig.PortBindings: more than ${MAX_PORTS.toString()} ports of the host`;
      const address = list.items[j].stringOf("HostIp");
      if (address.length > 0 && canonicalAddress(address).length == 0) return `invalid IP address: "${address}"`;
    }
  }
  return null;
}

/** Why there are too many exposed ports; null if there are not. Each port of a range is shown, and may be published. */
export function refuseExposed(exposed: Json): string | null {
  let ports: u32 = 0;
  for (let i = 0; i < exposed.keys.length; i++) {
    const range = rangeOf(exposed.keys[i]);
    if (range != NO_RANGE) ports += lastOf(range) - firstOf(range) + 1;
    if (ports > MAX_PORTS) return `Config.ExposedPorts: more than ${MAX_PORTS.toString()} ports`;
  }
  return null;
}

/** The container's side must be one port, not a range; clients expand ranges themselves. */
function keyProblem(key: string): string | null {
  const range = rangeOf(key);
  if (range == NO_RANGE || firstOf(range) == 0 || firstOf(range) != lastOf(range)) {
    return `invalid port specification: "${portPart(key)}"`;
  }
  return isProtocol(protocolOf(key)) ? null : `invalid port specification: "${key}"`;
}

/** Ports of the container with an empty list of bindings. */
export function withoutBindings(bindings: Json): string[] {
  const keys: string[] = [];
  for (let i = 0; i < bindings.keys.length; i++) if (bindings.items[i].length == 0) keys.push(bindings.keys[i]);
  return keys;
}

function addWishes(wishes: PortWish[], key: string, list: Json, everywhere: string[]): void {
  // An empty list counts as one binding without address and port (surface §2.14).
  if (list.items.length == 0) addWish(wishes, key, "", "", everywhere);
  for (let i = 0; i < list.items.length; i++) {
    addWish(wishes, key, list.items[i].stringOf("HostIp"), list.items[i].stringOf("HostPort"), everywhere);
  }
}

/** `key`: in the form of `portKeysOf`. */
function addWish(wishes: PortWish[], key: string, address: string, hostPort: string, everywhere: string[]): void {
  const range = rangeOf(hostPort);
  if (range == NO_RANGE) return;
  const protocol = protocolOf(key);
  const port = <u16>parseInt(portPart(key), 10);
  const wish = new PortWish(
    port,
    protocol,
    address.length > 0 ? [canonicalAddress(address)] : everywhere.slice(0),
    <u16>firstOf(range),
    <u16>lastOf(range),
  );
  if (wishes.length == 0 || !wishes[wishes.length - 1].unite(wish)) wishes.push(wish);
}

export const SCTP: string = "sctp";

function isProtocol(protocol: string): bool {
  return protocol == "tcp" || protocol == "udp" || protocol == SCTP;
}

/** The part before the slash. */
function portPart(spec: string): string {
  const slash = spec.indexOf("/");
  return slash < 0 ? spec : spec.slice(0, slash);
}

function protocolOf(spec: string): string {
  // Fast path for the usual case, since there may be tens of thousands.
  const slash = spec.indexOf("/");
  if (slash == spec.length - 4 && spec.endsWith("/tcp")) return "tcp";
  return slash < 0 ? "tcp" : spec.slice(slash + 1).toLowerCase();
}

/**
 * The range in `80`, `80/tcp` or `80-90`, to be read by `firstOf` and `lastOf`.
 * Both are 0 for an empty text; `NO_RANGE` for an invalid one, and for a range
 * that begins at 0. It allocates nothing, since there may be tens of thousands.
 */
function rangeOf(spec: string): u32 {
  const slash = spec.indexOf("/");
  const end = slash < 0 ? spec.length : slash;
  if (end == 0) return 0;
  const dash = spec.indexOf("-");
  const isRange = dash >= 0 && dash < end;
  const first = decimalOf(spec, MAX_PORT, 0, isRange ? dash : end);
  const last = isRange ? decimalOf(spec, MAX_PORT, dash + 1, end) : first;
  if (first < 0 || last < first || (first == 0 && last > 0)) return NO_RANGE;
  return ((<u32>first) << 16) | <u32>last;
}

/** Stands for no range: its last port would be before its first. */
const NO_RANGE: u32 = 0xffff0000;

function firstOf(range: u32): u32 {
  return range >> 16;
}

function lastOf(range: u32): u32 {
  return range & 0xffff;
}
