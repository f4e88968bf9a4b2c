// One dry run: an instance of the core that goes on from where the live one is, on a host that imagines, and the clients
// that ask it. It ends with `end`, or when its core traps; nothing of it was ever done.

import { refuse, ReplyRouter, RequestBodies } from "../request/index.js";
import type { Door } from "../request/index.js";
import { Driver } from "../driver/index.js";
import type { CompiledCore, DriverOptions, Ended, Fork, ObservedStep } from "../driver/index.js";
import type { Host, Input, RequestId, Stdio, replies } from "../shared/host.js";
import { Attachments } from "../streams/attachments.js";
import { DryRunClock } from "./clock.js";
import { Course } from "./course.js";
import type { Plan } from "./format.js";
import { DryRunJournal } from "./journal.js";
import { OwnRequests } from "./own-requests.js";
import { Waits } from "./waits.js";
import { DryRunWorld } from "./world.js";

/** What dry runs need of the live engine. */
export interface LiveEngine {
  core: CompiledCore;
  host: Host;
  /** As they are now. */
  options(): DriverOptions["engine"];
  /** Null: there is no instance now. */
  fork(): Fork | null;
  /** See `Driver.onEnd`. */
  onEnd(told: (input: Ended) => void): () => void;
}

/** As far as it matters here; see `GET /events`. */
interface EngineEvent {
  Type: string;
  Action: string;
  Actor: { ID: string };
}

export class DryRun implements Door {
  readonly bodies = new RequestBodies();
  readonly stdio: Stdio;
  readonly attachments: Attachments;
  readonly replies: Door["replies"];
  readonly #router = new ReplyRouter();
  readonly #clock: DryRunClock;
  readonly #world: DryRunWorld;
  readonly #driver: Driver;
  readonly #journal: DryRunJournal;
  readonly #own: OwnRequests;
  readonly #waits = new Waits();
  readonly #course: Course;
  readonly #over: () => void;
  #gone: () => void = () => {};
  readonly #deaf: () => void;
  #ended = false;
  /** Why there is no instance any more. */
  #lost: Error | null = null;
  #late: ReturnType<typeof setTimeout> | undefined;

  /**
   * `over`: a client's request is over. `gone`: it has ended, or its core trapped; never called before this returns.
   * Throws `Trap`.
   */
  constructor(live: LiveEngine, fork: Fork, over: () => void, gone: () => void) {
    this.#over = over;
    this.#clock = new DryRunClock(live.host.timers);
    this.#world = new DryRunWorld(live.host, this.#clock, () => this.#course.stir());
    this.#course = new Course(this.#world, this.#clock, this.#waits);
    const { host } = this.#world;
    this.stdio = host.replies;
    this.attachments = new Attachments(host.replies, this.#clock);
    this.replies = { add: (id, receiver) => this.#router.add(id, receiver), remove: (id) => this.#remove(id) };
    this.#own = new OwnRequests((input) => this.#driver.deliver(input));
    this.#journal = new DryRunJournal(this.#clock.now(), (id) => this.#own.has(id));
    const sent = { perform: (id: RequestId, command: replies.ReplyCommand) => this.#reply(id, command) };
    this.#driver = Driver.resume(live.core, this.#ordered(host), sent, this.bodies, this.#options(live), fork);
    this.#deaf = live.onEnd((input) => this.reallyEnded(input));
    this.#own.follow(this.nextRequest(), "/events", (event) => this.#event(event as EngineEvent));
    if (this.#lost !== null) throw this.#lost;
    this.#gone = gone;
  }

  /** Clients of it are under way. */
  get isUsed(): boolean {
    return this.#waits.any;
  }

  nextRequest(): RequestId {
    return this.#driver.nextRequest();
  }

  deliver(input: Input): void {
    if (input.tag === "closed") this.#waits.over(input.val.request);
    if (input.tag === "request") this.#waits.begin(input.val);
    if (this.#ended && input.tag === "request") refuse(this.#router, input.val.id, "the dry run is over");
    this.#driver.deliver(input);
    this.#course.stir();
  }

  /** A process of the machine has really ended since the live instance was forked. */
  reallyEnded(input: Ended): void {
    this.#world.reallyEnded(input);
  }

  /** Without the first so many entries. */
  plan(from = 0): Plan {
    return this.#journal.plan(this.#clock.now(), from);
  }

  /** What is added to its plan from now on, once nothing is under way any more. */
  planned(from = this.#journal.length): () => Promise<Plan> {
    return async () => {
      await this.rested();
      return this.plan(from);
    };
  }

  /** Resolves when nothing is under way and nobody waits for what time brings. */
  rested(): Promise<void> {
    return this.#course.rested();
  }

  /** Ends it after a while, but not as long as the machine is being asked something, or a client's body is read. */
  endAfter(ms: number): void {
    const end = (): void =>
      this.#world.busy ? this.endAfter(ms) : this.end(`the dry run came to no end in ${ms / 1000} s`);
    this.#late = setTimeout(end, ms);
  }

  /** Whoever waits for an answer is told this; streams are broken off. */
  end(why: string): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#late);
    this.#deaf();
    this.#driver.cut();
    this.#world.close();
    this.#clock.close();
    for (const id of this.#waits.unanswered) refuse(this.#router, id, why);
    this.#router.cutAll();
    this.#course.end();
    this.#leave();
  }

  #options(live: LiveEngine): DriverOptions {
    const stepped = (step: ObservedStep, input: Input): void => {
      this.#journal.stepped(step, input);
      this.#stepped(step, input);
    };
    return {
      engine: live.options(),
      observer: { opened: () => {}, stepped, lost: () => {} },
      lost: (error) => this.#trapped(error),
      fatal: () => {},
    };
  }

  /** Those who wait are answered by the driver, which opens no other instance once it is closed; then all ends. */
  #trapped(error: unknown): void {
    const lost = (this.#lost = error instanceof Error ? error : new Error(String(error)));
    const end = (): void => this.end(`the dry run is over: ${lost.message}`);
    void this.#driver.close().then(end, end);
    this.#leave();
  }

  /** Nobody asks it anything from now on. */
  #leave(): void {
    const gone = this.#gone;
    this.#gone = () => {};
    gone();
  }

  #event(event: EngineEvent): void {
    this.#journal.event(event);
    if (event.Type === "container" && event.Action === "create") this.#world.imagined.created.add(event.Actor.ID);
  }

  #ordered(host: Host): Host {
    return { ...host, listen: (happened, bodies) => host.listen(this.attachments.inOrder(happened), bodies) };
  }

  #stepped({ explain }: ObservedStep, input: Input): void {
    if (input.tag !== "request" || this.#own.has(input.val.id)) return;
    const { id, target } = input.val;
    const routed = explain().find((note) => note.tag === "routed");
    const path = this.#waits.routed(id, routed?.val.route ?? "", target);
    // A container may be named in many ways: the core knows them.
    if (path !== null) queueMicrotask(() => this.#resolve(id, path));
  }

  #resolve(id: RequestId, path: string): void {
    this.#own.ask(this.nextRequest(), `${path}/json`, (json) => {
      const container = (json as { Id?: string }).Id ?? "";
      const run = this.#world.imagined.runOf(container);
      if (run !== undefined) this.#waits.forEndOf(id, { container, run });
      this.#course.stir();
    });
  }

  #reply(id: RequestId, command: replies.ReplyCommand): void {
    if (this.#own.take(id, command)) return;
    this.#waits.replied(id, command);
    this.#course.answered();
    this.#router.perform(id, command);
  }

  #remove(id: RequestId): void {
    this.#router.remove(id);
    this.#waits.over(id);
    this.#journal.forget(id);
    this.#over();
  }
}
