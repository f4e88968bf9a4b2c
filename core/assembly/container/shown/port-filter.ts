// The filters `publish` and `expose` of GET /containers/json (surface §2.5), for ports of running containers.

import { Filters } from "../../api/filters";
import { PublishedPort } from "../../network/endpoint/published-port";
import { badParameter, Refusal } from "../../refusal";
import { decimalOf } from "../../text/decimal";
import { Container } from "../container";
import { exposedKeys } from "./network-settings";

const MAX_PORT: i32 = 65535;

/** `8000-8080/tcp`: first and last port, and the protocol. */
class PortRange {
  constructor(
    readonly first: i32,
    readonly last: i32,
    readonly protocol: string,
  ) {}

  holds(port: i32, protocol: string): bool {
    return port >= this.first && port <= this.last && protocol == this.protocol;
  }
}

export class PortFilter {
  private readonly published: PortRange[] = [];
  private readonly exposed: PortRange[] = [];

  /** Why the values are invalid; null if they are valid. */
  read(filters: Filters): Refusal | null {
    const problem = readRanges(filters, "publish", this.published);
    return problem !== null ? problem : readRanges(filters, "expose", this.exposed);
  }

  /** It is enough if one port of either kind matches. */
  matches(container: Container): bool {
    if (this.published.length == 0 && this.exposed.length == 0) return true;
    if (!container.running) return false;
    const ports: PublishedPort[] = container.ports;
    for (let i = 0; i < ports.length; i++) {
      if (ports[i].isMapped && hold(this.published, ports[i].hostPort, ports[i].protocol)) return true;
    }
    return this.exposed.length > 0 && this.exposes(exposedKeys(container, ports));
  }

  private exposes(keys: string[]): bool {
    for (let i = 0; i < keys.length; i++) {
      const slash = keys[i].indexOf("/");
      const port = decimalOf(keys[i].slice(0, slash), MAX_PORT);
      if (hold(this.exposed, port, keys[i].slice(slash + 1))) return true;
    }
    return false;
  }
}

function hold(ranges: PortRange[], port: i32, protocol: string): bool {
  for (let i = 0; i < ranges.length; i++) if (ranges[i].holds(port, protocol)) return true;
  return false;
}

function readRanges(filters: Filters, key: string, ranges: PortRange[]): Refusal | null {
  const values = filters.values(key);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value.includes(":")) return badParameter(`filter for '${key}' should not contain ':': ${value}`);
    const range = parseRange(value);
    if (range === null) return badParameter(`error while looking up for ${key} ${value}: invalid port range`);
    ranges.push(range);
  }
  return null;
}

function parseRange(value: string): PortRange | null {
  const slash = value.indexOf("/");
  const ports = slash < 0 ? value : value.slice(0, slash);
  const protocol = slash < 0 || slash == value.length - 1 ? "tcp" : value.slice(slash + 1).toLowerCase();
  const dash = ports.indexOf("-");
  const first = decimalOf(dash < 0 ? ports : ports.slice(0, dash), MAX_PORT);
  const last = dash < 0 ? first : decimalOf(ports.slice(dash + 1), MAX_PORT);
  return first < 0 || last < first ? null : new PortRange(first, last, protocol);
}
