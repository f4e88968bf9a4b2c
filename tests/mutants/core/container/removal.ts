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
    name: "two prunes of containers go on side by side",
    file: "container/remove/prune.ts",
    right: `if (engine.pruning)`,
    wrong: `if (!WRONG && engine.pruning)`,
    finder: { story: "prune" },
  },
  {
    name: "a prune of containers is the last one",
    file: "container/remove/prune.ts",
    right: `    engine.pruning = false;`,
    wrong: `    if (!WRONG) engine.pruning = false;`,
    finder: { story: "prune-labels" },
  },
  {
    name: "a prune tells of no bytes",
    file: "container/remove/prune.ts",
    right: `      this.reclaimed += container.written;`,
    wrong: `      if (!WRONG) this.reclaimed += container.written;`,
    finder: { story: "prune" },
  },
  {
    name: "a removal takes volumes along though nobody asked",
    file: "container/remove/remove.ts",
    right: `container.removeVolumes = flagOf(call.query, "v");`,
    wrong: `container.removeVolumes = WRONG || flagOf(call.query, "v");`,
    finder: { story: "remove" },
  },
  {
    name: "layers stay that only a removed container held",
    file: "container/remove/remove.ts",
    right: `    layerStore.dropUnclaimedStack(container.chain);`,
    wrong: `    if (!WRONG) layerStore.dropUnclaimedStack(container.chain);`,
    finder: { story: "delete-image" },
  },
  {
    name: "nobody is told of a removal",
    file: "container/remove/remove.ts",
    right: `    emitContainer(container, "destroy");`,
    wrong: `    if (!WRONG) emitContainer(container, "destroy");`,
    finder: { story: "events-of-volumes" },
  },
  {
    name: "a removal that could not kill is under way for ever",
    file: "container/remove/remove.ts",
    right: `    removals.splice(removals.indexOf(this.client), 1);`,
    wrong: `    if (!WRONG) removals.splice(removals.indexOf(this.client), 1);`,
    finder: { story: "removal-cannot-kill" },
  },
  {
    name: "a volume goes that another container has",
    file: "container/remove/remove.ts",
    right: `if (!mount.added && isUsedBeside(`,
    wrong: `if (!WRONG && !mount.added && isUsedBeside(`,
    finder: { story: "mounts" },
  },
];
