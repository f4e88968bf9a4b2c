// Rules of the core, each made wrong in one place: what the searches of this house must find.

export interface Mutant {
  /** What is wrong. */
  name: string;
  /** Of core/assembly. */
  file: string;
  /** Stands in the file once. */
  right: string;
  /** In its place; `WRONG` is true where this mutant is the one that runs. */
  wrong: string;
  /** Who finds it: the search, or the simulator by this seed. */
  finder: "search" | { seed: number };
  /** What the search begins with. */
  before?: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "the start of a paused container counts as done",
    file: "container/start.ts",
    right: `if (container.status == Status.Paused) return conflict(`,
    wrong: `if (container.status == Status.Paused) return WRONG ? notModified() : conflict(`,
    finder: "search",
    before: ["create anna", "start anna", "pause anna"],
  },
  {
    name: "the name of a removed container stays taken",
    file: "container/store.ts",
    right: `if (this.idOf(container.name) == container.id) this`,
    wrong: `if (!WRONG && this.idOf(container.name) == container.id) this`,
    finder: "search",
  },
  {
    name: "the exit code is dropped",
    file: "container/exit.ts",
    right: `container.exitCode = <i32>exit.code;`,
    wrong: `container.exitCode = WRONG ? 0 : <i32>exit.code;`,
    finder: "search",
  },
  {
    name: "a container's record is not put before 201",
    file: "container/create.ts",
    right: `  tieLinks(container);\n  container.change();`,
    wrong: `  tieLinks(container);\n  if (!WRONG) container.change();`,
    finder: "search",
  },
  {
    name: "the mount of a start that failed is not undone",
    file: "container/release.ts",
    right: `if (container.filesWorks > 0) return;`,
    wrong: `if (container.filesWorks > 0 || (WRONG && container.status == Status.Unwinding)) return;`,
    finder: "search",
  },
  {
    name: "a kill is answered before its container has ended",
    file: "container/kill.ts",
    right: `if (step != KILL_STEP) this.answer`,
    wrong: `if (WRONG || step != KILL_STEP) this.answer`,
    finder: "search",
  },
  {
    name: "a removal forgets its container before its files are gone",
    file: "container/remove.ts",
    right: `    askContent(this, Step.Other, new ContentCommandDropContainer(container.id));\n    this.dropVolumes();`,
    wrong: `    if (!WRONG) askContent(this, Step.Other, new ContentCommandDropContainer(container.id));\n    else askContent(this, Step.Other, new ContentCommandUnmount(container.id));\n    this.dropVolumes();`,
    finder: "search",
  },
  {
    name: "the engine takes what it finds running for ended",
    file: "mend.ts",
    right: `if (state === null || state.tag == ProcessStateTag.Unstarted) {`,
    wrong: `if (WRONG || state === null || state.tag == ProcessStateTag.Unstarted) {`,
    finder: "search",
  },
  {
    name: "requests that wait for a container are forgotten",
    file: "container/queue.ts",
    right: `for (let i = 0; i < waiting.length; i++)`,
    wrong: `for (let i = WRONG ? 1 : 0; i < waiting.length; i++)`,
    finder: "search",
  },
  {
    name: "an image in use is removed",
    file: "image/store.ts",
    right: `  usedBy(image: Image): Container[] {`,
    wrong: `  usedBy(image: Image): Container[] {\n    if (WRONG) return [];`,
    finder: { seed: 1 },
  },
  {
    name: "a restart too many is counted",
    file: "container/restart-policy.ts",
    right: `<i64>container.restartCount < policy.maximum`,
    wrong: `<i64>container.restartCount < policy.maximum + (WRONG ? 1 : 0)`,
    finder: { seed: 58 },
  },
  {
    name: "nobody is told of a start",
    file: "event/emit.ts",
    right: `  emitContainer(container, "start");`,
    wrong: `  if (!WRONG) emitContainer(container, "start");`,
    finder: { seed: 1 },
  },
  {
    name: "an address stays taken",
    file: "network/connect.ts",
    right: `  engine.networks.freeAddress(endpoint.networkId, endpoint.address, container.id);`,
    wrong: `  if (!WRONG) engine.networks.freeAddress(endpoint.networkId, endpoint.address, container.id);`,
    finder: { seed: 1 },
  },
  {
    name: "a port stays taken",
    file: "network/connect.ts",
    right: `    engine.networks.freePort(port.protocol, port.address, port.hostPort, container.id);\n  }\n  container.endpoint = null;`,
    wrong: `    if (!WRONG) engine.networks.freePort(port.protocol, port.address, port.hostPort, container.id);\n  }\n  container.endpoint = null;`,
    finder: { seed: 19 },
  },
  {
    name: "the size of a volume is not put once its run has ended",
    file: "volume/store.ts",
    right: `if (!isInRun(volume.name)) this.catchUp(volume);`,
    wrong: `if (!WRONG && !isInRun(volume.name)) this.catchUp(volume);`,
    finder: { seed: 1 },
  },
  {
    name: "a container into which something is copied counts as counted",
    file: "container/extract.ts",
    right: `    engine.sizes.outdate(this.container);`,
    wrong: `    if (!WRONG) engine.sizes.outdate(this.container);`,
    finder: { seed: 6 },
  },
];
