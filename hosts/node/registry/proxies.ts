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
  if (host === "localhost" || isIn(host, "127.0.0.0/8") || host === "::1") return true;
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
  if (bare(name) === host) return true;
  if (isIP(host) !== 0) return false;
  const domain = name.replace(/^\*(?=\.)/, "");
  return host.endsWith(domain.startsWith(".") ? domain : `.${domain}`);
}

function isIn(host: string, block: string): boolean {
  const [address = "", length = ""] = block.split("/");
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(length)) return false;
  const list = new BlockList();
  if (Number(length) > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(address, Number(length), kind);
  return list.check(host, kind);
}

/** Without the brackets of an IPv6 address. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}
