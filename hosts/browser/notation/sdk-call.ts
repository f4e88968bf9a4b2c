// Finds the client library call for a request. A table has a row for each call. A call fits only requests that it can
// express completely: no other parameter, no custom header, and a body only if it takes one.

import { pathOf, versionOf } from "../session/request.js";
import type { TextFile, WrittenRequest } from "../session/request.js";
import { queryOf } from "./docker/query.js";

/** A request in its parts. */
export interface Taken {
  /** The part of the path at `*`. */
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  /** The parsed JSON; undefined if there is no body. */
  readonly body: Record<string, unknown> | undefined;
  /** Files whose tar is the body. */
  readonly files: readonly TextFile[] | undefined;
  /** For example `1.41`; empty if the request names none. */
  readonly version: string;
}

export interface Call {
  readonly method: string;
  /** The path, with `*` for a name, which may contain slashes. */
  readonly path: string;
  /** Parameters that the call can express. */
  readonly says: readonly string[];
  readonly takesBody?: boolean;
  /** Whether its body is a tar. */
  readonly takesFiles?: boolean;
  readonly code: (taken: Taken) => string;
}

/** Null if no row of the table expresses the whole request. */
export function callFor<Row extends Call>(
  table: readonly Row[],
  request: WrittenRequest,
): { row: Row; taken: Taken } | null {
  const query = queryOf(request.target);
  const { files } = request;
  const body = bodyOf(request);
  if (body === null || repeats(request.target)) return null;
  if (request.headers.some(([name]) => name.toLowerCase() !== "content-type")) return null;
  for (const row of table) {
    const name = nameIn(row, request);
    if (name === null || (body !== undefined) !== (row.takesBody ?? false)) continue;
    if ((files !== undefined) !== (row.takesFiles ?? false)) continue;
    if (!Object.keys(query).every((one) => row.says.includes(one))) continue;
    return { row, taken: { name, query, body, files, version: versionOf(request) ?? "" } };
  }
  return null;
}

/** Whether a flag is set, as Docker reads flags: `?x=1`, `true`. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "no", "false", "none"].includes(value.trim().toLowerCase());
}

/** Whether a parameter is given more than once: `t=a&t=b`. */
function repeats(target: string): boolean {
  const names = [...new URLSearchParams(target.split("?")[1] ?? "").keys()];
  return new Set(names).size < names.length;
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

/** Undefined without a body; null if the body is not a JSON object. */
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
