// Lists planted errors: cores that sometimes do one thing wrong. Each has a description, and the rule that it breaks.

import { packageCore } from "../../hosts/embedding/core.js";
import type { engine } from "../../hosts/shared/host.js";
import { FORK_EPOCH } from "./forks/fork.js";
import { eventOf } from "./invariants/journal.js";
import { type Misreading, plant, type Wrong } from "./planted.js";
import type { SimulationOptions } from "./simulation.js";
import { BUILD_WRONGS } from "./invariants/builds/wrongs.js";

const NOTHING: Wrong["instead"] = () => [];
const TWICE: Wrong["instead"] = (command) => [command, command];

/** Bytes of a journal entry before its texts, and of the length before each text. */
const HEAD = 9;
const LENGTH = 4;

const SIGHUP = 1;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

type Change = (record: Record<string, unknown>) => void;

/** Changes a container's record, and no other. */
function rewritten({ key, value }: engine.Stored, change: Change): engine.Stored {
  if (!key.startsWith("container/")) return { key, value };
  const record = JSON.parse(decoder.decode(value)) as Record<string, unknown>;
  change(record);
  return { key, value: encoder.encode(JSON.stringify(record)) };
}

function changed(change: Change): Wrong["instead"] {
  return ({ val }) => [{ tag: "put", val: rewritten(val as engine.Stored, change) }];
}

const RESTARTED: Change = (record) => void (record["restartCount"] = 7);
const NAMED: Change = (record) => void (record["name"] = "anna");
const misread: Misreading["read"] = (stored) => rewritten(stored, RESTARTED);
/** Only in instances that a driver opens. */
const misreadAtRestarts: Misreading["read"] = (stored, { epoch }) =>
  epoch === FORK_EPOCH ? stored : rewritten(stored, RESTARTED);

/** Changes an event in the journal's format. The action follows the type, each with its length before it. */
const misnamed: Wrong["instead"] = (command) => {
  const entry = command.val as { bytes: Uint8Array };
  const bytes = entry.bytes.slice();
  const action = HEAD + LENGTH + new DataView(bytes.buffer).getUint32(HEAD, true) + LENGTH;
  bytes[action] = bytes[action]! ^ 1;
  return [{ tag: command.tag, val: { ...entry, bytes } }];
};

/** Changes only events about ends of execs. */
const endless: Wrong["instead"] = (command) => {
  const { bytes } = command.val as { bytes: Uint8Array };
  return eventOf(bytes).action === "exec_die" ? misnamed(command) : [command];
};

const misdialled: Wrong["instead"] = ({ tag, val }) => [{ tag, val: { ...(val as object), number: SIGHUP } }];

/** Docker's text for a refused removal. */
const KEPT = /cannot remove container/;

/** Tells the client that a refused removal succeeded. */
const denied: Wrong["instead"] = ({ tag, val }) => {
  const answer = val as { head: { status: number }; body: Uint8Array };
  if (!KEPT.test(decoder.decode(answer.body))) return [{ tag, val }];
  return [{ tag, val: { ...answer, head: { ...answer.head, status: 204 }, body: new Uint8Array() } }];
};

/** Turns a start into a rename. */
const misheard: Misreading["hear"] = (input) => {
  if (input.tag !== "request") return input;
  const { id, target } = input.val;
  const other = target.replace(/(\/containers\/[^/?]+)\/start\b.*/, `$1/rename?name=other${id}`);
  return { tag: "request", val: { ...input.val, target: other } };
};

/** A restored instance ignores the ends of execs. */
const forgetful: Misreading["hear"] = (input, isRestored) =>
  isRestored && input.tag === "exec-exited" ? { tag: "drained", val: { request: 0n, bytes: 0 } } : input;

/** Hides layers that have no record, as after a crash between a layer and its record. */
const blind: Misreading["find"] = (inventory, records) => {
  const known = new Set(records.map(({ key }) => key));
  return { ...inventory, chains: inventory.chains.filter((chain) => known.has(`layer/${chain}`)) };
};

/** Each container's last health that a client has seen after a probe. */
const probed = new Map<string, object>();
const INSPECTED = /^\{"Id":"[0-9a-f]{64}".*"Health":\{/;

/** Shows the old health where the engine must probe again. */
const unforgetting: Wrong["instead"] = ({ tag, val }) => {
  const answer = val as { body: Uint8Array };
  const text = decoder.decode(answer.body);
  if (!INSPECTED.test(text)) return [{ tag, val }];
  const { Id, State, ...rest } = JSON.parse(text) as { Id: string; State: { Health: { Status: string } } };
  if (State.Health.Status !== "starting") probed.set(Id, State.Health);
  const Health = probed.get(Id) ?? State.Health;
  const body = encoder.encode(JSON.stringify({ Id, State: { ...State, Health }, ...rest }));
  return [{ tag, val: { ...answer, body } }];
};

/** Changes the exit codes of ended execs. */
const miscounted: Wrong["instead"] = ({ tag, val }) => {
  const answer = val as { body: Uint8Array };
  const text = decoder.decode(answer.body);
  const other = text.replace(
    /^(\{"ID":"[0-9a-f]{64}","Running":false,"ExitCode":)(\d+)/,
    (_, head, code) => `${head}${Number(code) + 1}`,
  );
  return [{ tag, val: { ...answer, body: encoder.encode(other) } }];
};

const LISTED = /^\[\{"Id":"[0-9a-f]{64}","Names":/;

/** Lists the oldest containers first. */
const turnedRound: Wrong["instead"] = ({ tag, val }) => {
  const answer = val as { body: Uint8Array };
  const text = decoder.decode(answer.body);
  if (!LISTED.test(text)) return [{ tag, val }];
  const body = encoder.encode(JSON.stringify((JSON.parse(text) as unknown[]).reverse()));
  return [{ tag, val: { ...answer, body } }];
};

/** Calls lists of containers stateless. */
const careless: Wrong["instead"] = ({ tag, val }) => {
  const answer = val as { body: Uint8Array };
  const stateless = /^\[(?:\]|\{"Id":"[0-9a-f]{64}","Names":)/.test(decoder.decode(answer.body));
  return [{ tag, val: stateless ? { ...answer, stateless } : answer }];
};

/** Hides how execs have ended, and shows only whether they still run. */
const unending: Misreading["find"] = (inventory) => {
  return { ...inventory, execs: inventory.execs.map(({ exec, subject, running }) => ({ exec, subject, running })) };
};

/**
 * `found`: the rule that it breaks. `seed`: a seed that shows it soon. `afterLoss`: another one, if transactions were lost
 * before. They only save time, so they need no change when other seeds show it.
 */
type Found = (Wrong | Misreading) & { found: string; seed?: number; afterLoss?: number };

export const WRONGS: readonly Found[] = [
  { says: "answers nobody", on: "replies", command: "whole", each: 9, instead: NOTHING, found: "replies" },
  { says: "answers twice", on: "replies", command: "whole", each: 9, instead: TWICE, found: "replies" },
  { says: "never ends a wait", on: "replies", command: "end", each: 3, instead: NOTHING, found: "replies" },
  {
    ...{ says: "forgets to write", on: "records", command: "put", each: 7, instead: NOTHING, found: "images" },
  },
  { says: "forgets to delete", on: "records", command: "delete", each: 2, instead: NOTHING, found: "records", seed: 6 },
  { says: "reads records wrongly", read: misread, found: "forks" },
  { says: "reads records wrongly at restarts", read: misreadAtRestarts, found: "restart", seed: 11 },
  {
    ...{ says: "writes another status", on: "records", command: "put", each: 5, found: "statuses" },
    instead: changed((record) => (record["status"] = 3)),
  },
  {
    ...{ says: "writes records that differ from its memory", on: "records", command: "put", each: 5, found: "records" },
    ...{ instead: changed(RESTARTED), seed: 2 },
  },
  {
    ...{ says: "gives two containers the same name", on: "records", command: "put", each: 1, found: "owners" },
    ...{ instead: changed(NAMED), recall: (stored) => rewritten(stored, NAMED) },
  },
  { says: "reports another event", on: "records", command: "append", each: 4, instead: misnamed, found: "events" },
  {
    says: "does not report the ends of execs",
    on: "records",
    command: "append",
    each: 1,
    instead: endless,
    found: "exec-events",
    seed: 15,
  },
  {
    says: "sends another signal",
    on: "processes",
    command: "signal",
    each: 2,
    instead: misdialled,
    found: "events",
    seed: 10,
  },
  { says: "leaves mounts", on: "content", command: "unmount", each: 3, instead: NOTHING, found: "owners", seed: 3 },
  {
    ...{ says: "leaves networks", on: "networks", command: "leave-all", each: 3 },
    ...{ instead: NOTHING, found: "owners", seed: 13 },
  },
  { says: "leaves processes", on: "processes", command: "reap", each: 3, instead: NOTHING, found: "owners", seed: 11 },
  {
    says: "never cancels a timer",
    on: "timers",
    command: "cancel",
    each: 1,
    instead: NOTHING,
    found: "timers",
    seed: 2,
  },
  {
    ...{ says: "reports a removal that it refuses", on: "replies", command: "whole", each: 1 },
    ...{ instead: denied, found: "promises", seed: 13, afterLoss: 13 },
  },
  {
    ...{ says: "lists the oldest first", on: "replies", command: "whole", each: 1 },
    ...{ instead: turnedRound, found: "lists", seed: 6 },
  },
  {
    ...{ says: "shows wrong exit codes of execs", on: "replies", command: "whole", each: 1 },
    ...{ instead: miscounted, found: "execs", seed: 15 },
  },
  {
    ...{ says: "calls lists stateless", on: "replies", command: "whole", each: 1, seed: 6 },
    ...{ instead: careless, found: "stateless" },
  },
  { says: "loses execs when it is restored", hear: forgetful, found: "twins", seed: 15 },
  { says: "overlooks layers without a record after a restart", find: blind, found: "images" },
  { says: "overlooks how execs have ended after a restart", find: unending, found: "history", seed: 17 },
  {
    ...{ says: "still knows the health of containers after a restart", on: "replies", command: "whole", each: 1 },
    ...{ instead: unforgetting, copied: true, found: "forks", seed: 17 },
  },
  {
    ...{ says: "does not stop probes that take too long", on: "processes", command: "signal-exec", each: 1 },
    ...{ instead: NOTHING, found: "health", seed: 17 },
  },
  { says: "reports a start that it has not made", hear: misheard, found: "promises", afterLoss: 16 },
  ...BUILD_WRONGS,
  { says: "asks twice", on: "processes", command: "launch", each: 3, instead: TWICE, found: "operations", seed: 3 },
];

/**
 * Options for one story with a planted error, checked only by the invariants. Each story needs its own, because the
 * error counts commands. Copies of the engine would count differently, so most errors are played without them.
 */
export function wronged(wrong: Wrong | Misreading): SimulationOptions {
  return { core: plant(packageCore(), wrong), oracles: {}, copies: !("on" in wrong) || wrong.copied === true };
}
