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
  /**
   * Who finds it: the search, the simulator by this seed, this one of tests/core/scenarios, or this one of
   * tests/simulator/stories by a rule.
   */
  finder: "search" | { seed: number } | { story: string } | { played: string; rule: string };
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
    finder: { seed: 4 },
  },
  {
    name: "a restart too many is counted",
    file: "container/restart-policy.ts",
    right: `<i64>container.restartCount < policy.maximum`,
    wrong: `<i64>container.restartCount < policy.maximum + (WRONG ? 1 : 0)`,
    finder: { seed: 32 },
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
    finder: { played: "port-held", rule: "ports" },
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
  {
    name: "the beginning of several images' ids is taken for one of them",
    file: "image/store.ts",
    right: `      if (found !== null) return null;`,
    wrong: `      if (!WRONG && found !== null) return null;`,
    finder: { story: "image-prefixes" },
  },
  {
    name: "a container whose restart has failed starts again when it ends",
    file: "container/restart.ts",
    right: `  failed(message: string): void {\n    this.container.startsAgain = false;`,
    wrong: `  failed(message: string): void {\n    this.container.startsAgain = WRONG;`,
    finder: { story: "restart-of-what-cannot-be-killed" },
  },
  {
    name: "the record does not say that a restart has failed",
    file: "container/restart.ts",
    right: `    this.container.touch();\n    const call = this.call;`,
    wrong: `    if (!WRONG) this.container.touch();\n    const call = this.call;`,
    finder: { story: "restart-of-what-cannot-be-killed" },
  },
  {
    name: "a commit does not hold the layers of its container",
    file: "image/commit.ts",
    right: `    this.claims.claimStack(this.container.chain);`,
    wrong: `    if (!WRONG) this.claims.claimStack(this.container.chain);`,
    finder: { story: "commit-of-what-goes" },
  },
  {
    name: "the image of a start that is under way is removed by force",
    file: "image/deletion.ts",
    right: `users[i].status == Status.Starting) {`,
    wrong: `(!WRONG && users[i].status == Status.Starting)) {`,
    finder: { story: "delete-image-in-use" },
  },
  {
    name: "the image of a paused container is removed by force",
    file: "image/deletion.ts",
    right: `if (users[i].up ||`,
    wrong: `if ((users[i].up && !(WRONG && users[i].status == Status.Paused)) ||`,
    finder: { story: "delete-image-in-use" },
  },
  {
    name: "StopTimeout 0 counts as none given",
    file: "container/ending.ts",
    right: `container.stopTimeout == NO_TIMEOUT ?`,
    wrong: `container.stopTimeout == NO_TIMEOUT || (WRONG && container.stopTimeout == 0) ?`,
    finder: { story: "stop-timeout-of-zero" },
  },
  {
    name: "with a reader of events that leaves the next one goes, too",
    file: "event/ring.ts",
    right: `this.readers.splice(at, 1);`,
    wrong: `this.readers.splice(at, WRONG ? 2 : 1);`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "an event of just the moment `since` is not shown",
    file: "event/reading.ts",
    right: `at >= this.since)`,
    wrong: `(WRONG ? at > this.since : at >= this.since))`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "an event of just the moment `since` is not looked for",
    file: "event/ring.ts",
    right: `if (kept[i].stamp >= moment) return`,
    wrong: `if (WRONG ? kept[i].stamp > moment : kept[i].stamp >= moment) return`,
    finder: { story: "events-at-their-times" },
  },
  {
    name: "the last control character is not escaped",
    file: "json/writer.ts",
    right: `if (unit < 0x20 ||`,
    wrong: `if (unit < (WRONG ? 0x1f : 0x20) ||`,
    finder: { story: "control-characters" },
  },
  {
    name: "the broadcast address is given out",
    file: "network/store.ts",
    right: `address < subnet.last; address++`,
    wrong: `WRONG ? address <= subnet.last : address < subnet.last; address++`,
    finder: { story: "addresses-of-a-small-network" },
  },
  {
    name: "a load does not hold the layers that are there",
    file: "image/load.ts",
    right: `      this.claims.claim(layers[this.layer].chain);`,
    wrong: `      if (!WRONG) this.claims.claim(layers[this.layer].chain);`,
    finder: { story: "unpack-on-what-goes" },
  },
  {
    name: "a pull does not hold the layers that are there",
    file: "image/unpacking.ts",
    right: `      this.claim(at);`,
    wrong: `      if (!WRONG) this.claim(at);`,
    finder: { story: "unpack-on-what-goes" },
  },
  {
    name: "a start goes on without the port that a program of the machine holds",
    file: "container/start.ts",
    right: `    if (this.error !== null) return;\n    // The one whose`,
    wrong: `    if (this.error !== null || (WRONG && failure.kind == FailureKind.Busy)) return;\n    // The one whose`,
    finder: { played: "port-held", rule: "ports" },
  },
  {
    name: "the labels stay what they were before the configuration was read again",
    file: "system/reload.ts",
    right: `  options.labels = settings.labels;`,
    wrong: `  if (!WRONG) options.labels = settings.labels;`,
    finder: { played: "reloaded", rule: "settings" },
  },
  {
    name: "nobody is told that the configuration was read again",
    file: "system/reload.ts",
    right: `  engine.events.emit(reloadEvent());`,
    wrong: `  if (!WRONG) engine.events.emit(reloadEvent());`,
    finder: { played: "reloaded", rule: "settings" },
  },
  {
    name: "the default runtime stays what it was before the configuration was read again",
    file: "system/reload.ts",
    right: `  options.defaultRuntime = settings.defaultRuntime;`,
    wrong: `  if (!WRONG) options.defaultRuntime = settings.defaultRuntime;`,
    finder: { played: "reloaded", rule: "settings" },
  },
  {
    name: "what has vanished counts as ended well",
    file: "mend.ts",
    right: `new Exit(UNKNOWN_CODE, false`,
    wrong: `new Exit(WRONG ? 0 : UNKNOWN_CODE, false`,
    finder: { played: "rebooted", rule: "vanished" },
  },
  {
    name: "nobody starts with the engine",
    file: "container/restart-policy.ts",
    right: `  return container.everRan && wantsAnother`,
    wrong: `  return !WRONG && container.everRan && wantsAnother`,
    finder: { played: "rebooted", rule: "vanished" },
  },
  {
    name: "the delay before a restart is told by the time of day",
    file: "container/restarting.ts",
    right: `    this.timer = 0;\n    this.due = true;`,
    wrong: `    this.timer = 0;\n    const left = this.container.finishedAt + this.container.restartDelay - engine.now.wall;\n    if (WRONG && left > 0) return this.wait(<u64>left);\n    this.due = true;`,
    finder: { played: "clock-set-back", rule: "timers" },
  },
];
