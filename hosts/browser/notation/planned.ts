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

/** An image that is not there is pulled, unless the command is told not to. */
export function creation(args: Arguments, body: Record<string, unknown>): PlannedRequest {
  const platform = args.value("platform");
  const target = `/containers/create${query({ name: args.value("name"), platform })}`;
  const request = withBody(post(target, "create the container"), body);
  if (args.value("pull") === "never") return request;
  return { ...request, pull: pulling(args.operands[0]!, platform) };
}

/** `allTags`: whatever the name says. */
export function pulling(image: string, platform: string | null, allTags = false): PlannedRequest {
  const { repository, tag } = reference(image);
  const wanted = allTags ? null : (tag ?? "latest");
  return post(`/images/create${query({ fromImage: repository, tag: wanted, platform })}`, `pull ${image}`);
}

/** A tag stands behind the last `:`, unless that belongs to the registry's port; a digest behind `@`. */
export function reference(name: string): { repository: string; tag: string | null } {
  const at = name.indexOf("@");
  if (at >= 0) return { repository: name.slice(0, at), tag: name.slice(at + 1) };
  const colon = name.lastIndexOf(":");
  if (colon <= name.lastIndexOf("/")) return { repository: name, tag: null };
  return { repository: name.slice(0, colon), tag: name.slice(colon + 1) };
}
