// What follows from an answer.

import type { Container } from "./container.js";
import { named } from "./facts.js";
import { type Answer, type Known, type Open, failed } from "./known.js";
import { jsonOf } from "./request.js";
import { RULES } from "./rules.js";
import { newName } from "./wish.js";

const IMAGE_AFTER: Readonly<Record<string, boolean>> = {
  "remove 200": false,
  "remove 404": false,
  "force 200": false,
  "force 404": false,
  "tag 201": true,
};

/** `now`: the time of the answer. */
export function learn(known: Known, number: number, open: Open, { status, body }: Answer, now: number): void {
  const { read, since, about, makes } = open;
  if (makes !== null) return made(known, makes, open, status, body, now);
  if (read.noun === "containers" && read.verb === "prune") return pruned(number, open, body, now);
  if (status >= 400 && (read.verb === "start" || read.verb === "restart")) for (const one of about) failed(one, now);
  const became = status === 204 ? (RULES[read.verb]?.became ?? null) : null;
  const isKnown = about.length === 1 && !known.mayMeanStep(read.ref);
  for (const container of about) {
    container.ends(now, number, since, isKnown ? became : null);
    if (!isKnown && became !== null) container.goesOn(now, RULES[read.verb]!.act!);
    if (status >= 500 && (read.verb === "remove" || read.verb === "force")) container.mayBe(now, "dead");
    if (read.verb === "rename") renamed(known, container, open, status, now);
  }
  if (body !== null) known.images.ends(now, number, since, IMAGE_AFTER[`${read.verb} ${status}`] ?? null);
}

function made(
  known: Known,
  makes: Container,
  { since, isWild }: Open,
  status: number,
  body: string | null,
  now: number,
): void {
  const id = status === 201 ? jsonOf(body)?.["Id"] : undefined;
  makes.id = typeof id === "string" ? id : null;
  makes.ends(now, 0, since, status === 201 ? "created" : status < 500 || !isWild ? "gone" : null);
  // A container whose creation failed is removed after the answer; if that fails too, it is dead.
  if (status >= 500) makes.mayBe(now, "removing");
  if (status >= 500) makes.goesOn(now, "remove");
  named(known, makes);
}

function pruned(number: number, { about, since }: Open, body: string | null, now: number): void {
  const deleted = (jsonOf(body)?.["ContainersDeleted"] ?? []) as string[];
  for (const container of about) {
    const isGone = container.id !== null && deleted.includes(container.id);
    const words = container.words.during(since);
    container.ends(now, number, since, isGone ? "gone" : null);
    // A failed removal is not mentioned.
    if (!isGone && (words.has("created") || words.has("exited"))) container.mayBe(now, "dead");
  }
}

/**
 * With several candidates it may be any. A container whose rename was refused does not have the name, unless another
 * request gives it.
 */
function renamed(known: Known, container: Container, { read, since, about }: Open, status: number, now: number): void {
  const { names } = container;
  const name = newName(read);
  if (status === 204 && about.length === 1 && names.unchangedSince(since)) names.set(now, [name]);
  const isAskedAgain = [...known.open.values()].some(
    (one) => one.since !== since && one.about.includes(container) && newName(one.read) === name,
  );
  if (status < 400 || status >= 500 || !names.changedAt(since) || isAskedAgain) return;
  names.set(
    now,
    [...names.now].filter((one) => one !== name),
  );
}
