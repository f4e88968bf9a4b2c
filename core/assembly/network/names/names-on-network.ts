// The names by which containers on a user-defined network know a container (surface §2.24).

import { EndpointNames } from "../../../../build/bindings/types";
import { Container } from "../../container/container";
import { settingsOf } from "../../container/endpoint/endpoint-settings";
import { Json } from "../../json/json";
import { Members } from "../../json/members";
import { Endpoint } from "../endpoint/endpoint";
import { Network } from "../network";

/** Name, aliases, short id and hostname, without repeats. `settings`: those of the endpoint. */
export function namesOnNetwork(container: Container, settings: Json): string[] {
  const names = new Set<string>();
  names.add(container.name);
  const aliases = settings.stringsOf("Aliases");
  for (let i = 0; i < aliases.length; i++) if (aliases[i].length > 0) names.add(aliases[i]);
  names.add(container.shortId);
  const hostname = hostnameOf(container);
  if (hostname.length > 0) names.add(hostname);
  // In the order in which they were added.
  return names.values();
}

/** Empty if its config has none. */
export function hostnameOf(container: Container): string {
  const hostname = new Members(container.config).tree("Hostname");
  return hostname === null ? "" : hostname.text;
}

/** Unless it is empty or there already. */
export function addName(names: string[], name: string): void {
  if (name.length > 0 && !names.includes(name)) names.push(name);
}

/** For the host's table of names. */
export function endpointNames(container: Container, endpoint: Endpoint, network: Network): EndpointNames {
  const names = namesOnNetwork(container, settingsOf(endpoint));
  return new EndpointNames(container.id, network.id, network.name, names, endpoint.place!.addresses);
}
