// What happens to containers: facts about those that a client knows, and about the others.

import type { Found } from "../simulator/oracle.js";
import { Container } from "./container.js";
import type { Known, RunFact } from "./known.js";
import type { Read } from "./request.js";
import { HOLDING, RULES } from "./rules.js";
import { ANY, newName } from "./wish.js";
import { WORDS } from "./words.js";

/** A run began or ended. Returns what is wrong with that, or null. */
export function learnRun(known: Known, fact: RunFact): string | null {
  const now = ++known.now;
  const container = known.byId(fact.container);
  if (container === undefined) return (learnEarly(known, fact), null);
  if (fact.kind === "exited") return (container.exited(now, fact.run, fact.code), null);
  return container.started(now, fact.run)
    ? `run ${fact.run} of ${fact.container} follows by itself, though only ${container.wish.maximum} may`
    : null;
}

/** For a container whose client does not know it yet, or never will: it may be any of those. */
function learnEarly(known: Known, fact: RunFact): void {
  const unnamed = known.containers.filter(({ id }) => id === null);
  if (unnamed.length > 0) known.early.push(fact);
  for (const one of unnamed) {
    if (one.words.now.size === 1) continue;
    one.mayBe(known.now, fact.kind === "started" ? "running" : "exited");
    if (one.wish.policy !== "") one.mayBe(known.now, "restarting");
    if (one.wish.autoRemove) one.goesOn(known.now, "remove");
  }
}

/**
 * Its id is known now: earlier facts about it count, and earlier requests with a prefix of the id may mean it. Requests
 * by its name may have been carried out after those facts.
 */
export function named(known: Known, container: Container): void {
  if (!container.hasFailed) container.runtimes = known.runtimes.of(container);
  const early = known.early.splice(0);
  const before = early.some((fact) => fact.container === container.id) ? [...container.words.now] : [];
  for (const fact of early) learnRun(known, fact);
  for (const word of before) container.mayBe(known.now, word);
  for (const [number, { read, about }] of known.open) {
    const isMeant = read.noun === "containers" && read.ref !== "" && container.id?.startsWith(read.ref) === true;
    if (!isMeant || about.includes(container)) continue;
    about.push(container);
    beginOn(container, number, read, known.now);
  }
}

/** A container of which nothing is known except that it may exist. */
export function stranger(now: number, { id, name }: Found): Container {
  const container = new Container(now, id, name, ANY, WORDS);
  container.hasFailed = true;
  return container;
}

/** A client learns of a container that no client was told of, because its creator disconnected. */
export function adopt(known: Known, id: string, name: string): null {
  if (known.byId(id) !== undefined) return null;
  const [lost, ...others] = known.containers.filter(
    (one) => one.id === null && one.words.now.size > 1 && (one.names.now.has(name) || one.names.now.has("")),
  );
  if (lost === undefined) return null;
  lost.id = id;
  // Its requested settings are unknown.
  if (others.length > 0) lost.hasFailed = true;
  lost.names.set(known.now, [...lost.names.now, name]);
  // Which of its runs clients requested is unknown.
  lost.followed = -Infinity;
  named(known, lost);
  return null;
}

/** A request about it is pending. */
export function beginOn(container: Container, number: number, read: Read, now: number): void {
  const { verb } = read;
  const act = verb === "prune" ? "remove" : HOLDING.includes(verb) ? "hold" : (RULES[verb]?.act ?? null);
  if (act !== null) container.begins(now, number, act);
  if (verb === "start" || verb === "restart") {
    container.wanted(now, number);
    if (container.wish.autoRemove && container.isFragile) container.goesOn(now, "remove");
  }
  if (verb === "rename") container.names.set(now, [...container.names.now, newName(read)]);
}
