// A request, parsed as far as the model needs.

import type { Asked } from "../simulator/oracle.js";

export interface Read {
  noun: string;
  /** Decoded; empty if there is none. */
  ref: string;
  /** `create`, `start`, `inspect`, `remove`…; `force` for a forced removal. */
  verb: string;
  query: URLSearchParams;
}

/** Null if the request has no such form. */
export function readRequest({ method, target, body }: Asked): Read | null {
  const [path = "", query = ""] = target.split("?");
  const [noun = "", first = "", ...rest] = path
    .replace(/^\/v[\d.]+/, "")
    .split("/")
    .slice(1);
  const parameters = new URLSearchParams(query);
  if (["json", "create", "prune", "load", "search", "get"].includes(first) && rest.length === 0) {
    return { noun, ref: "", verb: first, query: parameters };
  }
  if (noun === "commit")
    return { noun: "containers", ref: parameters.get("container") ?? "", verb: "commit", query: parameters };
  if (noun === "build" && first === "") return { noun: "images", ref: "", verb: "build", query: parameters };
  if (noun === "grpc" && path.endsWith("Control/Solve"))
    return { noun: "images", ref: "", verb: "build", query: new URLSearchParams({ t: nameIn(body) }) };
  const last = rest.at(-1) ?? "";
  const ref = decoded([first, ...rest.slice(0, -1)].join("/"));
  if (method === "DELETE")
    return { noun, ref: decoded([first, ...rest].join("/")), verb: removal(parameters), query: parameters };
  return { noun, ref, verb: method === "GET" && last === "json" ? "inspect" : last, query: parameters };
}

/** What a build by BuildKit names its image. */
function nameIn(body: string | null): string {
  const attributes = jsonOf(body)?.["ExporterAttrs"] as { name?: unknown } | null | undefined;
  return typeof attributes?.name === "string" ? attributes.name : "";
}

function removal(query: URLSearchParams): string {
  if (isSet(query.get("link"))) return "unlink";
  return isSet(query.get("force")) ? "force" : "remove";
}

/** Flags as Go reads them in the API. */
function isSet(value: string | null): boolean {
  return value !== null && !["", "0", "no", "false", "none"].includes(value.trim().toLowerCase());
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The JSON of a body; null for anything else. */
export function jsonOf(text: string | null): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text ?? "");
    return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** `busybox` is `busybox:latest`. */
export function withTag(image: string): string {
  return /:[^/]*$/.test(image) || image.includes("@") ? image : `${image}:latest`;
}
