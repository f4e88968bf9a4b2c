// Which ports a container wants published: `PortBindings`, and with `PublishAllPorts` everything exposed.

import { Json } from "../json/json";
import { decimalOf } from "../text/decimal";
import { parseAddress } from "./addresses";

const MAX_PORT: i32 = 65535;

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
  const bound = new Set<string>();
  if (bindings !== null) for (let i = 0; i < bindings.keys.length; i++) bound.add(bindings.keys[i]);
  for (let i = 0; i < exposed.keys.length; i++) {
    if (!bound.has(exposed.keys[i])) addWish(wishes, exposed.keys[i], "", "");
  }
  return wishes;
}

/** Every port of the three protocols: who asks for more cannot get them, and each of a range may have to be tried. */
const MAX_PORTS: u32 = 3 * 65536;

/** Why the bindings make no sense, or null. */
export function refusePorts(bindings: Json): string | null {
  let ports: u32 = 0;
  for (let i = 0; i < bindings.keys.length; i++) {
    if (portOf(bindings.keys[i]) == 0) return `invalid port specification: "${bindings.keys[i]}"`;
    const list = bindings.items[i];
    for (let j = 0; j < list.items.length; j++) {
      const port = list.items[j].stringOf("HostPort");
      const range = rangeOf(port.length > 0 ? port : "0");
      if (range === null) return `invalid port specification: "${port}"`;
      ports += range[1] - range[0] + 1;
      if (ports > MAX_PORTS) return `HostConfig.PortBindings: more than ${MAX_PORTS.toString()} ports of the host`;
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
  const first = decimalOf(dash < 0 ? text : text.slice(0, dash), MAX_PORT);
  const last = dash < 0 ? first : decimalOf(text.slice(dash + 1), MAX_PORT);
  return first < 0 || last < first ? null : [<u32>first, <u32>last];
}

function isIpv6(address: string): bool {
  return address.indexOf(":") >= 0;
}
