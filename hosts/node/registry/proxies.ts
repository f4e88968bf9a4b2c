// Which proxy a request takes, by the rules of Go's programs (golang.org/x/net/http/httpproxy), which Docker is one of.

import { BlockList, isIP } from "node:net";
import type { engine } from "../../shared/index.js";

/** The proxy for a URL; null for none. SECRET: it may contain a password. */
export function proxyFor(url: URL, { http, https, none }: engine.Proxies): URL | null {
  const proxy = url.protocol === "https:" ? https : http;
  return proxy === "" || isExempt(url, none) ? null : new URL(proxy);
}

/** The value of `proxy-authorization`, or undefined. SECRET. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** The machine itself is never asked through a proxy. */
function isExempt(url: URL, none: string): boolean {
  const host = bare(url.hostname).toLowerCase();
  if (host === "localhost" || isIn(host, "127.0.0.0/8") || isIn(host, "::1/128")) return true;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const entries = none.split(",").map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry !== "" && matches(entry, host, port));
}

/** `*`, a block, an address, `domain` with all below it, `.domain` with only those; with a port if it is for that. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isIn(host, entry);
  const [, name = entry, only] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (only !== undefined && only !== port) return false;
  const family = isIP(bare(name));
  if (family !== 0) return isIn(host, `${bare(name)}/${BITS[family]}`);
  if (name === host) return true;
  if (isIP(host) !== 0) return false;
  const domain = name.replace(/^\*(?=\.)/, "");
  return host.endsWith(domain.startsWith(".") ? domain : `.${domain}`);
}

/** Compares addresses, not their texts: an IPv6 address has many, and one of them is the IPv4 address that it maps. */
function isIn(host: string, block: string): boolean {
  const [address = "", length = ""] = block.split("/");
  const [place, its] = [unmapped(host), unmapped(address)];
  const bits = Number(length) - (BITS[isIP(address)] ?? 0) + (BITS[isIP(its)] ?? 0);
  if (isIP(its) === 0 || isIP(place) !== isIP(its) || !/^\d+$/.test(length)) return false;
  if (bits < 0 || bits > BITS[isIP(its)]!) return false;
  const kind = isIP(its) === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(its, bits, kind);
  return list.check(place, kind);
}

/** The IPv4 address in an IPv6 address that maps one (RFC 4291 §2.5.5.2). */
function unmapped(address: string): string {
  if (isIP(address) !== 6 || address.includes("%")) return address;
  const short = bare(new URL(`http://[${address}]`).hostname);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  return [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 255]).join(".");
}

/** Without the brackets of an IPv6 address. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

/** Of an address, by its family. */
const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };
