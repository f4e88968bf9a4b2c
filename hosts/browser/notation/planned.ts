// What the tables of commands are made of.

import type { Arguments, Takes } from "./arguments.js";
import { jsonText } from "../session/json-text.js";
import type { PlannedRequest } from "./notation.js";
import { query } from "./query.js";

export interface Planned {
  /** Targets without a version. */
  readonly requests: readonly PlannedRequest[];
  readonly remarks?: readonly string[];
}

export interface Command {
  readonly takes: Takes;
  readonly plan: (args: Arguments) => Planned | { wrong: string };
}

export function one(takes: Takes, plan: (args: Arguments) => PlannedRequest): Command {
  return { takes: { most: takes.least ?? 0, ...takes }, plan: (args) => ({ requests: [plan(args)] }) };
}

/** One request for each name. */
export function each(takes: Takes, plan: (name: string, args: Arguments) => PlannedRequest): Command {
  return { takes, plan: (args) => ({ requests: args.operands.map((name) => plan(name, args)) }) };
}

export function get(target: string, purpose: string): PlannedRequest {
  return { method: "GET", target, headers: [], body: "", purpose, background: false };
}

export function post(target: string, purpose: string): PlannedRequest {
  return { ...get(target, purpose), method: "POST" };
}

export function withBody(request: PlannedRequest, body: unknown): PlannedRequest {
  return { ...request, headers: [["Content-Type", "application/json"]], body: jsonText(body) };
}

export function container(name: string): string {
  return `/containers/${name}`;
}

/** `-f status=running -f label=a` as the API's JSON; null for none. */
export function filtersOf(args: Arguments): string | null {
  return filterText(args.values("filter"));
}

/** Filters as they are typed, as JSON; null for none. */
export function filterText(filters: readonly string[]): string | null {
  const found: Record<string, string[]> = {};
  for (const filter of filters) {
    const equals = filter.indexOf("=");
    (found[equals < 0 ? filter : filter.slice(0, equals)] ??= []).push(equals < 0 ? "true" : filter.slice(equals + 1));
  }
  return filters.length > 0 ? JSON.stringify(found) : null;
}

export function creation(args: Arguments, body: Record<string, unknown>): PlannedRequest {
  const target = `/containers/create${query({ name: args.value("name"), platform: args.value("platform") })}`;
  return withBody(post(target, "create the container"), body);
}
