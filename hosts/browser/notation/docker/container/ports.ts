// Published and exposed ports.

import { misread } from "../wrong.js";
import { fieldsOf } from "./sizes.js";

export interface Port {
  readonly key: string;
  readonly binding: { readonly HostIp?: string; readonly HostPort: string };
}

/** `[[address:]host:]container[/protocol]`, in which each part may be a range, or `published=…,target=…`. */
export function portsOf(text: string): Port[] {
  const short = /^\w+=/.test(text) ? shortForm(text) : text;
  const parts = PUBLISHED.exec(short);
  if (parts === null) throw misread(text, "port to publish such as 8080:80 or 127.0.0.1:53:53/udp");
  const [, ipv6, ipv4, host = "", container = "", protocol = "/tcp"] = parts;
  const address = ipv6 ?? ipv4;
  const [inside, outside] = [numbersOf(container), host === "" ? [] : numbersOf(host)];
  // One container port may be published on any port of a range.
  const each = inside.length > 1 && outside.length > 0;
  if (inside.length === 0 || (host !== "" && outside.length === 0)) throw misread(text, "range of ports");
  if (each && inside.length !== outside.length) throw misread(text, "pair of ranges of the same length");
  return inside.map((port, at) => {
    const HostPort = each ? String(outside[at]) : host;
    return { key: `${port}${protocol.toLowerCase()}`, binding: { ...(address ? { HostIp: address } : {}), HostPort } };
  });
}

const PUBLISHED = /^(?:(?:(?:\[([\da-f:.]+)\]|([\d.]+)):)?(\d+(?:-\d+)?)?:)?(\d+(?:-\d+)?)(\/(?:tcp|udp|sctp))?$/i;

function shortForm(text: string): string {
  const { target = "", published = "", protocol = "tcp" } = Object.fromEntries(fieldsOf(text));
  return `${published === "" ? "" : `${published}:`}${target}/${protocol}`;
}

/** `80`, `80/udp` or `80-82`. */
export function exposedOf(text: string): string[] {
  const [, range, protocol = "/tcp"] = /^(\d+(?:-\d+)?)(\/(?:tcp|udp|sctp))?$/i.exec(text) ?? [];
  const numbers = range === undefined ? [] : numbersOf(range);
  if (numbers.length === 0) throw misread(text, "port to expose such as 80 or 53/udp");
  return numbers.map((port) => `${port}${protocol}`);
}

/** `80` or `80-82`; empty if the range ends before it begins. */
function numbersOf(range: string): number[] {
  const [first = 0, last = first] = range.split("-").map(Number);
  return Array.from({ length: Math.max(0, Math.min(last, MAX_PORT) - first + 1) }, (_, at) => first + at);
}

const MAX_PORT = 65_535;
