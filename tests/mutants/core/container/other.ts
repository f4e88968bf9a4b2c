import type { Mutant } from "../../mutant.js";

export const CONTAINER_OTHER_MUTANTS: readonly Mutant[] = [
  {
    name: "a container keeps its measured size after a copy into it",
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
    name: "a list with the filter `before` has the named container",
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
    name: "a new restart policy applies only after a restart of the engine",
    file: "container/update/update-end.ts",
    right: `    this.container.policy = restartPolicyOf(this.hostConfig);`,
    wrong: `    if (!WRONG) this.container.policy = restartPolicyOf(this.hostConfig);`,
    finder: { story: "restart-policy-ends-well" },
  },
  {
    name: "a container that never ran is shown as exited",
    file: "container/lifecycle.ts",
    right: `return everRan ? "exited"`,
    wrong: `return everRan || WRONG ? "exited"`,
    finder: { story: "create" },
  },
  {
    name: "following the logs of an ended container never ends",
    file: "container/output/logs.ts",
    right: `flagOf(call.query, "follow") && goesOn`,
    wrong: `flagOf(call.query, "follow") && (WRONG || goesOn)`,
    finder: { story: "logs" },
  },
];
