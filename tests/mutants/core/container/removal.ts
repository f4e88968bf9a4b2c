import type { Mutant } from "../../mutant.js";

export const CONTAINER_REMOVAL_MUTANTS: readonly Mutant[] = [
  {
    name: "a removal forgets its container before its files are gone",
    file: "container/remove/remove.ts",
    right: `    askContent(this, Step.Other, new ContentCommandDropContainer(container.id));\n    this.dropVolumes();`,
    wrong: `    if (!WRONG) askContent(this, Step.Other, new ContentCommandDropContainer(container.id));\n    else askContent(this, Step.Other, new ContentCommandUnmount(container.id));\n    this.dropVolumes();`,
    finder: "search",
  },
  {
    name: "two prunes of containers run at the same time",
    file: "container/remove/prune.ts",
    right: `if (engine.pruning)`,
    wrong: `if (!WRONG && engine.pruning)`,
    finder: { story: "prune" },
  },
  {
    name: "no prune is possible after a prune of containers",
    file: "container/remove/prune.ts",
    right: `    engine.pruning = false;`,
    wrong: `    if (!WRONG) engine.pruning = false;`,
    finder: { story: "prune-labels" },
  },
  {
    name: "a prune reports no reclaimed bytes",
    file: "container/remove/prune.ts",
    right: `      this.reclaimed += container.written;`,
    wrong: `      if (!WRONG) this.reclaimed += container.written;`,
    finder: { story: "prune" },
  },
  {
    name: "a removal removes volumes without being asked to",
    file: "container/remove/remove.ts",
    right: `container.removeVolumes = flagOf(call.query, "v");`,
    wrong: `container.removeVolumes = WRONG || flagOf(call.query, "v");`,
    finder: { story: "remove" },
  },
  {
    name: "layers that only a removed container needed stay",
    file: "container/remove/remove.ts",
    right: `    layerStore.dropUnclaimedStack(container.chain);`,
    wrong: `    if (!WRONG) layerStore.dropUnclaimedStack(container.chain);`,
    finder: { story: "delete-image" },
  },
  {
    name: "a removal has no event",
    file: "container/remove/remove.ts",
    right: `    emitContainer(container, "destroy");`,
    wrong: `    if (!WRONG) emitContainer(container, "destroy");`,
    finder: { story: "events-of-volumes" },
  },
  {
    name: "a removal that could not kill stays pending forever",
    file: "container/remove/remove.ts",
    right: `    removals.splice(removals.indexOf(this.client), 1);`,
    wrong: `    if (!WRONG) removals.splice(removals.indexOf(this.client), 1);`,
    finder: { story: "removal-cannot-kill" },
  },
  {
    name: "a volume that another container uses is removed",
    file: "container/remove/remove.ts",
    right: `if (!mount.added && isUsedBeside(`,
    wrong: `if (!WRONG && !mount.added && isUsedBeside(`,
    finder: { story: "mounts" },
  },
];
