// Checks that a list of containers has exactly those that match its filters, the newest first, and that a prefix of an
// id finds its container. It compares with the records at the step of the answer.

import type { StatusWord } from "../../../build/core/enum-words.js";
import type { RequestId } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, wordOf } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";

const LIST = /^\/v[\d.]+\/containers\/json(?:\?(.*))?$/;
const INSPECT = /^\/v[\d.]+\/containers\/([0-9a-f]+)\/json$/;
const OK = 200;
const MISSING = 404;
const SEVERAL = 400;
/** Docker's names of statuses where ours differ. A starting container is shown as it was before, or as restarting. */
const SHOWN: Readonly<Record<string, string>> = { recycling: "restarting", removed: "removing" };
const STANDS: string[] = ["unwinding", "releasing", "exited", "created"] satisfies StatusWord[];
const UP = ["running", "paused", "restarting"];
const decoder = new TextDecoder();

type Listed = ContainerRecord & { config: { Labels?: Record<string, string> | null } };
export type Asked = Pick<
  Extract<NonNullable<Seen["input"]>, { tag: "request" }>["val"],
  "id" | "method" | "target" | "headers"
>;
type Filters = Readonly<Record<string, readonly string[]>>;
/** Null if both are right. */
type Meant = boolean | null;

export class Lists implements Invariant {
  /** The order of creation. */
  readonly #made = new Map<string, number>();
  /** The queries of unanswered lists. */
  readonly #asked = new Map<RequestId, URLSearchParams>();

  stepped(seen: Seen): void {
    const { input, outputs, opening, ledger } = seen;
    if (opening !== null) this.#asked.clear();
    for (const key of ledger.changed)
      if (key.startsWith("container/") && ledger.records.has(key)) this.#make(key.slice(10));
    if (input?.tag === "request") this.#hear(input.val);
    for (const { request, command } of outputs.replies) {
      if (command.tag !== "whole" && command.tag !== "bare") continue;
      const { head, body } = command.val;
      if (input?.tag === "request" && input.val.id === request && !isEvil(input.val.headers))
        expectOne(input.val, head.status, body, ledger);
      const query = this.#asked.get(request);
      this.#asked.delete(request);
      if (query !== undefined && head.status === OK) this.#check(query, decoder.decode(body), ledger);
    }
  }

  #make(id: string): void {
    if (!this.#made.has(id)) this.#made.set(id, this.#made.size);
  }

  #hear({ id, method, target, headers }: Asked): void {
    const asked = method === "GET" && !isEvil(headers) ? LIST.exec(target) : null;
    if (asked !== null) this.#asked.set(id, new URLSearchParams(asked[1]));
  }

  #check(query: URLSearchParams, body: string, ledger: Ledger): void {
    const filters = readFilters(query.get("filters"));
    // Invalid filters.
    if (filters === null) return;
    const shown = (JSON.parse(body) as { Id: string }[]).map(({ Id }) => Id);
    const limit = Number(query.get("limit") ?? 0);
    const newest = [...ledger.containers.values()].sort((a, b) => this.#at(b.id) - this.#at(a.id)) as Listed[];
    const all = query.get("all") === "1" || limit > 0 || "status" in filters;
    const may = newest.filter((one) => this.#isMeant(one, all, filters, ledger) !== false).map(({ id }) => id);
    const must = newest.filter((one) => this.#isMeant(one, all, filters, ledger) === true).map(({ id }) => id);
    const asked = decodeURIComponent(query.toString());
    if (shown.join() !== may.filter((id) => shown.includes(id)).join())
      broken(`${asked}: the list has ${shown.join()}; it may have, in this order: ${may.join()}`);
    if (limit > 0 && shown.length > limit) broken(`${asked}: the list has ${shown.length} containers`);
    const last = limit > 0 && shown.length === limit ? this.#at(shown.at(-1)!) : -1;
    const missing = must.find((id) => !shown.includes(id) && this.#at(id) > last);
    if (missing !== undefined) broken(`${asked}: ${missing} is not in the list`);
  }

  #at(id: string): number {
    return this.#made.get(id) ?? -1;
  }

  #isMeant(one: Listed, all: boolean, filters: Filters, ledger: Ledger): Meant {
    const word = shownAs(one);
    const conditions = Object.entries(filters).map(([key, values]) => this.#fits(key, values, one, word, ledger));
    if (!all) conditions.push(word === null ? null : UP.includes(word));
    if (conditions.includes(false)) return false;
    return conditions.includes(null) ? null : true;
  }

  #fits(key: string, values: readonly string[], one: Listed, word: string | null, ledger: Ledger): Meant {
    switch (key) {
      case "status":
        return word === null ? null : values.includes(word);
      case "name":
        return values.some((value) => new RegExp(value).test(one.name) || new RegExp(value).test(`/${one.name}`));
      case "label":
        return values.every((value) => hasLabel(one.config.Labels ?? {}, value));
      case "exited":
        return word === null ? null : one.everRan && !UP.includes(word) && values.includes(String(one.exitCode));
      case "before":
        return values.every((value) => this.#at(one.id) < this.#at(meantBy(value, ledger) ?? ""));
      case "since":
        return values.every((value) => this.#at(one.id) > this.#at(meantBy(value, ledger) ?? ""));
      case "id":
        return values.some((value) => meantBy(value, ledger, false) === one.id);
      default:
        return null;
    }
  }
}

/** Whether the client is malicious. Its queries are not checked. */
export function isEvil(headers: string): boolean {
  return !/User-Agent: sim\/(polite|rude)/.test(headers);
}

/** Finds a container. A whole id or a name takes precedence over a prefix. */
function meantBy(ref: string, { containers }: Ledger, byName = true): string | null {
  const exact = [...containers.values()].find(({ id, name }) => id === ref || (byName && name === ref));
  if (exact !== undefined) return exact.id;
  const [first, ...others] = [...containers.keys()].filter((id) => id.startsWith(ref));
  return first === undefined || others.length > 0 ? null : first;
}

/** Checks an inspect by id, or by a prefix of it. */
function expectOne(asked: { method: string; target: string }, status: number, body: Uint8Array, ledger: Ledger): void {
  const ref = asked.method === "GET" ? INSPECT.exec(asked.target)?.[1] : undefined;
  if (ref === undefined) return;
  const meant = meantBy(ref, ledger);
  const isSeveral = [...ledger.containers.keys()].filter((id) => id.startsWith(ref)).length > 1;
  const expected = meant !== null ? OK : isSeveral ? SEVERAL : MISSING;
  if (status !== expected) broken(`an inspect of ${ref} gets ${status}, not ${expected}`);
  if (status !== OK) return;
  const { Id } = JSON.parse(decoder.decode(body)) as { Id: string };
  if (Id !== meant) broken(`an inspect of ${ref} shows ${Id}, not ${meant}`);
}

function shownAs(one: ContainerRecord): string | null {
  const word = wordOf(one);
  if (word === "starting") return null;
  return STANDS.includes(word) ? (one.everRan ? "exited" : "created") : (SHOWN[word] ?? word);
}

function hasLabel(labels: Readonly<Record<string, string>>, wanted: string): boolean {
  const [key = "", value] = wanted.split(/=(.*)/, 2);
  return key in labels && (value === undefined || labels[key] === value);
}

/** Null for filters that a story does not draw. */
function readFilters(text: string | null): Filters | null {
  try {
    const filters = JSON.parse(text ?? "{}") as Filters;
    const isOurs = Object.values(filters).every((values) => Array.isArray(values) && values.length > 0);
    return isOurs ? filters : null;
  } catch {
    return null;
  }
}

function broken(message: string): never {
  throw new Breach("lists", message);
}
