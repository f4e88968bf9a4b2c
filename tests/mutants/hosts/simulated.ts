import type { Mutant } from "../mutant.js";

export const HOSTS_SIMULATED_MUTANTS: readonly Mutant[] = [
  {
    name: "a simulated volume with files is filled again",
    file: "hosts/simulated/volumes.ts",
    right: `if (root.entries.size > 0) return;`,
    wrong: `if (!WRONG && root.entries.size > 0) return;`,
    finder: {
      test: "tests/simulated/volumes.test.ts",
      named: "a volume is filled once with the files of its path in the image",
    },
  },
  {
    name: "a container that leaves its networks stays in them",
    file: "hosts/simulated/networks.ts",
    right: `if (join.container === container) this.#joins.delete(place);`,
    wrong: `if (!WRONG && join.container === container) this.#joins.delete(place);`,
    finder: "simulator",
  },
  {
    name: "a port can be taken on all addresses and on one",
    file: "hosts/simulated/networks.ts",
    right: `(isEvery(a) || isEvery(b) || a === b)`,
    wrong: `((!WRONG && (isEvery(a) || isEvery(b))) || a === b)`,
    finder: { test: "tests/simulated/networks.test.ts", named: "a taken port is busy" },
  },
  {
    name: "deleted records stay",
    file: "hosts/simulated/records.ts",
    right: `else if (change.tag === "delete") this.kept.delete(change.val);`,
    wrong: `else if (change.tag === "delete") {\n      if (!WRONG) this.kept.delete(change.val);\n    }`,
    finder: { test: "tests/simulated/faults.test.ts", named: "flushed records exist again" },
  },
  {
    name: "simulated packets pass between networks as if nothing kept them apart",
    file: "hosts/simulated/traffic/routes.ts",
    right: `  return isOpened && bridge.trustedInterfaces.includes(from.interfaceName);`,
    wrong: `  return WRONG || (isOpened && bridge.trustedInterfaces.includes(from.interfaceName));`,
    finder: { test: "tests/simulated/traffic/traffic.test.ts", named: "no way: to" },
  },
  {
    name: "simulated containers that leave a network keep their names there",
    file: "hosts/simulated/networks.ts",
    right: `    this.#tables.delete(placeOf(leave));`,
    wrong: `    if (!WRONG) this.#tables.delete(placeOf(leave));`,
    finder: { test: "tests/simulated/traffic/traffic.test.ts", named: "connected and disconnected while they run" },
  },
];
