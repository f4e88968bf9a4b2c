// Checks the traffic of the simulated machine at rest: every running container tries every other one by address, by name
// and by published port, over both families. Who reaches whom must be what the records say, by a rule of its own.

import { Breach } from "../../breach.js";
import type { AtRest, Invariant } from "../invariant.js";
import { isPlain, knownAddresses, leavesFor, partiesOf, reaches, type Party } from "./rule.js";

const FAMILIES = [4, 6] as const;
/** A port on which nobody listens matters as little as one on which somebody does: this is about the way. */
const PORT = 80;
const LOOPBACKS = { 4: "127.0.0.1", 6: "::1" } as const;

export class Reach implements Invariant {
  rested({ ledger, traffic }: AtRest): void {
    const parties = partiesOf(ledger);
    for (const to of parties) {
      this.#ports(to, parties, traffic);
      for (const from of parties) {
        if (from === to) continue;
        if (isPlain(from)) this.#addresses(from, to, traffic);
        this.#names(from, to, traffic);
      }
    }
    this.#orphans(
      parties,
      [...ledger.containers.values()].map(({ name }) => name),
      traffic,
    );
  }

  #addresses(from: Party, to: Party, traffic: AtRest["traffic"]): void {
    for (const at of to.places) {
      for (const family of FAMILIES) {
        const address = at.address(family);
        if (address === "") continue;
        for (const port of [PORT, null]) {
          const aim = port === null ? { protocol: "icmp" as const } : { protocol: "tcp" as const, port };
          const does = traffic.arrival(from.record.id, { address, ...aim })?.container === to.record.id;
          const may = reaches(from, to, at, family, port);
          if (does !== may)
            broken(
              `${from.record.name} ${does ? "reaches" : "does not reach"} ${to.record.name} at ${address} ${port ?? "echo"}`,
            );
        }
      }
    }
  }

  /** A published port leads to its container, from the machine and from whoever's packets get there. */
  #ports(to: Party, parties: readonly Party[], traffic: AtRest["traffic"]): void {
    for (const { hostAddress, hostPort: port, containerPort, protocol } of to.record.sandbox?.ports ?? []) {
      const family = hostAddress.includes(":") ? 6 : 4;
      if (port === 0 || protocol !== "tcp" || !["0.0.0.0", "::"].includes(hostAddress)) continue;
      // A program leads from IPv6 to a container that has only IPv4, but none the other way.
      if (family === 4 && to.places.every(({ address }) => address(4) === "")) continue;
      const askers = parties.filter((one) => isPlain(one) && leavesFor(one, family)).map(({ record }) => record.id);
      for (const from of ["", ...askers]) {
        const address = from === "" ? LOOPBACKS[family] : traffic.addressOf(family);
        const got = traffic.arrival(from, { address, protocol, port });
        if (got?.container !== to.record.id || got.port !== containerPort)
          broken(`port ${port} of ${address} does not lead ${from || "the machine"} to ${to.record.name}`);
      }
    }
  }

  #names(from: Party, to: Party, traffic: AtRest["traffic"]): void {
    const known = knownAddresses(from, to);
    const { name, id } = to.record;
    for (const asked of [name, id.slice(0, 12)]) {
      const told = traffic.lookUp(from.record.id, asked) ?? [];
      if (known.length > 0 && !told.some((address) => known.includes(address)))
        broken(
          `${from.record.name} does not know ${asked}, which is at ${known.join()}, but ${told.join() || "nothing"}`,
        );
    }
  }

  /** No name answers without an owner that runs, on a network of both. */
  #orphans(parties: readonly Party[], names: readonly string[], traffic: AtRest["traffic"]): void {
    for (const from of parties) {
      const owned = parties.flatMap((to) => knownAddresses(from, to));
      for (const name of names) {
        const stray = traffic.lookUp(from.record.id, name)?.find((address) => !owned.includes(address));
        if (stray !== undefined) broken(`${from.record.name} learns ${stray} for ${name}, which nobody owns there`);
      }
    }
  }
}

function broken(message: string): never {
  throw new Breach("reach", message);
}
