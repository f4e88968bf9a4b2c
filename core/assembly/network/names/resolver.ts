// How names are resolved in a container on user-defined networks: its `resolv.conf` names a resolver of its own.

import { Link, Resolver, SearchedNetwork } from "../../../../build/bindings/types";
import { Container } from "../../container/container";
import { endpointLink, settingsOf } from "../../container/endpoint/endpoint-settings";
import { containerStore } from "../../container/store";
import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { endpointAt } from "../endpoint/containers-on-network";
import { gatewayEndpoint } from "../endpoint/gateway-endpoints";
import { Network } from "../network";

/** The address of the resolver in every container. */
export const OWN_RESOLVER: string = "127.0.0.11";

/** Docker's default name servers, for a machine that has none for its containers. */
export const PUBLIC_SERVERS: string[] = ["8.8.8.8", "8.8.4.4"];

/** The resolver of a container on these networks. The servers that its client chose replace the machine's. */
export function resolverOf(container: Container, networks: Network[]): Resolver {
  const hostConfig = parseKept(container.hostConfig);
  const servers: string[] = hostConfig === null ? [] : hostConfig.stringsOf("Dns");
  // Internal networks lead nowhere.
  const usesMachine = servers.length == 0 && gatewayEndpoint(container) !== null;
  const searched: SearchedNetwork[] = [];
  for (let i = 0; i < networks.length; i++)
    searched.push(new SearchedNetwork(networks[i].id, linksOn(container, networks[i])));
  return new Resolver(container.id, searched, servers, usesMachine, PUBLIC_SERVERS);
}

/** The container's own links, and those of its endpoint there. */
function linksOn(container: Container, network: Network): Link[] {
  const links = linksOf(container);
  const given = settingsOf(endpointAt(container, network)).stringsOf("Links");
  for (let i = 0; i < given.length; i++) {
    const link: Link | null = endpointLink(given[i]);
    if (link !== null) links.push(link);
  }
  return links;
}

/** Other containers may be renamed, so links lead to their ids. */
function linksOf(container: Container): Link[] {
  const links: Link[] = [];
  for (let i = 0; i < container.links.length; i++) {
    const link = container.links[i];
    const other = containerStore.find(link.container);
    if (other !== null) links.push(new Link(link.shortAlias, other.shortId));
  }
  return links;
}

/** Lines for `resolv.conf`: dots in a name do not keep it from being looked up as it is, unless the client says so. */
export function linesForResolver(hostConfig: Json): string {
  const options = hostConfig.stringsOf("DnsOptions");
  for (let i = 0; i < options.length; i++) if (options[i].startsWith("ndots:")) return "";
  return "+options ndots:0\n";
}
