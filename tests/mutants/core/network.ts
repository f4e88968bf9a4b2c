import type { Mutant } from "../mutant.js";

export const NETWORK_MUTANTS: readonly Mutant[] = [
  {
    name: "an address stays taken",
    file: "network/join.ts",
    right: `  networkStore.freeAddress(endpoint.networkId, endpoint.address, container.id);`,
    wrong: `  if (!WRONG) networkStore.freeAddress(endpoint.networkId, endpoint.address, container.id);`,
    finder: { story: "links" },
  },
  {
    name: "a port stays taken",
    file: "network/join.ts",
    right: `    takenPorts.freePort(port.protocol, port.address, port.hostPort, container.id);\n  }\n  container.endpoint = null;`,
    wrong: `    if (!WRONG) takenPorts.freePort(port.protocol, port.address, port.hostPort, container.id);\n  }\n  container.endpoint = null;`,
    finder: { played: "port-held", rule: "ports" },
  },
  {
    name: "the broadcast address is given out",
    file: "network/store.ts",
    right: `address < subnet.last; address++`,
    wrong: `WRONG ? address <= subnet.last : address < subnet.last; address++`,
    finder: { story: "addresses-of-a-small-network" },
  },
  {
    name: "the gateway's address is given out",
    file: "network/store.ts",
    right: `subnet.base + 2;`,
    wrong: `subnet.base + (WRONG ? 1 : 2);`,
    finder: { story: "addresses-of-a-small-network" },
  },
  {
    name: "a port is given out on all addresses although it is taken on one",
    file: "network/ports.ts",
    right: `if (address == every) return true;`,
    wrong: `if (!WRONG && address == every) return true;`,
    finder: { story: "publish-beside-one-address" },
  },
  {
    name: "an engine that starts treats a container's address as free",
    file: "network/join.ts",
    right: `  networkStore.keepAddress(endpoint.networkId, endpoint.address, container.id);`,
    wrong: `  if (!WRONG) networkStore.keepAddress(endpoint.networkId, endpoint.address, container.id);`,
    finder: { story: "restart-unclean" },
  },
  {
    name: "networks are pruned while containers are",
    file: "network/prune.ts",
    right: `if (engine.pruning) return`,
    wrong: `if (!WRONG && engine.pruning) return`,
    finder: { story: "prune" },
  },
];
