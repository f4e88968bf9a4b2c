// Which addresses a name has for a container, and which name an address has.

import { encode } from "@leichtgewicht/ip-codec";
import type { networks } from "../../../hosts/shared/index.js";
import type { EndpointNames } from "../table-files.js";

type Resolver = networks.Resolver;
type SearchedNetwork = networks.SearchedNetwork;

export class Table {
  readonly #networks = new Map<string, NetworkNames>();
  /** By the names of their files. */
  readonly #endpoints = new Map<string, EndpointNames>();

  /** Replaces an endpoint's names; undefined: it has none any more. */
  put(file: string, endpoint: EndpointNames | undefined): void {
    const before = this.#endpoints.get(file);
    if (before !== undefined) this.#remove(file, before);
    if (endpoint === undefined) return;
    this.#endpoints.set(file, endpoint);
    const network = this.#networks.get(endpoint.network) ?? new NetworkNames();
    this.#networks.set(endpoint.network, network);
    network.add(endpoint);
  }

  /**
   * The addresses of a name, those of each owner in turn at the front; undefined: nobody here has it. Links come before
   * all other names, and then the networks in their order.
   */
  addresses({ networks }: Pick<Resolver, "networks">, name: string): string[] | undefined {
    for (const { network, links } of networks) {
      const linked = links.find(({ alias }) => alias.toLowerCase() === name);
      const found = linked && this.#networks.get(network)?.addresses(linked.name.toLowerCase());
      if (found) return found;
    }
    return first(networks, ({ network }) => this.#networks.get(network)?.addresses(name));
  }

  /** The name for a reverse look-up, such as `web.shop` for `2.0.18.172.in-addr.arpa`. */
  nameOf({ networks }: Pick<Resolver, "networks">, reverse: string): string | undefined {
    return first(networks, ({ network }) => this.#networks.get(network)?.nameOf(reverse));
  }

  #remove(file: string, endpoint: EndpointNames): void {
    this.#endpoints.delete(file);
    const network = this.#networks.get(endpoint.network);
    if (network?.remove(endpoint)) this.#networks.delete(endpoint.network);
  }
}

/** The endpoints that have the same name. */
interface Several {
  owners: EndpointNames[];
  /** Which owner comes first in the next answer. */
  turn: number;
}

/** Nearly all names have one owner. There may be very many names, so these take no more than it. */
type Entry = EndpointNames | Several;

class NetworkNames {
  readonly #byName = new Map<string, Entry>();
  readonly #byAddress = new Map<string, EndpointNames>();
  #domain = "";

  add(endpoint: EndpointNames): void {
    this.#domain = `.${endpoint.domain.toLowerCase()}`;
    for (const name of namesOf(endpoint)) {
      const owners = [...this.#ownersOf(name), endpoint];
      this.#byName.set(name, owners.length === 1 ? endpoint : { owners, turn: 0 });
    }
    for (const address of endpoint.addresses) this.#byAddress.set(reverseOf(address), endpoint);
  }

  /** Whether nothing is left. */
  remove(endpoint: EndpointNames): boolean {
    for (const name of namesOf(endpoint)) {
      const owners = this.#ownersOf(name).filter((owner) => owner !== endpoint);
      if (owners.length === 0) this.#byName.delete(name);
      else this.#byName.set(name, owners.length === 1 ? owners[0]! : { owners, turn: 0 });
    }
    for (const address of endpoint.addresses) {
      const reverse = reverseOf(address);
      if (this.#byAddress.get(reverse) === endpoint) this.#byAddress.delete(reverse);
    }
    return this.#byName.size === 0 && this.#byAddress.size === 0;
  }

  addresses(name: string): string[] | undefined {
    const entry = this.#byName.get(name) ?? this.#byName.get(this.#withoutDomain(name));
    if (entry === undefined) return undefined;
    if (!("owners" in entry)) return entry.addresses;
    const { owners } = entry;
    const turn = (entry.turn = (entry.turn + 1) % owners.length);
    return [...owners.slice(turn), ...owners.slice(0, turn)].flatMap(({ addresses }) => addresses);
  }

  nameOf(reverse: string): string | undefined {
    const endpoint = this.#byAddress.get(reverse);
    return endpoint && `${endpoint.names[0]}.${endpoint.domain}`;
  }

  #ownersOf(name: string): readonly EndpointNames[] {
    const entry = this.#byName.get(name);
    if (entry === undefined) return [];
    return "owners" in entry ? entry.owners : [entry];
  }

  #withoutDomain(name: string): string {
    return name.endsWith(this.#domain) ? name.slice(0, -this.#domain.length) : name;
  }
}

/** Without repeats: an owner of a name has it once. */
function namesOf({ names }: EndpointNames): Set<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

/** The name under which an address is looked up. */
export function reverseOf(address: string): string {
  const bytes = encode(address);
  if (bytes.length === 4) return `${[...bytes].reverse().join(".")}.in-addr.arpa`;
  const digits = [...Buffer.from(bytes).toString("hex")];
  return `${digits.reverse().join(".")}.ip6.arpa`;
}

function first(
  networks: SearchedNetwork[],
  find: (network: SearchedNetwork) => string[] | undefined,
): string[] | undefined;
function first(networks: SearchedNetwork[], find: (network: SearchedNetwork) => string | undefined): string | undefined;
function first<T>(networks: SearchedNetwork[], find: (network: SearchedNetwork) => T | undefined): T | undefined {
  for (const network of networks) {
    const found = find(network);
    if (found !== undefined) return found;
  }
  return undefined;
}
