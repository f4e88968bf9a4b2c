// Answers to look-ups: what 127.0.0.11 says in a container, from the tables that the core has given. Like the resolver of
// the Linux host (runtime-linux/names), except that this world has no other name servers to ask.

import type { networks } from "../../shared/index.js";

/** RCODE 2 (RFC 1035) for a name that only others could know. */
export type NameAnswer = { addresses: string[] } | { name: string } | "SERVFAIL";

/** The names of the endpoints of all networks, in the order in which they were given. */
export class NameTables {
  /** By endpoint. */
  readonly #tables = new Map<string, networks.EndpointNames>();
  /** How often each name was answered: several owners come first in turn. */
  readonly #turns = new Map<string, number>();

  put(place: string, table: networks.EndpointNames): void {
    this.#tables.set(place, table);
  }

  delete(place: string): void {
    this.#tables.delete(place);
  }

  /** A container has no names any more. */
  deleteOf(container: string): void {
    for (const [place, table] of this.#tables) if (table.container === container) this.#tables.delete(place);
  }

  clear(): void {
    this.#tables.clear();
  }

  /** The answer for a name, or for an address in dotted notation. */
  answer(resolver: networks.Resolver, asked: string, isReverse = false): NameAnswer {
    if (isReverse) return this.#nameOf(resolver, asked) ?? "SERVFAIL";
    const owners = this.owners(resolver, asked);
    if (owners === undefined) return "SERVFAIL";
    const turn = this.#turns.get(asked) ?? 0;
    if (owners.length > 1) this.#turns.set(asked, (turn + 1) % owners.length);
    const inTurn = [...owners.slice(turn), ...owners.slice(0, turn)];
    return { addresses: inTurn.flatMap(({ addresses }) => addresses) };
  }

  /** Who has a name in the eyes of a container; undefined if nobody. Its own links come before all other names. */
  owners({ networks: searched }: networks.Resolver, name: string): networks.EndpointNames[] | undefined {
    for (const { network, links } of searched) {
      const linked = links.find(({ alias }) => sameName(alias, name));
      const found = linked && this.#having(network, linked.name);
      if (found) return found;
    }
    for (const { network } of searched) {
      const found = this.#having(network, name);
      if (found) return found;
    }
    return undefined;
  }

  #nameOf({ networks: searched }: networks.Resolver, address: string): { name: string } | undefined {
    const tables = [...this.#tables.values()];
    for (const { network } of searched) {
      const owner = tables.find((table) => table.network === network && table.addresses.includes(address));
      if (owner) return { name: `${owner.names[0]}.${owner.domain}` };
    }
    return undefined;
  }

  #having(network: string, name: string): networks.EndpointNames[] | undefined {
    const owners = [...this.#tables.values()].filter((table) => table.network === network && has(table, name));
    return owners.length > 0 ? owners : undefined;
  }
}

/** Whether a container has the name, alone or with the network's behind it. */
function has({ names, domain }: networks.EndpointNames, wanted: string): boolean {
  return names.some((name) => sameName(name, wanted) || sameName(`${name}.${domain}`, wanted));
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
