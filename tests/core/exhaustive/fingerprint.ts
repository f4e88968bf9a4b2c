// A state as text, to recognize equal states: independent of the values of names, ids, addresses, operations and
// requests, and of the order of past actions if that has no effect any more.

import { createHash } from "node:crypto";
import { subjectOf } from "../../../hosts/driver/order.js";
import type { HostEffect } from "../../../hosts/shared/outputs.js";
import type { Request, Saved } from "../crash/engine.js";
import { containersOf, readContainer } from "../crash/memory.js";
import type { World } from "../crash/world.js";
import type { CoreLook, CoreMemory } from "./core-memory.js";

const NAMED = /([@%]\d+|\b(?:[0-9a-f]{64}|[0-9a-f]{12}|172\.17\.0\.\d+|02:42:ac:11:00:\w\w|anna|bert)\b)/;
/**
 * Times have no effect on containers without health checks and restart policies; creation settings are the same for
 * all.
 */
const LEFT_OUT = ["created", "startedAt", "finishedAt", "begunAt", "sequence", "config", "hostConfig", "lastChange"];

/** For the whole state: core, world, pending work, and waiting requests. */
export function fingerprint(memory: CoreMemory, saved: Saved): string {
  const ids = [...memory.look().containers().keys()];
  return least(ids, saved.records, (order) => stateText(memory.look(), order, saved));
}

/** For what a crash leaves. */
export function remains(world: World, records: ReadonlyMap<string, Uint8Array>): string {
  const kept = recordTexts(records);
  const ids = containersOf(records).map(({ id }) => id);
  return least(ids, records, (order) => {
    const names = new Names();
    names.call(cut(order.join()));
    return [...names.sorted(kept), ...names.sorted(worldTexts(world))].join("\n");
  });
}

/**
 * It does not matter which of two containers is which: sorts them by their records, or, if those are equal, by the
 * texts.
 */
function least(ids: readonly string[], records: Saved["records"], text: (order: readonly string[]) => string): string {
  const [one = "", other] = ids;
  if (other === undefined) return hashOf(text(ids));
  const [left, right] = [one, other].map((id) => ownText(`container/${id}`, records));
  if (left !== right) return hashOf(text(left! < right! ? [one, other] : [other, one]));
  const [least] = [text([one, other]), text([other, one])].sort();
  return hashOf(least as string);
}

const ownTexts = new WeakMap<Uint8Array, string>();

/** A record with separate names. */
function ownText(key: string, records: Saved["records"]): string {
  const value = records.get(key);
  if (value === undefined) return "";
  const known = ownTexts.get(value) ?? new Names().call(recordParts(key, value));
  ownTexts.set(value, known);
  return known;
}

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}

/** A text cut at its names: every second part is a name. */
type Parts = readonly string[];

function cut(text: string): Parts {
  return text.split(NAMED);
}

/** Names for objects, by the order in which they are met. */
class Names {
  readonly #names = new Map<string, string>();

  call(parts: Parts): string {
    let text = parts[0] as string;
    for (let at = 1; at < parts.length; at += 2) text += this.#name(parts[at] as string) + (parts[at + 1] as string);
    return text;
  }

  /** For texts without new names, or with names that are interchangeable. */
  sorted(texts: readonly Parts[]): string[] {
    return texts.map((text) => this.call(text)).sort();
  }

  #name(found: string): string {
    const known = this.#names.get(found);
    if (known !== undefined) return known;
    const name = `<${this.#names.size}>`;
    this.#names.set(found, name);
    return name;
  }
}

function stateText(look: CoreLook, order: readonly string[], saved: Saved): string {
  const names = new Names();
  const containers = look.containers();
  const lines = order.map((id) => names.call(cut(`${id} ${look.object(containers.get(id) as number)}`)));
  lines.push(names.call(cut(look.rest())), ...names.sorted(worldTexts(saved.world)));
  lines.push(...stepTexts(look, names, saved), ...names.sorted(saved.requests.map(requestText)));
  lines.push(...names.sorted(look.loose.map(cut)), ...names.sorted(recordTexts(saved.records)));
  return lines.join("\n");
}

function requestText({ id, method, target, status, text }: Request): Parts {
  return cut(`%${id} ${method} ${target} ${status} ${text}`);
}

/** Pending work, each with the step that waits for it: in the given order only on one subject; then timers. */
function stepTexts(look: CoreLook, names: Names, { waiting, outcomes, timers, now }: Saved): string[] {
  const steps = look.steps();
  const queues = new Map<string, HostEffect[]>();
  for (const effect of waiting) {
    const subject = subjectOf(effect) ?? `${effect.to} ${effect.op}`;
    queues.set(subject, [...(queues.get(subject) ?? []), effect]);
  }
  const text = (effect: HostEffect): string =>
    names.call(effectParts(effect)) + (outcomes.has(effect) ? JSON.stringify(outcomes.get(effect), written) : "");
  const sorted = Array.from(queues.values(), (queue) => ({ key: queue.map(text).join("\n"), queue }));
  sorted.sort((a, b) => (a.key < b.key ? -1 : 1));
  const step = (op: bigint): string => names.call(cut(`@${op} ${look.object(steps.get(op) ?? 0)}`));
  return [
    ...sorted.flatMap(({ key, queue }) => [key, ...queue.map(({ op }) => step(op))]),
    ...[...timers].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([op, at]) => `in ${at - now} ${step(op)}`),
  ];
}

const effects = new WeakMap<HostEffect, Parts>();

function effectParts(effect: HostEffect): Parts {
  const known = effects.get(effect) ?? cut(JSON.stringify([effect.to, effect.command], written));
  effects.set(effect, known);
  return known;
}

const values = new WeakMap<Uint8Array, Parts>();

function recordTexts(records: ReadonlyMap<string, Uint8Array>): Parts[] {
  const changing = [...records].filter(([key]) => !/^(config|image|layer|reference|network|engine)\//.test(key));
  return changing.map(([key, value]) => recordParts(key, value));
}

function recordParts(key: string, value: Uint8Array): Parts {
  const known = values.get(value) ?? cut(`${key} ${recordText(key, value)}`);
  values.set(value, known);
  return known;
}

function recordText(key: string, value: Uint8Array): string {
  if (!key.startsWith("container/")) return new TextDecoder().decode(value);
  const left = Object.entries(readContainer(value)).filter(([name]) => !LEFT_OUT.includes(name));
  return JSON.stringify(Object.fromEntries(left));
}

function worldTexts({ state, exits, execEnds }: World): Parts[] {
  const { archives: _, ...lists } = state;
  return [
    ...Object.entries(lists).flatMap(([name, list]) => (typeof list === "number" ? [] : entriesOf(name, list))),
    ...exits.map((exit) => cut(`exit ${JSON.stringify(exit)}`)),
    ...execEnds.map((end) => cut(`exec ${JSON.stringify(end)}`)),
  ];
}

function entriesOf(name: string, list: Iterable<unknown>): Parts[] {
  return Array.from(list, (entry) => cut(`${name} ${JSON.stringify(entry)}`));
}

/** 64-bit numbers unchanged; specs, which follow from their containers, left out. */
function written(key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (key === "spec") return "";
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
}
