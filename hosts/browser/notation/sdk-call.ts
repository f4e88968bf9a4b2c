// Finds the call of a client library that stands for a request. A table has a row for each call; a call stands only for
// requests that it can say whole: no other parameter, no header of their own, a body where it takes one.

import { pathOf, versionOf } from "../session/request.js";
import type { WrittenRequest } from "../session/request.js";
import { queryOf } from "./docker/query.js";

/** A request taken apart. */
export interface Taken {
  /** What stands for `*` in the path. */
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined for no body. */
  readonly body: Record<string, unknown> | undefined;
  /** `1.41`; empty where the request says none. */
  readonly version: string;
}

export interface Call {
  readonly method: string;
  /** With `*` for a name, slashes included. */
  readonly path: string;
  /** Parameters that the call can say. */
  readonly says: readonly string[];
  readonly takesBody?: boolean;
  readonly code: (taken: Taken) => string;
}

/** Null where no row of the table says the request whole. */
export function callFor<Row extends Call>(
  table: readonly Row[],
  request: WrittenRequest,
): { row: Row; taken: Taken } | null {
  const query = queryOf(request.target);
  const body = bodyOf(request);
  if (body === null) return null;
  if (request.headers.some(([name]) => name.toLowerCase() !== "content-type")) return null;
  for (const row of table) {
    const name = nameIn(row, request);
    if (name === null || (body !== undefined) !== (row.takesBody ?? false)) continue;
    if (!Object.keys(query).every((one) => row.says.includes(one))) continue;
    return { row, taken: { name, query, body, version: versionOf(request) ?? "" } };
  }
  return null;
}

/** `?x=1`, `true`: as Docker reads flags. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "no", "false", "none"].includes(value.trim().toLowerCase());
}

function nameIn(row: Call, request: WrittenRequest): string | null {
  const path = pathOf(request);
  if (row.method !== request.method) return null;
  const [before = "", after] = row.path.split("*");
  if (after === undefined) return path === before ? "" : null;
  if (!path.startsWith(before) || !path.endsWith(after) || path.length <= before.length + after.length) return null;
  const name = path.slice(before.length, path.length - after.length);
  return /^[\w.:@/-]+$/.test(name) ? name : null;
}

/** Undefined for none, null for one that is no JSON object. */
function bodyOf(request: WrittenRequest): Record<string, unknown> | undefined | null {
  if (request.body === "") return undefined;
  try {
    const value: unknown = JSON.parse(request.body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
