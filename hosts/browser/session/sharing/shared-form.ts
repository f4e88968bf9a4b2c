// Checks that JSON from a link is a shared session, because a link can contain anything.

import type { Fault } from "../../../simulated/index.js";
import type { Action, EnteredAction } from "../action.js";
import type { KeptCell } from "../notebook.js";
import type { TextFile, WrittenRequest } from "../request.js";
import type { Shared } from "./shared.js";

const MOST_ACTIONS = 5_000;
/** Of one archive. */
const MOST_FILES = 1_000;
/** A year of the world, in nanoseconds. */
const LATEST = 366n * 86_400n * 1_000_000_000n;

/** Null if it is not a session. */
export function checkShared(value: unknown): Shared | null {
  try {
    const { core, seed, images, cells, actions, until, state } = record(value);
    const entered = list(actions, MOST_ACTIONS).map(actionOf);
    const end = moment(until);
    const moments = entered.map(({ at }) => at);
    if (moments.some((at, place) => at > end || (place > 0 && at <= moments[place - 1]!))) return null;
    return {
      core: text(core),
      seed: count(seed),
      images: list(images, 20).map(text),
      cells: list(cells, MOST_ACTIONS).map(cellOf),
      actions: entered,
      until: end,
      state: text(state),
    };
  } catch (error) {
    if (error instanceof Mismatch) return null;
    throw error;
  }
}

class Mismatch extends Error {}

function cellOf(value: unknown): KeptCell {
  const { id, request } = record(value);
  return { id: text(id), request: requestOf(request) };
}

function requestOf(value: unknown): WrittenRequest {
  const { method, target, headers, body, files } = record(value);
  const pairs = list(headers, 100).map((pair): [string, string] => {
    const [name, content] = list(pair, 2);
    return [text(name), text(content)];
  });
  return {
    ...{ method: text(method), target: text(target), headers: pairs, body: text(body) },
    ...(files !== undefined && { files: list(files, MOST_FILES).map(fileOf) }),
  };
}

function fileOf(value: unknown): TextFile {
  const { name, text: content } = record(value);
  return { name: text(name), text: text(content) };
}

function actionOf(value: unknown): EnteredAction {
  const { at, action } = record(value);
  return { at: moment(at), action: knownAction(record(action)) };
}

function knownAction(action: Record<string, unknown>): Action {
  const { kind } = action;
  switch (kind) {
    case "send":
      return {
        kind,
        exchange: count(action["exchange"]),
        cell: text(action["cell"]),
        request: requestOf(action["request"]),
      };
    case "type":
      return { kind, exchange: count(action["exchange"]), text: text(action["text"]) };
    case "end-input":
    case "cancel":
      return { kind, exchange: count(action["exchange"]) };
    case "visit":
      return {
        ...{ kind, visit: count(action["visit"]), port: count(action["port"]) },
        ...(action["address"] !== undefined && { address: text(action["address"]) }),
      };
    case "inject":
      return { kind, fault: faultOf(action["fault"]), times: action["times"] === null ? null : count(action["times"]) };
    case "lift":
      return { kind, fault: faultKind(action["fault"]) };
    case "crash":
    case "reopen":
      return { kind };
    default:
      throw new Mismatch();
  }
}

type Field = "text" | "text?" | "count" | "count?" | "speed" | "speed?";

/** Fields of each fault and their types; `?` marks an optional field. */
const FAULTS: { readonly [Kind in Fault["kind"]]: Readonly<Record<string, Field>> } = {
  "registry-down": { authority: "text?" },
  "registry-unauthorized": { authority: "text?" },
  "registry-limited": { authority: "text?", retryAfter: "count" },
  "registry-fails": { authority: "text?", status: "count" },
  "registry-slow": { authority: "text?", bytesPerSecond: "speed" },
  "registry-cut": { authority: "text?", afterBytes: "count" },
  "registry-corrupt": { authority: "text?" },
  "disk-full": {},
  "records-full": {},
  "ignore-sigterm": { container: "text?" },
  "die-at-once": { container: "text?", code: "count" },
  "out-of-memory": { container: "text?" },
  "runtime-fails": { container: "text?", message: "text" },
  "supervisor-lost": { container: "text?" },
  "network-cut": { container: "text?", network: "text?" },
  "network-loss": { container: "text?", network: "text?", percent: "count" },
  "network-slow": { container: "text?", network: "text?", delayMs: "count?", bytesPerSecond: "speed?" },
  "engine-crash": { afterOutputs: "count" },
};

function faultOf(value: unknown): Fault {
  const fault = record(value);
  const kind = faultKind(fault["kind"]);
  for (const [name, type] of Object.entries(FAULTS[kind])) {
    if (type.endsWith("?") && fault[name] === undefined) continue;
    if (type.startsWith("text")) text(fault[name]);
    else if (count(fault[name]) === 0 && type.startsWith("speed")) throw new Mismatch();
  }
  return fault as Fault;
}

function faultKind(value: unknown): Fault["kind"] {
  const kind = text(value);
  if (!Object.hasOwn(FAULTS, kind)) throw new Mismatch();
  return kind as Fault["kind"];
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Mismatch();
  return value as Record<string, unknown>;
}

function list(value: unknown, most: number): unknown[] {
  if (!Array.isArray(value) || value.length > most) throw new Mismatch();
  return value;
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Mismatch();
  return value;
}

function count(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Mismatch();
  return value as number;
}

function moment(value: unknown): bigint {
  if (typeof value !== "string" || !/^\d{1,20}$/.test(value)) throw new Mismatch();
  const at = BigInt(value);
  if (at > LATEST) throw new Mismatch();
  return at;
}
