// Finds the reference endpoint of a request, and splits its target.

import type { Endpoint, Reference } from "../../reference/reference.js";
import type { WrittenRequest } from "../../session/request.js";

/** The target's path without its version, and its query. */
export function targetParts(target: string): { version: string | null; path: string; query: URLSearchParams } {
  const [whole = "", query = ""] = split(target, "?");
  const found = /^\/v(\d+\.\d+)(\/.*)$/.exec(whole);
  return { version: found?.[1] ?? null, path: found?.[2] ?? whole, query: new URLSearchParams(query) };
}

export function findEndpoint(reference: Reference | null, request: WrittenRequest): Endpoint | null {
  const { path } = targetParts(request.target);
  const fitting = reference?.endpoints.filter((one) => one.method === request.method && fits(one.path, path)) ?? [];
  // `/containers/json` before `/containers/{id}`: the path with the fewest placeholders.
  return fitting.sort((a, b) => placeholders(a.path).length - placeholders(b.path).length)[0] ?? null;
}

/** Names in braces. */
export function placeholders(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1]!);
}

/** The target with a query parameter set, or removed if the value is empty. */
export function withQuery(target: string, name: string, value: string): string {
  const [path = "", text = ""] = split(target, "?");
  const query = new URLSearchParams(text);
  if (value === "") query.delete(name);
  else query.set(name, value);
  const joined = query.toString();
  return joined === "" ? path : `${path}?${joined}`;
}

/** An image's name may contain slashes; other names may not. */
function fits(template: string, path: string): boolean {
  const pattern = template
    .split(/\{\w+\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(template.startsWith("/images/") ? "(.+)" : "([^/]+)");
  return new RegExp(`^${pattern}$`).test(path);
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
