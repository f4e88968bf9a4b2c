// The settings of registries: mirrors, and proxies on the way to them.

import type { engine } from "../../shared/index.js";
import { ConfigError, type Values } from "./options.js";

/** Checks a mirror's address, as dockerd does. */
export function mirror(address: string): string {
  const refused = (why: string): ConfigError => new ConfigError(`invalid mirror: ${why}`);
  if (!URL.canParse(address)) throw refused(`"${address}" is not a valid URI`);
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused(`unsupported scheme "${url.protocol.slice(0, -1)}" in "${address}"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refused(`username/password not allowed in URI "${shown(address)}"`);
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw refused(`path, query, or fragment at end of the URI "${address}"`);
  }
  return address;
}

/** Flags and file come before the environment. */
export function proxiesOf(
  values: Values,
  environment: NodeJS.ProcessEnv = process.env,
): { proxies: engine.Proxies; shownProxies: engine.Proxies } {
  const valueOf = (flag: string, name: string): string => {
    const given = values.get(flag) as string | undefined;
    return given ?? environment[name] ?? environment[name.toLowerCase()] ?? "";
  };
  const proxies = {
    http: proxy(valueOf("http-proxy", "HTTP_PROXY")),
    https: proxy(valueOf("https-proxy", "HTTPS_PROXY")),
    none: valueOf("no-proxy", "NO_PROXY"),
  };
  return { proxies, shownProxies: { ...proxies, http: shown(proxies.http), https: shown(proxies.https) } };
}

/** Without a scheme it is `http:`. */
function proxy(address: string): string {
  if (address === "") return "";
  const whole = address.includes("://") ? address : `http://${address}`;
  if (URL.canParse(whole) && /^https?:$/.test(new URL(whole).protocol)) return whole;
  throw new ConfigError(`invalid proxy: it must be http://host:port or https://host:port`);
}

/** Without user and password, which Docker shows as `xxxxx`, too. */
function shown(address: string): string {
  if (!URL.canParse(address)) return address;
  const { username, password, protocol, host } = new URL(address);
  return username === "" && password === "" ? address : `${protocol}//xxxxx:xxxxx@${host}`;
}
