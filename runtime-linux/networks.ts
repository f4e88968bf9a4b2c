// Networks and the containers on them. Containers on one bridge reach each other, and they reach the outside
// world under the machine's address. The outside world reaches the ports that they publish. All of this is in the
// network namespace in which the engine itself runs.
//
// The kernel makes links, addresses and routes on direct request (rtnetlink). This takes about 2 ms for a container,
// where the usual programs take 40. Published ports add one transaction of its packet filter (nf_tables).

import type { Outcome, Perform, engine, networks } from "../hosts/shared/index.js";
import type { Kernel } from "./kernel.js";
import { Names } from "./names/names.js";
import { Bridges } from "./networks/bridges/bridges.js";
import { ParentPlaces } from "./networks/parents/parent-places.js";
import { Parents } from "./networks/parents/parents.js";
import { Places } from "./networks/bridges/places.js";
import { routesOf } from "./networks/routes.js";
import { Rules } from "./networks/rules/rules.js";
import type { Paths } from "./paths.js";
import { UNTOLD, type Swept } from "./swept.js";
import { together } from "./together.js";

/** What this host needs. */
export interface NetworksNeeds {
  kernel: Kernel;
  paths: Paths;
  swept?: Swept;
}

/** Networks, and containers on them. */
export interface LinuxNetworks {
  perform: Perform<networks.NetworkCommand>;
  /** Containers on networks. First removes those that a crash left half made or half removed. */
  joins(): Promise<engine.FoundJoin[]>;
  /** Containers with a network namespace. */
  sandboxes(): Promise<string[]>;
  /** Existing networks. First removes those that a crash left half made or half removed. */
  networks(): Promise<string[]>;
  /** Releases what this process holds. Networks and containers' connections to them stay. */
  close(): Promise<void>;
}

/** Reads what an earlier engine left. Call it in the network namespace in which the engine will work. */
export function linuxNetworks({ kernel, paths, swept = UNTOLD }: NetworksNeeds): LinuxNetworks {
  const rules = new Rules(kernel, paths.filterTable());
  const places = new Places(kernel, paths, swept, rules);
  const bridges = new Bridges(kernel, paths, places, swept, rules);
  const parents = new Parents(kernel, paths, swept);
  const parentPlaces = new ParentPlaces(kernel, paths, swept);
  const names = new Names(kernel, paths);
  const leave = async (membership: networks.Leave): Promise<void> => {
    const { network, container } = membership;
    await together(names.forget(network, container), places.leave(membership), parentPlaces.leave(membership));
  };
  const leaveAll = async (container: string): Promise<void> => {
    const all = [...places.networksOf(container), ...parentPlaces.networksOf(container)];
    for (const network of all) await names.forget(network, container);
    // The resolver's sockets would keep the namespace.
    await names.unresolve(container);
    await parentPlaces.leaveAll(container);
    await places.leaveAll(container);
  };
  const drop = async (network: string): Promise<void> => {
    await bridges.drop(network);
    await parents.drop(network);
  };
  return {
    async perform(_op, command) {
      if (command.tag === "make") await bridges.make(command.val);
      else if (command.tag === "drop") await drop(command.val);
      else if (command.tag === "make-parent-network") await parents.make(command.val);
      else if (command.tag === "join-parent") await parentPlaces.join(command.val);
      else if (command.tag === "join") await places.join(command.val);
      else if (command.tag === "name") names.name(command.val);
      else if (command.tag === "serve-names") await names.resolve(command.val);
      else if (command.tag === "leave") await leave(command.val);
      else if (command.tag === "leave-all") await leaveAll(command.val);
      else return { tag: "names", val: routesOf() };
      return DONE;
    },
    async joins() {
      const joins = [...(await places.found()), ...(await parentPlaces.found())];
      await names.found(joins, await places.sandboxes());
      return joins;
    },
    sandboxes: () => places.sandboxes(),
    networks: async () => [...(await bridges.found()), ...(await parents.found())],
    async close() {
      await names.close();
      await places.close();
      await rules.close();
    },
  };
}

const DONE: Outcome = { tag: "done" };
