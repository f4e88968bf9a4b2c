// What clients may be told, foretold from what they asked and were told before, and from which processes began and
// ended. Of requests that are under way side by side each may come first: an answer is wrong if it fits none of that.

import type { Answer, Asked, Fact, Oracle } from "../simulator/oracle.js";
import { Container } from "./container.js";
import { Images } from "./images.js";
import { type Read, jsonOf, readRequest, withTag } from "./request.js";
import { FALLIBLE, HOLDING, RULES } from "./rules.js";
import { imageOf, newName, wishOf } from "./wish.js";
import type { Word } from "./words.js";

/** A request that has not been answered. */
interface Open {
  read: Read;
  since: number;
  /** Whom it may be about. */
  about: Container[];
  /** That it makes. */
  makes: Container | null;
  /** Nobody can foretell what is answered to what nobody should ask. */
  isWild: boolean;
  text: string;
}

export class Model implements Oracle {
  #now = 0;
  readonly #open = new Map<number, Open>();
  #containers: Container[] = [];
  readonly #images = new Images(["busybox:latest"]);
  /** When something of a host failed last, whatever it was about. */
  #failedAt = -1;
  /** There may be some whose clients were not told. */
  #hasCrashed = false;

  asked(asked: Asked): void {
    const now = ++this.#now;
    const read = readRequest(asked);
    if (read === null) return;
    const isWild = asked.client.startsWith("evil");
    const open: Open = { read, since: now, about: [], makes: null, isWild, text: "" };
    this.#open.set(asked.number, open);
    if (read.noun === "containers") this.#askedContainer(asked, open);
    if (read.noun === "images") this.#askedImage(asked, open);
  }

  answered(asked: Asked, answer: Answer): string | null {
    const now = ++this.#now;
    const open = this.#open.get(asked.number);
    if (open === undefined) return null;
    const wrong = this.#judge(open, answer);
    this.#learn(asked, open, answer, now);
    if (answer.body !== null) this.#open.delete(asked.number);
    return wrong === null
      ? null
      : `${asked.method} ${asked.target} is answered ${answer.status} ${answer.body ?? ""}: ${wrong}`;
  }

  told({ number, method, target }: Asked, piece: string): string | null {
    const open = this.#open.get(number);
    if (open === undefined) return null;
    open.text += piece;
    if (open.read.verb !== "wait" || open.isWild) return null;
    const [container, other] = open.about;
    const code = jsonOf(piece)?.["StatusCode"];
    if (
      container === undefined ||
      container.id === null ||
      other !== undefined ||
      container.hasFailed ||
      container.wish.isFragile ||
      code === undefined
    )
      return null;
    const codes = container.codes.during(open.since);
    if (codes.has(code as number)) return null;
    return `${method} ${target} is told ${piece.trim()}: it ended with ${[...codes].join(" or ")}`;
  }

  ended({ number }: Asked): null {
    const now = ++this.#now;
    const open = this.#open.get(number);
    if (open === undefined) return null;
    this.#open.delete(number);
    const isThere = /Status: (Downloaded|Image is up to date)|Loaded image: busybox:latest/.test(open.text)
      ? true
      : null;
    this.#images.ends(now, number, open.since, isThere);
    return null;
  }

  left({ number }: Asked): void {
    this.#open.get(number)?.about.forEach((container) => container.isLeft(number));
    this.#open.delete(number);
  }

  happened(fact: Fact): string | null {
    const now = ++this.#now;
    if (fact.kind === "unkept") return (this.crashed(), null);
    const container = this.#containers.find(({ id }) => id !== null && id === fact.container);
    if (fact.kind === "failed") {
      this.#failedAt = now;
      if (container !== undefined) failed(container, now);
      return null;
    }
    if (container === undefined) return (this.#early(fact), null);
    if (fact.kind === "exited") return (container.exited(now, fact.run, fact.code), null);
    return container.started(now, fact.run)
      ? `run ${fact.run} of ${fact.container} follows by itself, though only ${container.wish.maximum} may`
      : null;
  }

  crashed(): void {
    const now = ++this.#now;
    this.#open.clear();
    this.#hasCrashed = true;
    this.#images.crashed();
    for (const container of this.#containers) container.crashed(now);
    this.#failedAt = now;
  }

  opened(): null {
    return null;
  }

  rested(): null {
    return null;
  }

  // ------------------------------------------------------------------------------------------------ what is asked

  #askedContainer({ number, body }: Asked, open: Open): void {
    const { read, since } = open;
    if (read.verb === "create") {
      const name = (read.query.get("name") ?? "").replace(/^\//, "");
      open.makes = new Container(since, null, name, wishOf(body), ["gone", "created"]);
      this.#containers.push(open.makes);
      return;
    }
    if (read.verb === "prune") open.about = this.#containers;
    else open.about = this.#candidates(read.ref, since);
    for (const container of open.about) beginOn(container, number, read, since);
    if (read.verb === "commit") this.#askedImage({ number } as Asked, open);
  }

  #askedImage({ number }: Pick<Asked, "number">, { read, since, isWild }: Open): void {
    if (isWild && read.verb !== "inspect" && read.verb !== "json") return this.#images.unknown(since);
    if (["load", "tag", "commit"].includes(read.verb)) this.#images.areShared = true;
    const name = imageOf(read);
    if (name !== null) this.#images.begins(since, number, name);
  }

  /** Those that a text may mean. */
  #candidates(ref: string, since: number): Container[] {
    const exact = this.#containers.filter(
      (one) => one.id === ref || one.names.during(since).has(ref.replace(/^\//, "")),
    );
    if (exact.some((one) => this.#isMeant(one, ref, since))) return exact;
    return this.#containers.filter((one) => exact.includes(one) || one.id?.startsWith(ref) === true);
  }

  /** It was there all the time, by this name or id. */
  #isMeant(container: Container, ref: string, since: number): boolean {
    if (!container.isCertain(since)) return false;
    const names = container.names.during(since);
    return container.id === ref || (names.size === 1 && names.has(ref.replace(/^\//, "")));
  }

  // ------------------------------------------------------------------------------------------------ what is answered

  #judge(open: Open, answer: Answer): string | null {
    const { read, isWild } = open;
    // The driver's own words: records could not be kept.
    if (answer.body?.includes("the engine cannot go on") === true) return null;
    if (isWild || read.ref.includes("/")) return null;
    if (read.noun === "images") return this.#judgeImage(open, answer);
    if (read.noun !== "containers") return null;
    if (read.verb === "create") return this.#judgeCreation(open, answer);
    if (read.verb === "json") return this.#judgeList(open, answer);
    if (read.verb === "rename") return this.#judgeRename(open, answer);
    const rule = RULES[read.verb];
    if (rule === undefined) return null;
    return this.#judgeStatus(open, answer) ?? (read.verb === "inspect" ? this.#judgeInspect(open, answer) : null);
  }

  #judgeStatus({ read, since }: Open, answer: Answer): string | null {
    const { status } = answer;
    const about = this.#candidates(read.ref, since);
    const rule = RULES[read.verb]!;
    if (answer.body?.includes("port is already allocated") === true) return this.#judgePort(about, since);
    if (answer.body?.includes("Cannot link to ") === true) return this.#judgeLink(about, since);
    if (status >= 400 && FALLIBLE.includes(read.verb) && about.some((one) => this.#mayFail(one, since))) return null;
    if (status === 404) return this.#judgeMissing(about, read, since);
    // Whoever waits in a container's queue is refused in its words, though it is called otherwise by then.
    if (about.length === 0) return status >= 400 || this.#hasCrashed || this.#isSomeLost() ? null : "there is none";
    // By the beginning of an id, which others may have, too.
    if (status === 400 && !about.some((one) => this.#isMeant(one, read.ref, since))) return null;
    if (status === 409 && rule.act !== "pause" && about.some((one) => one.isBeingRemoved || one.wish.autoRemove))
      return null;
    const words = new Set(about.flatMap((one) => [...one.words.during(since)]));
    const allowed = [...words].flatMap((word) => (word === "gone" ? [] : [...rule.answers[word]]));
    return allowed.includes(status) ? null : `it is ${[...words].join(" or ")}`;
  }

  /** Somebody else must have it, or may not have given it back. */
  #judgePort([container, ...others]: readonly Container[], since: number): string | null {
    if (container === undefined || others.length > 0) return null;
    const { ports } = container.wish;
    const mayHold = (one: Container): boolean =>
      one.wish.ports.some((port) => ports.includes(port)) && one.mayHold(since);
    if (ports.length === 0 || container.hasFailed || this.#isSomeLost()) return null;
    return this.#containers.some((one) => one !== container && mayHold(one)) ? null : "nobody can have that port";
  }

  /** What runs there must be told where the others are: one of them does not run, or has no place on its network. */
  #judgeLink(about: readonly Container[], since: number): string | null {
    // Which of those that nobody was told of it is cannot be told.
    if (this.#hasCrashed || this.#isSomeLost()) return null;
    if (about.length > 0 && about.every(({ wish }) => wish.links.length === 0)) return "it is linked to nobody";
    const names = about.flatMap(({ wish }) => wish.links);
    const others = this.#containers.filter((one) => names.some((name) => one.names.during(0).has(name)));
    const isUp = ({ words, wish, hasFailed }: Container): boolean =>
      wish.network === "bridge" &&
      !hasFailed &&
      [...words.during(since)].every((word) => word === "running" || word === "paused");
    return others.length > 0 && others.every(isUp) ? "all that it is linked to run" : null;
  }

  /** Its client went away before it heard of an id. */
  #isSomeLost(): boolean {
    return this.#containers.some(({ id, words }) => id === null && words.now.size > 1);
  }

  /** Nothing is foretold of a start whose container needs more than itself, nor of anything when a host has failed. */
  #mayFail(container: Container, since: number): boolean {
    return this.#failedAt >= since || container.wish.isFragile || container.hasFailed;
  }

  #judgeMissing(about: readonly Container[], read: Read, since: number): string | null {
    const there = about.find((one) => this.#isMeant(one, read.ref, since));
    return there === undefined ? null : `${there.id} is there`;
  }

  #judgeCreation({ makes, since }: Open, { status, body }: Answer): string | null {
    if (makes === null || body === null) return null;
    const [name = ""] = makes.names.now;
    const others = this.#containers.filter((one) => one !== makes && one.names.during(since).has(name));
    const holder = others.find((one) => this.#isMeant(one, name, since));
    if (status === 201 && holder !== undefined && name !== "") return `${holder.id} has that name`;
    if (makes.wish.isFragile || this.#failedAt >= since) return null;
    const there = this.#images.during(makes.wish.image, since);
    if (status === 201) return there.has(true) ? null : "there is no such image";
    if (status === 404) return there.has(false) ? null : "the image is there";
    if (status === 409) return others.some((one) => mayBe(one, since)) ? null : "nobody has that name";
    return "nothing is wrong with that";
  }

  #judgeRename({ read, since, about }: Open, { status }: Answer): string | null {
    if (status === 404) return this.#judgeMissing(about, read, since);
    const name = newName(read);
    const others = this.#containers.filter((one) => !about.includes(one) && one.names.during(since).has(name));
    const holder = others.find((one) => this.#isMeant(one, name, since));
    if (status === 204 && holder !== undefined) return `${holder.id} has that name`;
    if (status === 409 && !others.some((one) => mayBe(one, since)) && about.length < 2) return "nobody has that name";
    return status === 204 && about.length === 0 ? "there is none" : null;
  }

  #judgeInspect({ read, since }: Open, { status, body }: Answer): string | null {
    const told = jsonOf(body);
    if (status !== 200 || told === null) return null;
    const container = this.#candidates(read.ref, since).find(({ id }) => id === told["Id"]);
    if (container === undefined) return this.#adopt(told["Id"] as string, String(told["Name"]).slice(1));
    const state = told["State"] as { Status: Word; ExitCode: number };
    return this.#judgeSeen(container, since, state.Status, [String(told["Name"])], state.ExitCode);
  }

  #judgeList({ read, since }: Open, { status, body }: Answer): string | null {
    if (status !== 200 || read.query.get("all") !== "1" || read.query.has("filters") || body === null) return null;
    const list = JSON.parse(body) as { Id: string; Names: string[]; State: Word }[];
    for (const one of list) {
      const container = this.#containers.find(({ id }) => id === one.Id);
      if (container === undefined) this.#adopt(one.Id, String(one.Names[0]).slice(1));
      const wrong = container && this.#judgeSeen(container, since, one.State, one.Names, null);
      if (wrong !== undefined && wrong !== null) return wrong;
    }
    const missing = this.#containers.find(
      (one) => one.id !== null && !list.some(({ Id }) => Id === one.id) && one.isCertain(since),
    );
    return missing === undefined ? null : `${missing.id} is missing`;
  }

  #judgeSeen(container: Container, since: number, word: Word, names: string[], code: number | null): string | null {
    // What a failure of the host has left of it is not foretold.
    if (container.hasFailed) return null;
    const words = container.words.during(since);
    // A start by itself is told so before it is one.
    const isStarting = word === "restarting" && container.wish.policy !== "";
    if (!words.has(word) && !isStarting) return `${container.id} is ${[...words].join(" or ")}, not ${word}`;
    const known = container.names.during(since);
    if (known.has(""))
      container.names.set(
        ++this.#now,
        [...known].filter((name) => name !== "").concat(names.map((name) => name.slice(1))),
      );
    else if (!names.some((name) => known.has(name.slice(1))))
      return `${container.id} is called ${[...known].join(" or ")}`;
    const codes = container.codes.during(since);
    const isOver = words.size === 1 && words.has("exited") && !container.hasFailed && !container.wish.isFragile;
    if (code !== null && isOver && !codes.has(code)) return `it ended with ${[...codes].join(" or ")}, not ${code}`;
    container.seen(++this.#now, since, word);
    return null;
  }

  #judgeImage({ read, since }: Open, { status }: Answer): string | null {
    const name = withTag(read.ref);
    if (read.ref === "" || !/^[a-z-]+:[a-z]+$/.test(name) || this.#failedAt >= since) return null;
    const there = this.#images.during(name, since);
    if (read.verb === "inspect") {
      if (status === 200) return there.has(true) ? null : "it is not there";
      return status === 404 && !there.has(false) ? "it is there" : null;
    }
    if (read.verb === "remove" && status === 200) return this.#judgeUse(name, since);
    return null;
  }

  #judgeUse(name: string, since: number): string | null {
    if (this.#images.areShared) return null;
    const user = this.#containers.find(
      (one) => one.wish.image === name && one.id !== null && one.isCertain(since) && this.#madeBefore(one, since),
    );
    return user === undefined ? null : `${user.id} uses it`;
  }

  // ------------------------------------------------------------------------------------------------ what follows

  #learn({ number }: Asked, open: Open, { status, body }: Answer, now: number): void {
    const { read, since, about, makes } = open;
    if (makes !== null) return this.#made(makes, open, status, body, now);
    if (read.noun === "containers" && read.verb === "prune") return this.#pruned(number, open, body, now);
    if (status >= 400 && (read.verb === "start" || read.verb === "restart")) for (const one of about) failed(one, now);
    const became = status === 204 ? (RULES[read.verb]?.became ?? null) : null;
    for (const container of about) {
      container.ends(now, number, since, about.length === 1 ? became : null);
      if (about.length > 1 && became !== null) container.goesOn(now, RULES[read.verb]!.act!);
      if (status >= 500 && (read.verb === "remove" || read.verb === "force")) container.mayBe(now, "dead");
      if (read.verb === "rename") this.#renamed(container, open, status, now);
    }
    if (body !== null) this.#images.ends(now, number, since, IMAGE_AFTER[`${read.verb} ${status}`] ?? null);
  }

  #made(makes: Container, { since, isWild }: Open, status: number, body: string | null, now: number): void {
    const id = status === 201 ? jsonOf(body)?.["Id"] : undefined;
    makes.id = typeof id === "string" ? id : null;
    makes.ends(now, 0, since, status === 201 ? "created" : status < 500 || !isWild ? "gone" : null);
    // What could not be made is removed behind the answer; if that cannot be done, either, it is dead.
    if (status >= 500) makes.mayBe(now, "removing");
    if (status >= 500) makes.goesOn(now, "remove");
    this.#known(makes);
  }

  /** It is known by its id now: what has happened to it before counts, and who has asked by its beginning may mean it. */
  #known(container: Container): void {
    for (const fact of this.#earlyFacts.splice(0)) if (fact.kind !== "unkept") this.happened(fact);
    for (const [number, { read, about }] of this.#open) {
      const isMeant = read.noun === "containers" && read.ref !== "" && container.id?.startsWith(read.ref) === true;
      if (!isMeant || about.includes(container)) continue;
      about.push(container);
      beginOn(container, number, read, this.#now);
    }
  }

  #pruned(number: number, { about, since }: Open, body: string | null, now: number): void {
    const deleted = (jsonOf(body)?.["ContainersDeleted"] ?? []) as string[];
    for (const container of about) {
      const isGone = container.id !== null && deleted.includes(container.id);
      const words = container.words.during(since);
      container.ends(now, number, since, isGone ? "gone" : null);
      // What could not be dropped is not spoken of.
      if (!isGone && (words.has("created") || words.has("exited"))) container.mayBe(now, "dead");
    }
  }

  /** Of several it may be any; whom a name is refused has not got it, unless somebody else gives it that one. */
  #renamed(container: Container, { read, since, about }: Open, status: number, now: number): void {
    const { names } = container;
    const name = newName(read);
    if (status === 204 && about.length === 1 && names.unchangedSince(since)) names.set(now, [name]);
    const isAskedAgain = [...this.#open.values()].some(
      (one) => one.since !== since && one.about.includes(container) && newName(one.read) === name,
    );
    if (status < 400 || status >= 500 || !names.changedAt(since) || isAskedAgain) return;
    names.set(
      now,
      [...names.now].filter((one) => one !== name),
    );
  }

  /** Somebody is told of one that nobody has been told of: its client went away. */
  #adopt(id: string, name: string): null {
    if (this.#containers.some((one) => one.id === id)) return null;
    const [lost, ...others] = this.#containers.filter(
      (one) => one.id === null && one.words.now.size > 1 && (one.names.now.has(name) || one.names.now.has("")),
    );
    if (lost !== undefined) {
      lost.id = id;
      // What it was wished to be cannot be told.
      if (others.length > 0) lost.hasFailed = true;
      lost.names.set(this.#now, [...lost.names.now, name]);
      // Which of its runs somebody had asked for cannot be told any more.
      lost.followed = -Infinity;
      this.#known(lost);
    }
    return null;
  }

  #madeBefore(container: Container, since: number): boolean {
    return !container.words.during(since).has("gone");
  }

  /** Of one whose client has not been told yet, or never will be: it may be any of those. */
  #early(fact: Extract<Fact, { kind: "started" | "exited" }>): void {
    const unnamed = this.#containers.filter(({ id }) => id === null);
    if (unnamed.length > 0) this.#earlyFacts.push(fact);
    for (const one of unnamed) {
      if (one.words.now.size === 1) continue;
      one.mayBe(this.#now, fact.kind === "started" ? "running" : "exited");
      if (one.wish.policy !== "") one.mayBe(this.#now, "restarting");
      if (one.wish.autoRemove) one.goesOn(this.#now, "remove");
    }
  }

  readonly #earlyFacts: Fact[] = [];
}

/** A request about it is under way. */
function beginOn(container: Container, number: number, read: Read, now: number): void {
  const { verb } = read;
  const act = verb === "prune" ? "remove" : HOLDING.includes(verb) ? "hold" : (RULES[verb]?.act ?? null);
  if (act !== null) container.begins(now, number, act);
  if (verb === "start" || verb === "restart") {
    container.wanted(now, number);
    if (container.wish.autoRemove && container.wish.isFragile) container.goesOn(now, "remove");
  }
  if (verb === "rename") container.names.set(now, [...container.names.now, newName(read)]);
}

/** One that removes itself does so after a start that failed, too. */
function failed(container: Container, now: number): void {
  container.hasFailed = true;
  if (container.wish.autoRemove) container.goesOn(now, "remove");
}

function mayBe(container: Container, since: number): boolean {
  return [...container.words.during(since)].some((word) => word !== "gone");
}

const IMAGE_AFTER: Readonly<Record<string, boolean>> = {
  "remove 200": false,
  "remove 404": false,
  "force 200": false,
  "force 404": false,
  "tag 201": true,
};
