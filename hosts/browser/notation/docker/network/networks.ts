// Commands about networks.

import type { Arguments } from "../arguments.js";
import { printedAs } from "../format.js";
import { add, type Body } from "../container/body.js";
import { pairs } from "../container/sizes.js";
import {
  each,
  fieldOf,
  filtersOf,
  get,
  listOf,
  network,
  one,
  post,
  remove,
  withBody,
  type Command,
} from "../planned.js";
import { query } from "../query.js";
import { idOf, listed, type Columns, type Row } from "../rows.js";
import { isAtLeast } from "../arguments.js";

export const LIST = one({
  operands: "",
  about: "List networks",
  takes: { flags: ["quiet,q", "no-trunc"], values: ["filter,f", "format"] },
  plan: (args) => get(`/networks${query({ filters: filtersOf(args) })}`, "list networks"),
  prints: (args, [answer]) => {
    const rows = listOf(answer).map((one) => ({ ID: idOf(args, fieldOf(one, "Id")), ...named(one) }));
    return listed(args, rows, COLUMNS, "ID");
  },
});

const COLUMNS: Columns = [
  ["NETWORK ID", "ID"],
  ["NAME", "Name"],
  ["DRIVER", "Driver"],
  ["SCOPE", "Scope"],
];

function named(one: unknown): Row {
  return { Name: fieldOf(one, "Name"), Driver: fieldOf(one, "Driver"), Scope: fieldOf(one, "Scope") };
}

export const INSPECT = each({
  about: "Show details of networks",
  prints: (args, answers) => printedAs(args.value("format"), answers),
  takes: { flags: ["verbose,v"], values: ["format,f"] },
  names: "network",
  plan: (name, args) => {
    const verbose = args.flag("verbose") ? "true" : null;
    return get(`${network(name)}${query({ verbose })}`, `inspect ${name}`);
  },
});

export const REMOVE: Command = {
  ...each({
    about: "Remove networks",
    takes: { flags: ["force,f"] },
    names: "network",
    plan: (name) => get(network(name), ""),
  }),
  plan: ({ operands }) => ({
    requests: operands.flatMap((name) => [
      { ...get(network(name), "check what it is"), when: "always" as const },
      { ...remove(network(name), `remove ${name}`), when: "always" as const },
    ]),
  }),
};

export const CREATE: Command = {
  operands: "NETWORK",
  about: "Make a network",
  takes: {
    flags: ["internal", "attachable", "ipv6", "ipv4", "ingress", "config-only"],
    values: [
      ...["driver,d", "opt,o", "label", "subnet", "gateway", "ip-range", "aux-address", "ipam-driver", "ipam-opt"],
      ...["scope", "config-from"],
    ],
    least: 1,
    most: 1,
  },
  fields: new Map([
    ["driver", "Driver"],
    ["internal", "Internal"],
    ["attachable", "Attachable"],
    ["ipv6", "EnableIPv6"],
    ["opt", "Options"],
    ["label", "Labels"],
    ["subnet", "IPAM.Config"],
    ["gateway", "IPAM.Config"],
    ["ip-range", "IPAM.Config"],
    ["aux-address", "IPAM.Config"],
  ]),
  plan: (args, version) => ({
    requests: [withBody(post("/networks/create", "make a network"), bodyOf(args, version))],
  }),
  prints: (_args, [answer]) => fieldOf(answer, "Id"),
};

function bodyOf(args: Arguments, version: string): Body {
  const ranges = addressRanges(args);
  const options = args.values("ipam-opt");
  const ipam = {
    Driver: args.value("ipam-driver") ?? "default",
    ...(options.length > 0 && { Options: pairs(options) }),
    ...(ranges.length > 0 && { Config: ranges }),
  };
  const from = args.value("config-from");
  return {
    Name: args.operands[0],
    Driver: args.value("driver") ?? "bridge",
    ...(!isAtLeast(version, "1.44") && { CheckDuplicate: true }),
    ...(args.has("scope") && { Scope: args.value("scope") }),
    ...(args.has("ipv6") && { EnableIPv6: args.flag("ipv6") }),
    ...(args.has("ipv4") && { EnableIPv4: args.flag("ipv4") }),
    ...(args.flag("internal") && { Internal: true }),
    ...(args.flag("attachable") && { Attachable: true }),
    ...(args.flag("ingress") && { Ingress: true }),
    ...(args.flag("config-only") && { ConfigOnly: true }),
    ...(from !== null && { ConfigFrom: { Network: from } }),
    IPAM: ipam,
    ...(args.has("opt") && { Options: pairs(args.values("opt")) }),
    ...(args.has("label") && { Labels: pairs(args.values("label")) }),
  };
}

/** Ranges and gateways belong to the subnets in the same order. */
function addressRanges(args: Arguments): Body[] {
  const [ranges, gateways] = [args.values("ip-range"), args.values("gateway")];
  const found = args.values("subnet").map((subnet, at): Body => ({
    Subnet: subnet,
    ...(ranges[at] !== undefined && { IPRange: ranges[at] }),
    ...(gateways[at] !== undefined && { Gateway: gateways[at] }),
  }));
  const others = args.values("aux-address");
  if (others.length > 0 && found[0] !== undefined) found[0]["AuxiliaryAddresses"] = pairs(others);
  return found;
}

export const CONNECT: Command = {
  operands: "NETWORK CONTAINER",
  about: "Connect a container to a network",
  takes: { values: ["alias", "ip", "ip6", "link", "link-local-ip", "driver-opt", "gw-priority"], least: 2, most: 2 },
  names: "network",
  plan: (args) => {
    const [name = "", container = ""] = args.operands;
    const body = { Container: container, EndpointConfig: endpointOf(args) };
    return { requests: [withBody(post(`${network(name)}/connect`, `connect ${container} to ${name}`), body)] };
  },
};

function endpointOf(args: Arguments): Body {
  const [ip, ip6, priority] = [args.value("ip"), args.value("ip6"), args.value("gw-priority")];
  const ipam: Body = { ...(ip !== null && { IPv4Address: ip }), ...(ip6 !== null && { IPv6Address: ip6 }) };
  if (args.has("link-local-ip")) add(ipam, "LinkLocalIPs", args.values("link-local-ip"));
  return {
    ...(Object.keys(ipam).length > 0 && { IPAMConfig: ipam }),
    ...(args.has("link") && { Links: args.values("link") }),
    ...(args.has("alias") && { Aliases: args.values("alias") }),
    ...(args.has("driver-opt") && { DriverOpts: pairs(args.values("driver-opt")) }),
    ...(priority !== null && { GwPriority: Number(priority) }),
  };
}

export const DISCONNECT: Command = {
  operands: "NETWORK CONTAINER",
  about: "Disconnect a container from a network",
  takes: { flags: ["force,f"], least: 2, most: 2 },
  names: "network",
  plan: (args) => {
    const [name = "", container = ""] = args.operands;
    const body = { Container: container, ...(args.flag("force") && { Force: true }) };
    return { requests: [withBody(post(`${network(name)}/disconnect`, `disconnect ${container} from ${name}`), body)] };
  },
};
