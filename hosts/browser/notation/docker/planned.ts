// The types and building blocks of the command tables.

import { jsonText } from "../../session/view/json-text.js";
import type { PlannedRequest } from "../notation.js";
import type { Arguments, Takes } from "./arguments.js";
import { query, segment } from "./query.js";
import { misread } from "./wrong.js";

export interface Planned {
  /** Requests; their targets have no version. */
  readonly requests: readonly PlannedRequest[];
  readonly remarks?: readonly string[];
}

/** What kind of name an operand is. */
export type Named = "container" | "image" | "network" | "volume";

export interface Command {
  /** Operands after the options: `CONTAINER [CONTAINER...]`. */
  readonly operands: string;
  /** A one-line description. */
  readonly about: string;
  readonly takes: Takes;
  readonly names?: Named;
  /** Makes the requests. Throws a message about what is wrong. */
  readonly plan: (args: Arguments, version: string) => Planned;
  /** The command's output, made from the answers to its requests. */
  readonly prints?: (args: Arguments, answers: readonly unknown[]) => string;
  /** It exits with the code of the container or process that it waits for. */
  readonly exits?: boolean;
  /** Exit code if the engine refuses the request; 1 if not given. */
  readonly refused?: number;
  /** Fields of the body by the options that set them. */
  readonly fields?: ReadonlyMap<string, string>;
}

type Told = Omit<Command, "plan"> & { plan: (args: Arguments) => PlannedRequest };

/** A command that sends one request and takes exactly its required operands. */
export function one(command: Told): Command {
  const { takes, plan } = command;
  return { ...command, takes: { most: takes.least ?? 0, ...takes }, plan: (args) => ({ requests: [plan(args)] }) };
}

type ToldEach = Omit<Command, "plan" | "operands"> & { plan: (name: string, args: Arguments) => PlannedRequest };

/** A command that sends one request per name, even if others fail. */
export function each(command: ToldEach): Command {
  const { plan, takes, names = "container" } = command;
  const word = names.toUpperCase();
  return {
    prints: (args) => args.operands.join("\n"),
    ...command,
    takes: { ...takes, least: 1 },
    names,
    operands: `${word} [${word}...]`,
    plan: (args) => ({ requests: args.operands.map((name) => ({ ...plan(name, args), when: "always" })) }),
  };
}

export function get(target: string, purpose: string): PlannedRequest {
  return { method: "GET", target, headers: [], body: "", purpose, background: false };
}

export function post(target: string, purpose: string): PlannedRequest {
  return { ...get(target, purpose), method: "POST" };
}

export function remove(target: string, purpose: string): PlannedRequest {
  return { ...get(target, purpose), method: "DELETE" };
}

export function withBody(request: PlannedRequest, body: unknown): PlannedRequest {
  return { ...request, headers: [["Content-Type", "application/json"]], body: jsonText(body) };
}

/** Marks a request that does not delay the next one. */
export function background(request: PlannedRequest): PlannedRequest {
  return { ...request, background: true };
}

export const container = (name: string): string => `/containers/${segment(name)}`;
export const image = (name: string): string => `/images/${segment(name)}`;
export const network = (name: string): string => `/networks/${segment(name)}`;
export const volume = (name: string): string => `/volumes/${segment(name)}`;

/** A placeholder in paths for the id that request N answers with: `answered("containers", 1)`. */
export function answered(folder: "containers" | "exec", from: number | "each"): string {
  return `/${folder}/{{${from}.Id}}`;
}

/** Marks a request that is sent after request N is answered, with that answer's id. */
export function about(from: number, request: PlannedRequest): PlannedRequest {
  return { ...request, about: from };
}

/** `-f status=running -f label=a` as the API's JSON; null if there are no filters. */
export function filtersOf(args: Arguments): string | null {
  return filterText(args.values("filter"));
}

/** Typed filters as JSON, as the docker command writes it; null if there are none. */
export function filterText(filters: readonly string[]): string | null {
  const found: Record<string, Record<string, boolean>> = {};
  for (const filter of filters) {
    const [name, value] = atSign(filter, "=");
    (found[name] ??= {})[value ?? "true"] = true;
  }
  const sorted = Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return filters.length > 0 ? JSON.stringify(Object.fromEntries(sorted)) : null;
}

/** Splits `a=b` in two. */
export function atSign(text: string, sign: string): [string, string | null] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + sign.length)];
}

const POLICIES: readonly string[] = ["always", "missing", "never"];

/** Creates a container. A missing image is pulled, unless the command forbids it. */
export function creation(args: Arguments, body: object): PlannedRequest[] {
  const platform = args.value("platform");
  const target = `/containers/create${query({ name: args.value("name"), platform })}`;
  const request = withBody(post(target, "create the container"), body);
  const pull = pulling(args.operands[0]!, platform);
  const policy = args.value("pull") ?? "missing";
  if (!POLICIES.includes(policy)) throw misread(policy, `time to pull: use ${POLICIES.join(", ")}`);
  if (policy === "always") return [pull, request];
  return policy === "never" ? [request] : [{ ...request, pull }];
}

/** `allTags`: pull all tags, whatever the name says. */
export function pulling(image: string, platform: string | null, allTags = false): PlannedRequest {
  const { repository, tag } = reference(image);
  const wanted = allTags ? null : (tag ?? "latest");
  return post(`/images/create${query({ fromImage: repository, tag: wanted, platform })}`, `pull ${image}`);
}

/** The tag follows the last `:`, unless that precedes the registry's port; the digest follows `@`. */
export function reference(name: string): { repository: string; tag: string | null } {
  const [path, digest] = atSign(name, "@");
  if (digest !== null) return { repository: whole(path), tag: digest };
  const colon = name.lastIndexOf(":");
  if (colon <= name.lastIndexOf("/")) return { repository: whole(name), tag: null };
  return { repository: whole(name.slice(0, colon)), tag: name.slice(colon + 1) };
}

/** The docker command always names the registry. */
function whole(repository: string): string {
  const [first = "", ...others] = repository.split("/");
  if (repository === "" || (others.length > 0 && (/[.:]/.test(first) || first === "localhost"))) return repository;
  return others.length > 0 ? `docker.io/${repository}` : `docker.io/library/${repository}`;
}

/** `linux/arm64/v8` as the API's JSON; null if not given. */
export function platformOf(text: string | null): string | null {
  if (text === null) return null;
  const [os, architecture, variant] = text.split("/");
  return JSON.stringify({ architecture, os, ...(variant !== undefined && { variant }) });
}

/** A field of an answer, as text; empty if it is missing. */
export function fieldOf(answer: unknown, name: string): string {
  const value = (answer as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function listOf(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}
