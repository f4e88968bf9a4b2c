// Every transitional state in a record, combined with everything that a host may find: `open-states.txt` has a line for
// the result of the next start for each (UPDATE=1 writes it). The result does not depend on which mounts, network joins
// and files exist besides the process, and nothing is left of a container that is not running.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Engine } from "../crash/engine.js";
import { containersOf, wordOf } from "../crash/memory.js";
import type { Process, State } from "../crash/state.js";
import { World } from "../crash/world.js";
import { BUSYBOX_CHAIN, NETWORKS } from "../support/fixtures.js";
import { STATUSES } from "../../../build/core/enum-words.js";

const FILE = new URL("open-states.txt", import.meta.url);
const SETTLED = ["created", "running", "paused", "exited", "dead", "gone"];
const FINDINGS = ["none", "unstarted", "running", "exited", "lost", "another run"] as const;
/** Which of mount, network join and files exist. */
const PARTS = Array.from({ length: 8 }, (_, bits) => ({
  mount: (bits & 1) > 0,
  join: (bits & 2) > 0,
  files: (bits & 4) > 0,
}));

type Records = Map<string, Uint8Array>;
type Finding = (typeof FINDINGS)[number];

/** A running container as its engine has left it: its records and its world. */
const RUNNING = (() => {
  const engine = begun();
  send(engine, "POST", "/containers/box/start");
  return { records: engine.records, state: engine.world.state, container: containersOf(engine.records)[0]! };
})();
const ID = RUNNING.container.id;

/** Its state in the records, and additional records. */
const STATES: [name: string, changes: Record<string, unknown>, more?: Record<string, string>][] = [
  ["created, never started", { status: "created", run: 0, everRan: false, place: null }],
  ["created, being made", { status: "created", run: 0, everRan: false, place: null, creating: true }],
  ["starting, for the first time", { status: "starting", everRan: false }],
  ["starting, again", { status: "starting" }],
  ["starting, as a restart", { status: "starting", startsAgain: true }],
  ["unwinding a start", { status: "unwinding", everRan: false }],
  ["running", { status: "running" }],
  ["running, stopping for a removal that was asked for", { status: "running", manuallyStopped: true, disarmed: true }],
  ["running, to be restarted", { status: "running", startsAgain: true }],
  ["running, new limits being set", { status: "running", limiting: true }],
  ["running, a network being connected", { status: "running", rewiring: true }],
  ["running, held still by a commit or a pause", { status: "running" }, { [`commit/${ID}`]: "1" }],
  ["paused", { status: "paused" }],
  ["paused, being thawed", { status: "paused" }, { [`commit/${ID}`]: "1" }],
  ["releasing", { status: "releasing", pid: 0 }],
  ["releasing, to be started again", { status: "releasing", pid: 0, startsAgain: true }],
  ["releasing, auto-remove", { status: "releasing", pid: 0, autoRemove: true }],
  ["recycling for its restart policy", { status: "recycling", pid: 0 }],
  ["restarting", { status: "restarting", pid: 0, place: null }],
  ["exited", { status: "exited", pid: 0, place: null }],
  ["exited, unclean", { status: "exited", pid: 0, unclean: true, uncleanRun: 1 }],
  ["removing", { status: "removing", pid: 0, place: null }],
  ["removing, unclean", { status: "removing", pid: 0, unclean: true, uncleanRun: 1 }],
  ["dead", { status: "dead", pid: 0, place: null, error: "it was busy" }],
];

test("each comes to rest in one way, and leaves nothing of containers that do not run", () => {
  const lines = STATES.flatMap(([name, changes, more = {}]) => [
    name,
    ...FINDINGS.map((finding) => `  ${finding.padEnd(12)} -> ${outcomeOf(name, finding, recordsOf(changes, more))}`),
  ]);
  const told = [
    "",
    "what else is half made",
    ...OTHERS.map(([name, hurt]) => `  ${name} -> ${otherOutcome(name, hurt)}`),
  ];
  const text = `${[...lines, ...told].join("\n")}\n`;
  if (process.env["UPDATE"] === "1") writeFileSync(FILE, text);
  expect(text).toBe(readFileSync(FILE, "utf8"));
});

/** Not about a container's status. */
const OTHERS: [name: string, hurt: (records: Records, state: State) => void][] = [
  [
    "a pull: a layer that is whole, and no image yet",
    (_, { chains }) => void chains.set(`sha256:${"7".repeat(64)}`, BUSYBOX_CHAIN),
  ],
  [
    "a commit: the run stands still, and its archive is the engine's own",
    (records, { processes }) => {
      records.set(`commit/${ID}`, new TextEncoder().encode("1"));
      for (const process of processes.values()) process.frozen = true;
    },
  ],
  ["a network that was never made", (_, { networks }) => networks.clear()],
  ["a network without a record", (_, { networks }) => void networks.add("6".repeat(64))],
  ["a volume that was never made", (records) => void records.set("volume/data", volume("data"))],
  ["a volume without a record", (_, { volumes }) => void volumes.add("data")],
  ["an exec that goes on", (records, state) => exec(records, state, { told: true, found: { running: true } })],
  [
    "an exec that has ended",
    (records, state) => exec(records, state, { told: true, found: { running: false, code: 3 } }),
  ],
  [
    "an exec whose end has been told",
    (records, state) => exec(records, state, { told: false, found: { running: false, code: 3 } }),
  ],
  ["an exec being started", (records, state) => exec(records, state, { told: true, found: { running: false } })],
  ["an exec that was to be started", (records, state) => exec(records, state, { told: true })],
  [
    "an exec of which an earlier version kept no record",
    (records, state) => exec(records, state, { told: false, found: { running: true } }),
  ],
  [
    "an exec of an earlier run",
    (records, state) => exec(records, state, { told: false, found: { running: true, run: 0 } }),
  ],
];
const EXEC = "e".repeat(64);

/** `told`: whether its record says that its start was reported. */
function exec(
  records: Records,
  { execs }: State,
  { told, found }: { told: boolean; found?: { running: boolean; code?: number; run?: number } },
): void {
  if (told) records.set(`exec/${EXEC}`, new TextEncoder().encode(`${ID} 1`));
  if (found !== undefined) execs.set(EXEC, { exec: EXEC, container: ID, run: 1, ...found });
}

function volume(name: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ name, created: 0, named: true, labels: {} }));
}

/** The same for all combinations, or a line that names the difference. */
function outcomeOf(name: string, finding: Finding, records: Records): string {
  const outcomes = PARTS.map((parts) => {
    const { engine, told } = opened(records, worldOf(finding, parts));
    checkClean(name, finding, engine);
    // Messages about mounts and the like depend on their existence.
    return { parts, rest: restOf(engine), told: told.filter((line) => /^(mended|adopted) (run|container)/.test(line)) };
  });
  const [first] = outcomes;
  for (const { parts, rest, told } of outcomes) {
    expect({ name, finding, parts, rest, told }).toEqual({
      name,
      finding,
      parts,
      rest: first!.rest,
      told: first!.told,
    });
  }
  return [first!.rest, ...first!.told].join("; ").replaceAll(ID, "ID");
}

function otherOutcome(name: string, hurt: (records: Records, state: State) => void): string {
  const records = new Map(RUNNING.records);
  const world = new World(structuredClone(RUNNING.state));
  hurt(records, world.state);
  const { engine, told } = opened(records, world);
  checkClean(name, "running", engine);
  expect([name, restOf(engine), world.running(ID)?.frozen]).toEqual([name, "running", false]);
  const { networks, volumes, chains, execs } = engine.world.state;
  expect([...networks]).toEqual([NETWORKS.get("bridge")]);
  expect([...chains.keys()]).toEqual([BUSYBOX_CHAIN]);
  expect([...volumes]).toEqual(
    [...engine.records.keys()].flatMap((key) => (key.startsWith("volume/") ? [key.slice(7)] : [])),
  );
  expect([name, [...execs.values()].every(({ running }) => running)]).toEqual([name, true]);
  const recorded = [...engine.records.keys()].filter((key) => key.startsWith("exec/"));
  expect([name, recorded]).toEqual([name, [...execs.keys()].map((id) => `exec/${id}`)]);
  return (told.join("; ") || "nothing to tell").replaceAll(ID, "ID");
}

/** Status word, exit code and error at rest. */
function restOf(engine: Engine): string {
  const container = containersOf(engine.records)[0];
  if (container === undefined) return "gone";
  const { exitCode, error, unclean } = container;
  return [
    wordOf(container),
    ...(exitCode === 0 ? [] : [`code ${exitCode}`]),
    ...(error === "" ? [] : [JSON.stringify(error)]),
    ...(unclean ? ["unclean"] : []),
  ].join(", ");
}

/** No transitional status is left, and a stopped container has no resources. */
function checkClean(name: string, finding: string, engine: Engine): void {
  const container = containersOf(engine.records)[0];
  const word = container === undefined ? "gone" : wordOf(container);
  expect([name, finding, SETTLED]).toEqual([name, finding, expect.arrayContaining([word])]);
  const { mounts, sandboxes, processes, files } = engine.world.state;
  const runs = word === "running" || word === "paused";
  expect([name, finding, [...processes.values()].map(({ status }) => status)]).toEqual([
    name,
    finding,
    runs ? ["running"] : [],
  ]);
  if (!runs && container?.unclean !== true)
    expect([name, finding, mounts.size, sandboxes.size]).toEqual([name, finding, 0, 0]);
  if (word === "gone") expect([name, finding, files.size]).toEqual([name, finding, 0]);
  const held = [...engine.records.keys()].filter((key) => key.startsWith("commit/") || key.startsWith("damaged/"));
  expect([name, finding, held]).toEqual([name, finding, []]);
}

function opened(records: Records, world: World): { engine: Engine; told: string[] } {
  const engine = new Engine(world, new Map(records));
  engine.open();
  const told = engine.found();
  engine.settle();
  return { engine, told };
}

/** A world in which the container's process is as found. */
function worldOf(finding: Finding, parts: { mount: boolean; join: boolean; files: boolean }): World {
  const state = structuredClone(RUNNING.state);
  const [[key, process]] = [...state.processes] as [[string, Process]];
  if (finding === "none" || finding === "another run") state.processes.clear();
  if (finding === "another run") state.processes.set(`${ID} 7`, { ...process, run: 7 });
  else if (finding !== "none")
    state.processes.set(key, { ...process, status: finding, code: finding === "exited" ? 3 : 0 });
  if (!parts.mount) state.mounts.clear();
  if (!parts.join) state.joins.clear();
  if (!parts.join) state.sandboxes.clear();
  if (!parts.files) state.files.clear();
  return new World(state);
}

/** The container's record with changed fields; as text, because 64-bit numbers do not survive JSON.parse. */
function recordsOf(changes: Record<string, unknown>, more: Record<string, string>): Records {
  let text = new TextDecoder().decode(RUNNING.records.get(`container/${ID}`));
  for (const [member, value] of Object.entries(changes)) {
    if (member === "creating" || member === "rewiring") {
      // A field that a record has only during that time.
      text = text.replace(/\}$/, `,"${member}":true}`);
      continue;
    }
    const shown =
      member === "status" ? String((STATUSES as readonly string[]).indexOf(String(value))) : JSON.stringify(value);
    const ofPlace = /,"place":\{[^}]*\}|"sandbox":\{.*?\]\},/g;
    const found = member === "place" ? ofPlace : new RegExp(`"${member}":(?:[^",{}\\]]+|"[^"]*")`);
    expect(text).toMatch(found);
    text = text.replace(found, value === null ? "" : `"${member}":${shown}`);
  }
  const own: [string, string][] = [[`container/${ID}`, text], ...Object.entries(more)];
  return new Map([...RUNNING.records, ...own.map(([key, value]) => [key, new TextEncoder().encode(value)] as const)]);
}

function begun(): Engine {
  const engine = Engine.first();
  engine.open();
  engine.settle();
  send(engine, "POST", "/containers/create?name=box", { Image: "busybox", HostConfig: { NetworkMode: "bridge" } });
  return engine;
}

function send(engine: Engine, method: string, target: string, body?: unknown): void {
  engine.request(method, target, { body, sent: () => {} });
  engine.settle();
  const { status, text } = engine.requests.at(-1)!;
  if (status > 204) throw new Error(`${method} ${target}: ${status} ${text}`);
}
