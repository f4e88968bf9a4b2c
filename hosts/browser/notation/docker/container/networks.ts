// The networks of a new container.

import { isAtLeast, type Arguments } from "../arguments.js";
import { didYouMean } from "../nearest.js";
import { atSign } from "../planned.js";
import { Wrong } from "../wrong.js";
import { add, put, type Body } from "./body.js";
import { fieldsOf } from "./sizes.js";

/** Parts of the notation `name=…,alias=…`. */
const PARTS: Readonly<Record<string, (endpoint: Body, value: string) => void>> = {
  alias: (endpoint, value) => add(endpoint, "Aliases", [value]),
  ip: (endpoint, value) => put(endpoint, "IPAMConfig.IPv4Address", value),
  ip6: (endpoint, value) => put(endpoint, "IPAMConfig.IPv6Address", value),
  "link-local-ip": (endpoint, value) => add(endpoint, "IPAMConfig.LinkLocalIPs", [value]),
  "mac-address": (endpoint, value) => put(endpoint, "MacAddress", value),
  "driver-opt": (endpoint, value) => {
    const [name, text] = atSign(value, "=");
    put(endpoint, "DriverOpts", { ...(endpoint["DriverOpts"] as object | undefined), [name]: text ?? "" });
  },
  "gw-priority": (endpoint, value) => put(endpoint, "GwPriority", Number(value)),
};

export function putNetworks(body: Body, args: Arguments, version: string): void {
  const networks = [...args.values("network"), ...args.values("net")].map(networkOf);
  const [first] = networks;
  const name = first?.name ?? "default";
  if (first !== undefined) put(body, "HostConfig.NetworkMode", name);
  const endpoint = first?.endpoint ?? {};
  addOptions(endpoint, args, isOwn(name));
  const links = args.values("link");
  if (links.length > 0) put(body, "HostConfig.Links", links);
  const mac = args.value("mac-address");
  if (mac !== null && !isAtLeast(version, "1.44")) put(body, "MacAddress", mac);
  const endpoints = [{ name, endpoint }, ...networks.slice(1)];
  if (networks.length < 2 && Object.keys(endpoint).length === 0) return;
  put(body, "NetworkingConfig", {
    EndpointsConfig: Object.fromEntries(endpoints.map((one) => [one.name, one.endpoint])),
  });
}

/** Separate network options apply to the first network. */
function addOptions(endpoint: Body, args: Arguments, own: boolean): void {
  const aliases = [...args.values("network-alias"), ...args.values("net-alias")];
  for (const alias of aliases) PARTS["alias"]!(endpoint, alias);
  for (const name of ["ip", "ip6", "link-local-ip", "mac-address"]) {
    for (const value of args.values(name)) PARTS[name]!(endpoint, value);
  }
  if (own && args.has("link")) put(endpoint, "Links", args.values("link"));
}

function networkOf(text: string): { name: string; endpoint: Body } {
  if (!/^[\w-]+=/.test(text)) return { name: text, endpoint: {} };
  let name = "";
  const endpoint: Body = {};
  for (const [part, value] of fieldsOf(text)) {
    if (part === "name") name = value;
    else if (PARTS[part] !== undefined) PARTS[part](endpoint, value);
    else throw new Wrong(`--network does not know ${part}${didYouMean(part, ["name", ...Object.keys(PARTS)])}`, text);
  }
  if (name === "") throw new Wrong("--network needs a name", text);
  return { name, endpoint };
}

/** Whether a user created the network: the others have no links and aliases. */
function isOwn(name: string): boolean {
  return !["default", "bridge", "host", "none"].includes(name) && !name.startsWith("container:");
}
