// Which ports a container wants published: `PortBindings`, and with `PublishAllPorts` everything exposed.

import { Json } from "../json/json";
import { parseAddress } from "./addresses";

export class PortWish {
  constructor(
    readonly containerPort: u16,
    readonly protocol: string,
    readonly hostAddress: string,
    /** 0: one of the engine's choice. */
    readonly firstPort: u32,
    readonly lastPort: u32,
  ) {}
}

/** Malformed entries are left out: `refusePorts` has refused them at create. */
export function readPortWishes(hostConfig: Json, config: Json): PortWish[] {
  const wishes: PortWish[] = [];
  const bindings = hostConfig.find("PortBindings");
  if (bindings !== null) {
    for (let i = 0; i < bindings.keys.length; i++) addWishes(wishes, bindings.keys[i], bindings.items[i]);
  }
  const exposed = config.find("ExposedPorts");
  if (!hostConfig.boolOf("PublishAllPorts") || exposed === null) return wishes;
  for (let i = 0; i < exposed.keys.length; i++) {
    if (bindings === null || bindings.entry(exposed.keys[i]) === null) addWish(wishes, exposed.keys[i], "", "");
  }
  return wishes;
}

/** Why the bindings make no sense or cannot be had yet, or null. `built` is set to false for the latter. */
export function refusePorts(bindings: Json): string | null {
  for (let i = 0; i < bindings.keys.length; i++) {
    if (portOf(bindings.keys[i]) == 0) return `invalid port specification: "${bindings.keys[i]}"`;
    const list = bindings.items[i];
    for (let j = 0; j < list.items.length; j++) {
      const port = list.items[j].stringOf("HostPort");
      if (port.length > 0 && rangeOf(port) === null) return `invalid port specification: "${port}"`;
      const address = list.items[j].stringOf("HostIp");
      if (address.length > 0 && !isIpv6(address) && parseAddress(address) < 0) {
        return `invalid IP address: "${address}"`;
      }
    }
  }
  return null;
}

/** Whether any binding names an IPv6 address. */
export function wantsIpv6(bindings: Json): bool {
  for (let i = 0; i < bindings.items.length; i++) {
    const list = bindings.items[i];
    for (let j = 0; j < list.items.length; j++) if (isIpv6(list.items[j].stringOf("HostIp"))) return true;
  }
  return false;
}

function addWishes(wishes: PortWish[], key: string, list: Json): void {
  // An empty list counts as one binding without address and port (surface §2.14).
  if (list.items.length == 0) addWish(wishes, key, "", "");
  for (let i = 0; i < list.items.length; i++) {
    addWish(wishes, key, list.items[i].stringOf("HostIp"), list.items[i].stringOf("HostPort"));
  }
}

function addWish(wishes: PortWish[], key: string, address: string, hostPort: string): void {
  const containerPort = portOf(key);
  const range = rangeOf(hostPort.length > 0 ? hostPort : "0");
  if (containerPort == 0 || range === null) return;
  wishes.push(new PortWish(containerPort, protocolOf(key), address, range[0], range[1]));
}

/** Port of `80/tcp` or `80`; 0 for nonsense. */
function portOf(key: string): u16 {
  const slash = key.indexOf("/");
  const range = rangeOf(slash < 0 ? key : key.slice(0, slash));
  const protocol = protocolOf(key);
  if (range === null || range[0] != range[1]) return 0;
  return protocol == "tcp" || protocol == "udp" || protocol == "sctp" ? <u16>range[0] : 0;
}

function protocolOf(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "tcp" : key.slice(slash + 1).toLowerCase();
}

/** First and last port of `80` or `80-90`; null for nonsense. */
function rangeOf(text: string): u32[] | null {
  const dash = text.indexOf("-");
  const first = numberOf(dash < 0 ? text : text.slice(0, dash));
  const last = dash < 0 ? first : numberOf(text.slice(dash + 1));
  return first < 0 || last < first ? null : [<u32>first, <u32>last];
}

function numberOf(text: string): i32 {
  if (text.length == 0 || text.length > 5) return -1;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value > 65535 ? -1 : value;
}

function isIpv6(address: string): bool {
  return address.indexOf(":") >= 0;
}
