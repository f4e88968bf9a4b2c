// One dry run: an instance of the core that continues from the live one's state on a host that only pretends to act,
// and the clients of that instance. It ends with `end`, or when its core traps. Nothing in it is ever done for real.

import { refuse, ReplyRouter, RequestBodies } from "../request/index.js";
import type { Door } from "../request/index.js";
import { Driver } from "../driver/index.js";
import type { CompiledCore, DriverOptions, Ended, Fork, ObservedStep } from "../driver/index.js";
import type { Host, Input, RequestId, Stdio, replies } from "../shared/index.js";
import { Attachments } from "../streams/index.js";
import { DryRunClock } from "./clock.js";
import { Course } from "./course.js";
import type { Plan } from "./format.js";
import { DryRunJournal } from "./journal.js";
import { OwnRequests } from "./own-requests.js";
import { Waits } from "./waits.js";
import { DryRunWorld } from "./world.js";

/** What dry runs need from the live engine. */
export interface LiveEngine {
  core: CompiledCore;
  host: Host;
  /** The current options. */
  options(): DriverOptions["engine"];
  /** Null if there is no instance now. */
  fork(): Fork | null;
  /** See `Driver.onEnd`. */
  onEnd(told: (input: Ended) => void): () => void;
}

/** The fields of an event (`GET /events`) that are used here. */
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
  /** The error of a trap, after which there is no instance. */
  #lost: Error | null = null;
  #late: ReturnType<typeof setTimeout> | undefined;

  /**
   * `over` is called when a client's request is over, and `gone` when the dry run has ended or its core has trapped,
   * but never before the constructor returns. Throws `Trap`.
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

  /** Whether it has unfinished requests. */
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

  /** The plan without its first `from` entries. */
  plan(from = 0): Plan {
    return this.#journal.plan(this.#clock.now(), from);
  }

  /** The entries that are added to its plan from now on, once it is at rest. */
  planned(from = this.#journal.length): () => Promise<Plan> {
    return async () => {
      await this.rested();
      return this.plan(from);
    };
  }

  /** Resolves when no operation is pending and no client waits for time to pass. */
  rested(): Promise<void> {
    return this.#course.rested();
  }

  /** Ends it after `ms`, but not while a question to the machine is pending or a client's body is being read. */
  endAfter(ms: number): void {
    const end = (): void =>
      this.#world.busy ? this.endAfter(ms) : this.end(`the dry run did not finish in ${ms / 1000} s`);
    this.#late = setTimeout(end, ms);
  }

  /** Refuses all unanswered requests with this reason, and cuts off streams. */
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

  /** The driver answers the waiting requests. It opens no other instance, since it is closed. Then the dry run ends. */
  #trapped(error: unknown): void {
    const lost = (this.#lost = error instanceof Error ? error : new Error(String(error)));
    const end = (): void => this.end(`the dry run is over: ${lost.message}`);
    void this.#driver.close().then(end, end);
    this.#leave();
  }

  /** Reports once that the dry run accepts no more requests. */
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
    // A container has several names. The core resolves them.
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
