// Assembles an engine from a core and a host: the driver, requests and replies, and dry runs. The daemon, the package
// and the page use it, each with its own ways in and its own way to end.

import { ReplyRouter, RequestBodies, straight } from "../request/index.js";
import type { Door, Passage } from "../request/index.js";
import { Driver, Instance, together } from "../driver/index.js";
import type { CompiledCore, DriverOptions, Observer } from "../driver/index.js";
import { DryRuns } from "../dry-run/index.js";
import type { Asking } from "../dry-run/index.js";
import type { Clock, Host, Input, RequestId, Stdio, engine } from "../shared/index.js";
import { Attachments } from "../streams/index.js";
import { End, GRACE_MS } from "./end.js";
import type { Clients, Entrance } from "./entrance.js";
import { EngineClosed, EngineDown } from "./failures.js";
import type { Connection } from "./fetch/connection.js";
import { LocalDryRun } from "./fetch/dry-run.js";
import type { DryRun } from "./fetch/dry-run.js";
import { LocalRequests } from "./fetch/local-requests.js";
import { offersOf } from "./host-offers.js";
import { hostWith } from "./host-with.js";

/** The parts of an engine. */
export interface EngineParts extends Pick<DriverOptions, "lost" | "fatal" | "left" | "epoch"> {
  core: CompiledCore;
  /** Its world. The engine does not close it. */
  host: Host;
  /** Replaces members of the host for the driver. Dry runs use the host itself. */
  forDriver?: Partial<Host>;
  /** Called at each opening and for each dry run. Settings that were reloaded take precedence. */
  options: () => DriverOptions["engine"];
  /** Called one after the other. */
  observers?: readonly Observer[];
  /** Limits the wait for attached clients that do not read; by default the host's clock. */
  patience?: Clock;
  /** Waits for something that takes the world's time, and moves that time if necessary. */
  waitFor?: (pending: Promise<void>) => Promise<void>;
}

/** `ending`: it is being closed, and existing clients get time to finish. */
type State = "down" | "open" | "ending" | "closed";

export class AssembledEngine implements Door, Entrance {
  readonly replies = new ReplyRouter();
  readonly bodies = new RequestBodies();
  readonly stdio: Stdio;
  readonly attachments: Attachments;
  readonly bodyLimit: number;
  readonly dryRuns: DryRuns;
  readonly #parts: EngineParts;
  readonly #straight: Passage = straight(this);
  readonly #local = new LocalRequests(this);
  readonly #clients = new Set<Clients>([this.#local]);
  #state: State = "down";
  #generation = 0;
  #driver: Driver | null = null;
  #epoch: number;
  /** The reloaded settings; null: the options apply. */
  #settings: engine.Settings | null = null;
  #closing: Promise<void> | null = null;

  constructor(parts: EngineParts) {
    const { core, host, epoch = 0, patience = host.timers } = parts;
    this.#parts = parts;
    this.#epoch = epoch;
    this.stdio = host.replies;
    offersOf(host).serve?.((target, init) => this.fetch(target, init));
    this.attachments = new Attachments(host.replies, patience);
    this.bodyLimit = parts.options().bodyLimit;
    this.dryRuns = new DryRuns({
      ...{ core, host, options: () => this.#options() },
      fork: () => this.#driver?.fork() ?? null,
      onEnd: (told) => this.#driver?.onEnd(told) ?? (() => {}),
    });
  }

  get state(): "down" | "open" | "closed" {
    return this.#state === "ending" ? "closed" : this.#state;
  }

  /** Null while there is none. Each opening makes a new one. */
  get driver(): Driver | null {
    return this.#driver;
  }

  /**
   * Opens it, for the first time or after `cut`. Resolves with true when it takes requests, and with false if it was
   * cut off or closed meanwhile. Rejects as `Driver.opened` does; after that it can be opened again.
   */
  async open(): Promise<boolean> {
    const driver = this.#begun();
    this.#driver = driver;
    try {
      await driver.opened;
    } catch (error) {
      if (this.#driver === driver) this.#driver = null;
      throw error;
    }
    if (this.#driver !== driver || this.#state !== "down") return false;
    this.#state = "open";
    return true;
  }

  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    return this.#local.fetch(input, init);
  }

  connect(input: Request | URL | string, init?: RequestInit): Promise<Connection> {
    return this.#local.connect(input, init);
  }

  /** Starts a separate session. */
  dryRun(): DryRun {
    return new LocalDryRun(this, this.dryRuns.session());
  }

  /** The containers' state machine, from the core's own table. */
  rules(): engine.Rule[] {
    return this.#driver?.rules() ?? new Instance(this.#parts.core).rules();
  }

  /** Changes before a stateless answer (`replies.wit`) may differ from those given so far. */
  get generation(): number {
    return this.#generation;
  }

  /** Changes settings from now on, for the current instance and all later ones. */
  reload(settings: engine.Settings): void {
    this.#generation++;
    this.#settings = settings;
    this.#driver?.reload(settings);
  }

  /** Adds clients that get time to finish when it is closed. */
  join(clients: Clients): void {
    this.#clients.add(clients);
  }

  /**
   * Ends it as if its process were killed: see `Driver.cut`. `why`: the error for callers in this program that wait.
   */
  cut(why: Error): void {
    this.#driver?.cut();
    this.#leave(this.#closing === null ? "down" : "closed", why);
  }

  /**
   * Ends it in order. Current requests are answered within half a second, or while the driver is closed, which takes at
   * most 10 s. Then clients that still wait are sent away. The host stays open.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  // The side of requests.

  requireOpen(): void {
    if (this.state === "closed") throw new EngineClosed();
    if (this.state === "down") throw new EngineDown();
  }

  passage(asking: Asking): Promise<Passage> | Passage {
    return this.dryRuns.passage(asking) ?? this.#straight;
  }

  nextRequest(): RequestId {
    return this.#driver?.nextRequest() ?? 0n;
  }

  /** If there is no engine, the client is cut off. */
  deliver(input: Input): void {
    const isTaken = input.tag !== "request" || this.#state === "open" || this.#state === "ending";
    if (isTaken && this.#driver !== null) this.#driver.deliver(input);
    else if (input.tag === "request") this.replies.perform(input.val.id, { tag: "cut" });
  }

  #begun(): Driver {
    const { core, host, forDriver, observers = [], fatal, left } = this.#parts;
    const listen: Host["listen"] = (happened, from) => host.listen(this.attachments.inOrder(happened), from);
    const lost: DriverOptions["lost"] = (...why) => {
      this.#generation++;
      this.#parts.lost(...why);
    };
    const options: DriverOptions = {
      ...{ engine: this.#options(), epoch: this.#epoch, lost, fatal },
      ...(observers.length > 0 && { observer: together(observers) }),
      ...(left && { left }),
    };
    return Driver.begin(core, hostWith(host, { ...forDriver, listen }), this.replies, this.bodies, options);
  }

  #options(): DriverOptions["engine"] {
    return { ...this.#parts.options(), ...this.#settings };
  }

  async #close(): Promise<void> {
    this.#state = "ending";
    if (this.#driver !== null) await this.#end(this.#driver);
    this.#leave("closed", new EngineClosed());
    for (const clients of this.#clients) await clients.close();
  }

  async #end(driver: Driver): Promise<void> {
    const { host, waitFor = (pending) => pending } = this.#parts;
    const end = new End(host.timers);
    await Promise.all([...this.#clients].map((clients) => clients.drain(GRACE_MS)));
    this.#state = "closed";
    this.#generation++;
    this.dryRuns.close("the engine stops");
    if (!(await end.comesAfter(waitFor(driver.close(end.since()))))) driver.cut();
  }

  /** There is no driver any more: tells those who wait for it. */
  #leave(state: "down" | "closed", why: Error): void {
    this.#epoch = this.#driver?.epoch ?? this.#epoch;
    this.#driver = null;
    this.#state = state;
    this.#generation++;
    this.#local.failAll(why);
    this.replies.cutAll();
    this.dryRuns.close("the engine is gone");
  }
}
