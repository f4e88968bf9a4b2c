// Environment variables about linked containers: where their exposed ports are, their names, and their own variables
// (surface §2.14, as observed on the reference). `ALIAS` is in capitals, with `_` for `-`.

import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { portKeysOf } from "../../network/ports/port-wishes";
import { Container } from "../container";
import { containerStore } from "../store";
import { Link } from "./link";

class Exposed {
  constructor(
    readonly port: i32,
    readonly protocol: string,
  ) {}

  /** `PREFIX_PORT_80_TCP`. */
  name(prefix: string): string {
    return `${prefix}_PORT_${this.port.toString()}_${this.protocol.toUpperCase()}`;
  }

  at(address: string): string {
    return `${this.protocol}://${address}:${this.port.toString()}`;
  }
}

/** Entries `NAME=value`; containers that are not running are left out. */
export function linkEnvironment(container: Container): string[] {
  const entries: string[] = [];
  if (!container.onDefaultBridge) return entries;
  for (let i = 0; i < container.links.length; i++) {
    const other = containerStore.find(container.links[i].container);
    if (other !== null && other.bridgeAddress.length > 0) addLink(entries, container, container.links[i], other);
  }
  return entries;
}

function addLink(entries: string[], container: Container, link: Link, other: Container): void {
  const prefix = link.shortAlias.toUpperCase().replaceAll("-", "_");
  const config = parseKept(other.config)!;
  addPorts(entries, prefix, exposedOf(config), other.bridgeAddress);
  entries.push(`${prefix}_NAME=/${container.name}/${link.alias}`);
  const environment = config.stringsOf("Env");
  for (let i = 0; i < environment.length; i++) {
    const equals = environment[i].indexOf("=");
    const name = environment[i].slice(0, equals);
    // These are of no use in another container.
    if (equals > 0 && name != "PATH" && name != "HOME") entries.push(`${prefix}_ENV_${environment[i]}`);
  }
}

/** Sorted by number; for the same number TCP comes first. */
function exposedOf(config: Json): Exposed[] {
  const ports: Exposed[] = [];
  const exposed = config.find("ExposedPorts");
  if (exposed === null) return ports;
  for (let i = 0; i < exposed.keys.length; i++) {
    const keys = portKeysOf(exposed.keys[i]);
    for (let k = 0; k < keys.length; k++) {
      const slash = keys[k].indexOf("/");
      ports.push(new Exposed(<i32>parseInt(keys[k].slice(0, slash), 10), keys[k].slice(slash + 1)));
    }
  }
  return ports.sort((a: Exposed, b: Exposed) => {
    if (a.port != b.port) return a.port - b.port;
    return a.protocol == "tcp" ? -1 : b.protocol == "tcp" ? 1 : 0;
  });
}

function addPorts(entries: string[], prefix: string, ports: Exposed[], address: string): void {
  if (ports.length == 0) return;
  entries.push(`${prefix}_PORT=${ports[0].at(address)}`);
  for (let from = 0; from < ports.length;) {
    let to = from;
    while (to + 1 < ports.length && ports[to + 1].port <= ports[to].port + 1) to += 1;
    // Two ports in a row are not a range.
    if (to > from + 1) addRange(entries, prefix, ports[from], ports[to], address);
    from = to + 1;
  }
  for (let i = 0; i < ports.length; i++) {
    const name = ports[i].name(prefix);
    entries.push(`${name}=${ports[i].at(address)}`);
    entries.push(`${name}_ADDR=${address}`);
    entries.push(`${name}_PORT=${ports[i].port.toString()}`);
    entries.push(`${name}_PROTO=${ports[i].protocol}`);
  }
}

/** The variables of three or more ports in a row. */
function addRange(entries: string[], prefix: string, first: Exposed, last: Exposed, address: string): void {
  const name = first.name(prefix);
  entries.push(`${name}_START=${first.at(address)}`);
  entries.push(`${name}_ADDR=${address}`);
  entries.push(`${name}_PROTO=${first.protocol}`);
  entries.push(`${name}_PORT_START=${first.port.toString()}`);
  entries.push(`${name}_END=${last.at(address)}`);
  entries.push(`${name}_PORT_END=${last.port.toString()}`);
}
