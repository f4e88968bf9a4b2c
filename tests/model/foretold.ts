// The allowed statuses of answers to requests about containers. The texts say what is wrong; null if nothing is.

import type { Container } from "./container.js";
import { type Answer, type Known, type Open, isMeant, mayBe } from "./known.js";
import type { Read } from "./request.js";
import { FALLIBLE, RULES } from "./rules.js";
import { judgeRuntime } from "./runtimes.js";
import { newName } from "./wish.js";

const STARTS = ["start", "restart"];

/** Checks a request against one of the rules. */
export function judgeStatus(known: Known, { read, since }: Open, answer: Answer): string | null {
  const { status } = answer;
  const about = known.candidates(read.ref, since);
  const rule = RULES[read.verb]!;
  const wrong = STARTS.includes(read.verb) ? judgeRuntime(known.runtimes, about, { read, since }, answer) : undefined;
  if (wrong !== undefined) return wrong;
  if (answer.body?.includes("port is already allocated") === true) return judgePort(known, about, since);
  if (answer.body?.includes("Cannot link to ") === true) return judgeLink(known, about, since);
  if (status >= 400 && FALLIBLE.includes(read.verb) && about.some((one) => known.mayFail(one, since))) return null;
  if (status === 404) return judgeMissing(about, read, since);
  // A request in a container's queue is refused in terms of that container, even if its name has changed by then.
  if (about.length === 0) return status >= 400 || known.hasCrashed || known.isSomeLost() ? null : "there is none";
  // A prefix of an id may be ambiguous.
  if (status === 400 && !about.some((one) => isMeant(one, read.ref, since))) return null;
  if (status === 409 && rule.act !== "pause" && about.some((one) => one.isBeingRemoved || one.wish.autoRemove))
    return null;
  const words = new Set(about.flatMap((one) => [...one.words.during(since)]));
  const allowed = [...words].flatMap((word) => (word === "gone" ? [] : [...rule.answers[word]]));
  return allowed.includes(status) ? null : `it is ${[...words].join(" or ")}`;
}

export function judgeCreation(known: Known, { makes, since }: Open, { status, body }: Answer): string | null {
  if (makes === null || body === null) return null;
  const [name = ""] = makes.names.now;
  const others = known.containers.filter((one) => one !== makes && one.names.during(since).has(name));
  const holder = others.find((one) => isMeant(one, name, since));
  if (status === 201 && holder !== undefined && name !== "") return `${holder.id} has that name`;
  if (makes.isFragile || known.failedAt >= since) return null;
  const there = known.images.during(makes.wish.image, since);
  if (status === 201) return there.has(true) ? null : "there is no such image";
  if (status === 404) return there.has(false) ? null : "the image is there";
  if (status === 409) return others.some((one) => mayBe(one, since)) ? null : "nobody has that name";
  return "nothing is wrong with that";
}

export function judgeRename(known: Known, { read, since, about }: Open, { status }: Answer): string | null {
  if (status === 404) return judgeMissing(about, read, since);
  const name = newName(read);
  const others = known.containers.filter((one) => !about.includes(one) && one.names.during(since).has(name));
  const holder = others.find((one) => isMeant(one, name, since));
  if (status === 204 && holder !== undefined) return `${holder.id} has that name`;
  if (status === 409 && !others.some((one) => mayBe(one, since)) && about.length < 2) return "nobody has that name";
  return status === 204 && about.length === 0 ? "there is none" : null;
}

/** Another container must have the port, or may not have released it. */
function judgePort(known: Known, [container, ...others]: readonly Container[], since: number): string | null {
  if (container === undefined || others.length > 0) return null;
  const { ports } = container.wish;
  const mayHold = (one: Container): boolean =>
    one.wish.ports.some((port) => ports.includes(port)) && one.mayHold(since);
  if (ports.length === 0 || container.hasFailed || known.isSomeLost()) return null;
  return known.containers.some((one) => one !== container && mayHold(one)) ? null : "nobody can have that port";
}

/**
 * A linking container must know the others' addresses: one of them is not running, or has no address on its network.
 */
function judgeLink(known: Known, about: readonly Container[], since: number): string | null {
  // It cannot be told which unknown container it is.
  if (known.hasCrashed || known.isSomeLost()) return null;
  if (about.length > 0 && about.every(({ wish }) => wish.links.length === 0)) return "it is linked to nobody";
  const names = about.flatMap(({ wish }) => wish.links);
  const others = known.containers.filter((one) => names.some((name) => one.names.during(0).has(name)));
  const isUp = ({ words, wish, hasFailed }: Container): boolean =>
    wish.network === "bridge" &&
    !hasFailed &&
    [...words.during(since)].every((word) => word === "running" || word === "paused");
  return others.length > 0 && others.every(isUp) ? "all that it is linked to run" : null;
}

function judgeMissing(about: readonly Container[], read: Read, since: number): string | null {
  const there = about.find((one) => isMeant(one, read.ref, since));
  return there === undefined ? null : `${there.id} is there`;
}
