import type { Mutant } from "../../mutant.js";

export const CONTAINER_OTHER_MUTANTS: readonly Mutant[] = [
  {
    name: "a container into which something is copied counts as counted",
    file: "container/files/extract.ts",
    right: `    containerSizes.outdate(this.container);`,
    wrong: `    if (!WRONG) containerSizes.outdate(this.container);`,
    finder: { story: "archive" },
  },
  {
    name: "links do not follow a rename",
    file: "container/update/rename.ts",
    right: `  renameLinks(container);`,
    wrong: `  if (!WRONG) renameLinks(container);`,
    finder: { story: "links" },
  },
  {
    name: "the container that `before` names is in the list",
    file: "container/shown/filter.ts",
    right: `container.sequence < this.before &&`,
    wrong: `(WRONG ? container.sequence <= this.before : container.sequence < this.before) &&`,
    finder: { story: "list" },
  },
  {
    name: "the filter `status` chooses nothing",
    file: "container/shown/filter.ts",
    right: `filters.exact("status", container.word)`,
    wrong: `(WRONG || filters.exact("status", container.word))`,
    finder: { story: "list" },
  },
  {
    name: "the list has one more than its limit",
    file: "container/shown/list.ts",
    right: `found.length == limit.value)`,
    wrong: `found.length == limit.value + <i64>(WRONG ? 1 : 0))`,
    finder: { story: "list" },
  },
  {
    name: "a new restart policy holds only from the next engine on",
    file: "container/update/update-end.ts",
    right: `    this.container.policy = restartPolicyOf(this.hostConfig);`,
    wrong: `    if (!WRONG) this.container.policy = restartPolicyOf(this.hostConfig);`,
    finder: { story: "restart-policy-ends-well" },
  },
  {
    name: "a container that never ran is called exited",
    file: "container/lifecycle.ts",
    right: `return everRan ? "exited"`,
    wrong: `return everRan || WRONG ? "exited"`,
    finder: { story: "create" },
  },
  {
    name: "logs of a container that has ended are followed without an end",
    file: "container/output/logs.ts",
    right: `flagOf(call.query, "follow") && goesOn`,
    wrong: `flagOf(call.query, "follow") && (WRONG || goesOn)`,
    finder: { story: "logs" },
  },
];
