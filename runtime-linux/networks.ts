// Bridge networks and the containers on them. Containers on one bridge reach each other, and the world beyond the
// machine under the machine's address; the world reaches the ports that they publish. All of it happens in the network
// namespace in which the engine itself runs.
//
// Links, addresses and routes are asked of the kernel directly (rtnetlink): about 2 ms for a container, where the usual
// programs take 40. One nft transaction is added when ports are published.

import type { engine, networks, Outcome, Perform } from "../hosts/shared/host.js";
import type { Kernel } from "./kernel.js";
import { Bridges } from "./networks/bridges.js";
import { Places } from "./networks/places.js";
import type { Paths } from "./paths.js";
import { UNTOLD, type Swept } from "./ends/swept.js";

/** What the code needs of its surroundings. */
export interface NetworksNeeds {
  kernel: Kernel;
  paths: Paths;
  swept?: Swept;
}

/** Networks, and containers on them. */
export interface LinuxNetworks {
  perform: Perform<networks.NetworkCommand>;
  /** Containers on networks. What is half-made, or half taken down, is taken down first. */
  joins(): Promise<engine.FoundJoin[]>;
  /** Networks made. What is half-made, or half removed, is removed first. */
  networks(): Promise<string[]>;
  /** Lets go of what this process holds; networks and containers' places on them stay. */
  close(): Promise<void>;
}

/** Reads what an earlier engine left. Call it in the network namespace in which the engine is to work. */
export function linuxNetworks({ kernel, paths, swept = UNTOLD }: NetworksNeeds): LinuxNetworks {
  const places = new Places(kernel, paths, swept);
  const bridges = new Bridges(kernel, paths, places, swept);
  return {
    async perform(_op, command) {
      if (command.tag === "make") await bridges.make(command.val);
      else if (command.tag === "drop") await bridges.drop(command.val);
      else if (command.tag === "join") await places.join(command.val);
      else await places.leave(command.val);
      return DONE;
    },
    joins: () => places.found(),
    networks: () => bridges.found(),
    close: () => places.close(),
  };
}

const DONE: Outcome = { tag: "done" };
