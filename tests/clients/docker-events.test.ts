// A session with the docker CLI: every engine reports the same events in the same order.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/commands.js";
import { engines, RunningEngine, startWithBusybox } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { type Event, past, stamp } from "../support/past-events.js";
import { DOCKER_MISSING, DockerCli } from "./docker.js";

const STAYS = ["busybox", "sh", "-c", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done"];

/**
 * The session, one command per row, after the number of its events; some come after the command has ended. Prunes
 * remove objects in random order, so there is one of each. `FILE` is a file of this machine.
 */
const SESSION: readonly (readonly [events: number, ...command: string[]])[] = [
  [1, "create", "--name", "c1", "-l", "a=b", "-l", "image=mine", ...STAYS],
  [2, "start", "c1"],
  [3, "exec", "c1", "true"],
  [3, "exec", "-u", "nobody", "c1", "sh", "-c", "exit 0"],
  [1, "top", "c1"],
  [0, "stats", "--no-stream", "c1"],
  [1, "pause", "c1"],
  [1, "unpause", "c1"],
  [1, "rename", "c1", "c2"],
  [1, "update", "--memory", "64m", "--memory-swap", "128m", "c2"],
  [1, "cp", "FILE", "c2:/tmp/file"],
  [1, "cp", "c2:/tmp/file", "-"],
  [0, "diff", "c2"],
  [1, "export", "-o", "FILE", "c2"],
  [4, "commit", "-m", "words", "c2", "made:1"],
  [1, "tag", "made:1", "made:2"],
  [1, "rmi", "made:1"],
  [2, "rmi", "made:2"],
  [7, "restart", "-t", "10", "c2"],
  [1, "kill", "-s", "USR2", "c2"],
  [0, "start", "c2"],
  [4, "stop", "-t", "10", "c2"],
  [2, "start", "c2"],
  [3, "kill", "c2"],
  [1, "rm", "c2"],
  [6, "run", "--name", "once", "busybox", "true"],
  [1, "rm", "once"],
  [7, "run", "--rm", "busybox", "true"],
  [3, "run", "-d", "--rm", "--name", "gone", ...STAYS],
  [5, "stop", "-t", "10", "gone"],
  [6, "run", "--name", "alone", "--network", "none", "busybox", "true"],
  [6, "run", "--name", "outside", "--network", "host", "busybox", "true"],
  [4, "create", "--name", "filled", "-v", "named:/data", "-v", "/anonymous", "-v", "other:/other:ro", ...STAYS],
  [5, "start", "filled"],
  [6, "run", "-d", "--name", "shares", "--volumes-from", "filled", ...STAYS],
  [7, "stop", "-t", "10", "shares"],
  [1, "rm", "shares"],
  [8, "rm", "-f", "-v", "filled"],
  [1, "create", "-t", "--name", "shown", "busybox", "sh"],
  [2, "start", "shown"],
  [4, "rm", "-f", "shown"],
  [1, "rm", "outside"],
  [2, "container", "prune", "-f"],
];

const all = engines();
const wanted = all.length < 3 ? "not all engines were chosen" : null;
const missing = wanted ?? DOCKER_MISSING ?? all.find((engine) => engine.missing !== null)?.missing ?? null;

describeUnless(missing, "the events of a session", () => {
  const running: RunningEngine[] = [];
  let directory = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "coracle-session-"));
    await writeFile(join(directory, "file"), "words\n");
    for (const engine of all) running.push(new RunningEngine(engine, await startWithBusybox(engine)));
  }, 180_000);
  afterAll(async () => {
    for (const engine of running) await engine.daemon.close();
    await rm(directory, { recursive: true, force: true });
  }, 60_000);

  test("are the same on every engine", async () => {
    const reference = await told(running.find(({ kind }) => kind === "reference")!);
    expect(reference.map(({ length }) => length)).toEqual(SESSION.map(([events]) => events));
    for (const engine of running.filter(({ kind }) => kind !== "reference")) {
      const ours = await told(engine);
      SESSION.forEach(([, ...command], at) => {
        expect({ engine: engine.kind, command, events: ours[at] }).toEqual({
          engine: engine.kind,
          command,
          events: reference[at],
        });
      });
    }
  }, 240_000);

  test("have no mounts for copies of files", async () => {
    for (const engine of running) {
      const docker = new DockerCli(engine.daemon.socketPath, directory);
      await docker.well("create", "--name", "copied", "-v", "/data", "busybox", "true");
      const since = await stamp(engine);
      await docker.well("cp", join(directory, "file"), "copied:/tmp/file");
      const around = ["mount", "unmount", "mount", "extract-to-dir", "unmount"];
      const actions = (await past(engine, since)).map(({ Action }) => Action);
      expect(actions).toEqual(engine.expected("archive-mounts", ["extract-to-dir"], around));
      await docker.well("rm", "-v", "copied");
    }
  });

  /** The events of each command. Additional events appear with those of the next command. */
  async function told(engine: RunningEngine): Promise<string[][]> {
    const docker = new DockerCli(engine.daemon.socketPath, directory);
    const names = new Names();
    const told: string[][] = [];
    const begun = await stamp(engine);
    for (const [events, ...command] of SESSION) {
      if (["stop", "restart"].includes(command[0]!)) await ready(engine, command.at(-1)!, begun);
      const since = await stamp(engine);
      await docker.well(...command.map((word) => (word === "FILE" ? join(directory, "file") : word)));
      await come(engine, since, events);
      told.push(inOrder(await past(engine, since)).map((event) => names.replaced(event)));
    }
    return told;
  }
});

/** Each of its runs has set its trap: before that, an init ignores the signal. */
async function ready(engine: RunningEngine, name: string, begun: string): Promise<void> {
  const { Id } = await engine.inspect<{ Id: string }>(name);
  await until(`the trap of ${name}`, async () => {
    const events = await past(engine, begun);
    const starts = events.filter(({ Action, Actor }) => Action === "start" && Actor.ID === Id);
    return (await engine.logs(Id)).stdout === "ready\n".repeat(starts.length);
  });
}

/** Waits for this many events as long as they may still come; the comparison reports missing ones. */
async function come(engine: RunningEngine, since: string, count: number): Promise<void> {
  const have = async (): Promise<boolean> => (await past(engine, since)).length >= count;
  await until("as many events", have, { timeoutMs: 20_000 }).catch(() => undefined);
}

/** The reference processes volumes in random order, so consecutive volume events are sorted. */
function inOrder(events: readonly Event[]): Event[] {
  const sorted: Event[] = [];
  for (let at = 0; at < events.length;) {
    let end = at + 1;
    const { Type, Action } = events[at]!;
    while (Type === "volume" && events[end]?.Type === Type && events[end]?.Action === Action) end++;
    sorted.push(...events.slice(at, end).sort((a, b) => (wordsOf(a) < wordsOf(b) ? -1 : 1)));
    at = end;
  }
  return sorted;
}

const ID = /(sha256:)?[0-9a-f]{64}/g;

function wordsOf(event: Event): string {
  return JSON.stringify(event).replace(ID, "");
}

/** Replaces ids by the order in which they appear. Times and durations are left out. */
class Names {
  readonly #names = new Map<string, string>();

  replaced({ time: _time, timeNano: _nano, ...event }: Event): string {
    const { execDuration: _duration, ...Attributes } = event.Actor.Attributes;
    const text = JSON.stringify({ ...event, Actor: { ...event.Actor, Attributes } });
    return text.replace(ID, (id) => this.#nameOf(id)).replace(/"name":"[a-z]+_[a-z]+\d?"/, '"name":"GENERATED"');
  }

  #nameOf(id: string): string {
    const name = this.#names.get(id) ?? `#${this.#names.size + 1}`;
    this.#names.set(id, name);
    return name;
  }
}
