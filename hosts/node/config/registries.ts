// The settings of registries: mirrors, and proxies on the way to them.

import type { engine } from "../../shared/index.js";
import { ConfigError, type Values } from "./options.js";

/** Checks a mirror's address, as dockerd does. */
export function mirror(address: string): string {
  const refused = (why: string): ConfigError => new ConfigError(`invalid mirror: ${why}`);
  if (!URL.canParse(address)) throw refused(`"${shown(address)}" is not a valid URI`);
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused(`unsupported scheme "${url.protocol.slice(0, -1)}" in "${shown(address)}"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refused(`username/password not allowed in URI "${shown(address)}"`);
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw refused(`path, query, or fragment at end of the URI "${address}"`);
  }
  // More is a URL for a browser.
  if (!/^https?:\/\/[^/?#\\]+\/?$/.test(address)) throw refused(`"${address}" is not a valid URI`);
  return address;
}

/** Flags and file come before the environment. An address there that is none counts as none, as in Go's programs. */
export function proxiesOf(
  values: Values,
  environment: NodeJS.ProcessEnv = process.env,
): { proxies: engine.Proxies; shownProxies: engine.Proxies } {
  const valueOf = (flag: string, name: string): string => {
    const given = values.get(flag) as string | undefined;
    return given ?? (environment[name] || environment[name.toLowerCase()] || "");
  };
  const proxyOf = (flag: string, name: string): string => {
    const address = valueOf(flag, name);
    const whole = wholeAddress(address);
    if (whole === null && values.get(flag) !== undefined) throw new ConfigError(`invalid ${flag}: ${NO_PROXY}`);
    return whole ?? "";
  };
  const proxies = {
    http: proxyOf("http-proxy", "HTTP_PROXY"),
    https: proxyOf("https-proxy", "HTTPS_PROXY"),
    none: valueOf("no-proxy", "NO_PROXY"),
  };
  return { proxies, shownProxies: { ...proxies, http: shown(proxies.http), https: shown(proxies.https) } };
}

const NO_PROXY = "it must be http://host:port or https://host:port";

/** Without a scheme it is `http:`. Null if it is no proxy's address. */
function wholeAddress(address: string): string | null {
  if (address === "") return "";
  const whole = address.includes("://") ? address : `http://${address}`;
  if (!URL.canParse(whole)) return null;
  const { protocol, username, password } = new URL(whole);
  return /^https?:$/.test(protocol) && isEscaped(username + password) ? whole : null;
}

/** Whether each `%` begins an escape. */
function isEscaped(text: string): boolean {
  return !/%(?![\da-f]{2})/i.test(text);
}

/** Without user and password, which Docker shows as `xxxxx`, too. */
function shown(address: string): string {
  if (!URL.canParse(address)) return address.replace(/^([a-z+.-]*:\/\/)?.*@/is, "$1xxxxx:xxxxx@");
  const { username, password, protocol, host } = new URL(address);
  return username === "" && password === "" ? address : `${protocol}//xxxxx:xxxxx@${host}`;
}
