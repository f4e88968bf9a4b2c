// Predicts what clients may be told, from their earlier requests and answers and from the start and end of processes.
// Concurrent requests may take effect in any order: an answer is wrong if it fits no order.

import type { Answer, Asked, Fact, Found, Oracle } from "../simulator/oracle.js";
import { Container } from "./container.js";
import { beginOn, learnRun, stranger } from "./facts.js";
import { judgeCreation, judgeRename, judgeStatus } from "./foretold.js";
import { judgeImage } from "./foretold-images.js";
import { Images } from "./images.js";
import { Known, type Open, failed } from "./known.js";
import { learn } from "./learned.js";
import { jsonOf, readRequest } from "./request.js";
import { RULES } from "./rules.js";
import { Runtimes } from "./runtimes.js";
import { judgeInspect, judgeList } from "./seen.js";
import { imageOf, wishOf } from "./wish.js";

export class Model implements Oracle {
  #known = new Known();

  asked(asked: Asked): void {
    const now = ++this.#known.now;
    const read = readRequest(asked);
    if (read === null) return;
    const isWild = asked.client.startsWith("evil");
    const open: Open = { read, since: now, about: [], makes: null, isWild, text: "" };
    this.#known.open.set(asked.number, open);
    if (read.noun === "containers") this.#askedContainer(asked, open);
    if (read.noun === "images") this.#askedImage(asked, open);
    if (read.noun === "networks" && read.verb === "connect") this.#askedToConnect(asked, open);
  }

  answered(asked: Asked, answer: Answer): string | null {
    const now = ++this.#known.now;
    const open = this.#known.open.get(asked.number);
    if (open === undefined) return null;
    const wrong = judge(this.#known, open, answer);
    learn(this.#known, asked.number, open, answer, now);
    if (isRefused(open, answer)) for (const one of this.#known.containers) one.connects.delete(asked.number);
    if (answer.body !== null) this.#known.open.delete(asked.number);
    return wrong === null
      ? null
      : `${asked.method} ${asked.target} is answered ${answer.status} ${answer.body ?? ""}: ${wrong}`;
  }

  told({ number, method, target }: Asked, piece: string): string | null {
    const open = this.#known.open.get(number);
    if (open === undefined) return null;
    open.text += piece;
    if (open.read.verb !== "wait" || open.isWild) return null;
    const code = jsonOf(piece)?.["StatusCode"];
    const container = aboutOne(open);
    if (container === null || container.hasFailed || container.isFragile || code === undefined) return null;
    const codes = container.codes.during(open.since);
    if (codes.has(code as number)) return null;
    return `${method} ${target} is told ${piece.trim()}: it ended with ${[...codes].join(" or ")}`;
  }

  ended({ number }: Asked): null {
    const now = ++this.#known.now;
    const open = this.#known.open.get(number);
    if (open === undefined) return null;
    this.#known.open.delete(number);
    const isThere = /Status: (Downloaded|Image is up to date)|Loaded image: busybox:latest/.test(open.text)
      ? true
      : null;
    this.#known.images.ends(now, number, open.since, isThere);
    return null;
  }

  left({ number }: Asked): void {
    this.#known.open.get(number)?.about.forEach((container) => container.isLeft(number));
    this.#known.open.delete(number);
  }

  happened(fact: Fact): string | null {
    if (fact.kind === "started" || fact.kind === "exited") return learnRun(this.#known, fact);
    const now = ++this.#known.now;
    if (fact.kind === "offers") return (this.#known.runtimes.offered(now, fact), null);
    if (fact.kind === "unkept") return (this.crashed(), null);
    this.#known.failedAt = now;
    const container = this.#known.byId(fact.container);
    if (container !== undefined) failed(container, now);
    return null;
  }

  crashed(): void {
    const now = ++this.#known.now;
    this.#known.open.clear();
    this.#known.hasCrashed = true;
    this.#known.images.crashed();
    for (const container of this.#known.containers) container.crashed(now);
    this.#known.failedAt = now;
  }

  forsaken(there: readonly Found[]): void {
    const { runtimes, hasBuilt } = this.#known;
    this.#known = new Known(new Images([], [true, false]), new Runtimes(0, runtimes.now));
    this.#known.hasBuilt = hasBuilt;
    this.#known.images.areShared = true;
    this.#known.containers.push(...there.map((one) => stranger(this.#known.now, one)));
    this.crashed();
  }

  opened(): null {
    return null;
  }

  rested(): null {
    return null;
  }

  #askedContainer({ number, body }: Asked, open: Open): void {
    const { read, since } = open;
    const { containers } = this.#known;
    if (read.verb === "create") {
      const name = (read.query.get("name") ?? "").replace(/^\//, "");
      open.makes = new Container(since, null, name, wishOf(body), ["gone", "created"]);
      containers.push(open.makes);
      return;
    }
    open.about = read.verb === "prune" ? containers : this.#known.candidates(read.ref, since);
    for (const container of open.about) beginOn(container, number, read, since);
    if (read.verb === "commit") this.#askedImage({ number }, open);
  }

  /** The network may be gone when the container starts, as one that it was created with. */
  #askedToConnect({ number, body }: Asked, { since }: Open): void {
    const ref = jsonOf(body)?.["Container"];
    if (typeof ref !== "string") return;
    for (const { connects } of this.#known.candidates(ref, since)) connects.add(number);
  }

  #askedImage({ number }: Pick<Asked, "number">, { read, since, isWild }: Open): void {
    const { images } = this.#known;
    if (isWild && read.verb !== "inspect" && read.verb !== "json") return images.unknown(since);
    if (["load", "tag", "commit", "build"].includes(read.verb)) images.areShared = true;
    if (read.verb === "build") this.#known.hasBuilt = true;
    const name = imageOf(read);
    const names = [...(name === null ? [] : [name]), ...(read.verb === "build" ? BASES : [])];
    if (names.length > 0) images.begins(since, number, names);
  }
}

/** What builds in these tests begin with: they pull what is missing. */
const BASES = ["busybox:latest", "hello-world:latest"];

/** The container is on no other network than before. After an error of the engine it may be. */
function isRefused({ read }: Open, { status }: Answer): boolean {
  return read.noun === "networks" && read.verb === "connect" && status >= 400 && status < 500;
}

/** The only container that a request may be about; null if there are others or if its id is unknown. */
function aboutOne({ about: [container, other] }: Open): Container | null {
  return container === undefined || container.id === null || other !== undefined ? null : container;
}

function judge(known: Known, open: Open, answer: Answer): string | null {
  const { read, isWild } = open;
  // The driver's own message: records could not be written.
  if (answer.body?.includes("the engine cannot continue") === true) return null;
  if (isWild || read.ref.includes("/")) return null;
  if (read.noun === "images") return judgeImage(known, open, answer);
  if (known.mayMeanStep(read.ref)) return null;
  if (read.noun !== "containers") return null;
  if (read.verb === "create") return judgeCreation(known, open, answer);
  if (read.verb === "json") return judgeList(known, open, answer);
  if (read.verb === "rename") return judgeRename(known, open, answer);
  if (RULES[read.verb] === undefined) return null;
  return judgeStatus(known, open, answer) ?? (read.verb === "inspect" ? judgeInspect(known, open, answer) : null);
}
