// An engine's life in another program: opened, cut off, opened again, closed.

import { RequestBodies } from "../bodies.js";
import { straight } from "../door.js";
import type { Door, Passage } from "../door.js";
import { CutOff, Driver } from "../driver.js";
import type { DriverOptions } from "../driver.js";
import type { Host, Input, RecordStore, RequestId, Stdio, engine } from "../host.js";
import { Instance } from "../instance.js";
import type { CompiledCore } from "../instance.js";
import { DryRuns } from "../dry-run/dry-runs.js";
import { ReplyRouter } from "../reply-router.js";
import { Attachments } from "../streams/attachments.js";
import { packageCore } from "./core.js";
import { bodyLimitOf, coreOptions } from "./core-options.js";
import { EmbeddedDryRun } from "./dry-run.js";
import type { Connection, DryRun, Engine, EngineEvent, EngineOptions, EventQuery } from "./engine.js";
import { eventsOf } from "./events.js";
import { BrokenOff, EngineClosed, EngineDown } from "./failures.js";
import { loadFirstImages } from "./first-images.js";
import { offersOf } from "./host-offers.js";
import { hostWith } from "./host-with.js";
import { InFlight, within } from "./in-flight.js";
import { LocalRequests } from "./local-requests.js";
import type { Entrance } from "./local-requests.js";
import { moving } from "./moving.js";
import { closeWorld, takeHost } from "./own-world.js";
import { derivedSeeds } from "./seeds.js";

/** How long answers under way may take when the engine is closed. */
const GRACE_MS = 500;
/** How long commands of an engine that crashed are waited for. */
const LONGEST_REST_MS = 10_000;

export class EmbeddedEngine implements Engine, Entrance, Door {
  readonly replies = new ReplyRouter();
  readonly bodies = new RequestBodies();
  readonly stdio: Stdio;
  readonly attachments: Attachments;
  readonly bodyLimit: number;
  readonly dryRuns: DryRuns;
  readonly #options: EngineOptions;
  readonly #core: CompiledCore;
  readonly #records: RecordStore;
  readonly #seed: () => Uint8Array;
  readonly #local: LocalRequests;
  readonly #inFlight: InFlight;
  #state: Engine["state"] = "down";
  #driver: Driver | null = null;
  #epoch = 0;
  /** What was read again since; null: the options hold. */
  #settings: engine.Settings | null = null;
  /** The records were empty when they were read first, and the first images are not in yet. */
  #isNew = false;
  #reopening: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: EngineOptions) {
    const { host, seed } = options;
    this.#options = options;
    this.#core = (options.core as CompiledCore | undefined) ?? packageCore();
    this.#records = options.records ?? host.records;
    this.#seed = seed === undefined ? () => host.seed() : derivedSeeds(seed);
    this.stdio = host.replies;
    this.attachments = new Attachments(host.replies, host.timers);
    this.bodyLimit = bodyLimitOf(options);
    this.dryRuns = new DryRuns({
      core: this.#core,
      host: hostWith(host, { records: this.#records }),
      options: coreOptions(options),
      fork: () => this.#driver?.fork() ?? null,
      onEnd: (told) => this.#driver?.onEnd(told) ?? (() => {}),
    });
    this.#local = new LocalRequests(this);
    this.#inFlight = new InFlight(host);
    takeHost(host);
    offersOf(host).onCrash?.(() => this.crash());
  }

  get state(): Engine["state"] {
    return this.#state;
  }

  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (error instanceof CutOff) return;
      // What it cannot close either is of no interest beside the reason.
      await this.close().catch(() => {});
      throw error;
    }
  }

  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    return this.#local.fetch(input, init);
  }

  connect(input: Request | URL | string, init?: RequestInit): Promise<Connection> {
    return this.#local.connect(input, init);
  }

  events(query: EventQuery = {}): AsyncIterableIterator<EngineEvent> {
    return eventsOf((target, init) => this.fetch(target, init), query);
  }

  dryRun(): DryRun {
    return new EmbeddedDryRun(this, this.dryRuns.session());
  }

  rules(): engine.Rule[] {
    return this.#driver?.rules() ?? new Instance(this.#core).rules();
  }

  crash(): void {
    if (this.#driver === null) return;
    this.#driver.cut();
    this.#inFlight.abandon();
    this.#leave(this.#state === "closed" ? "closed" : "down", new BrokenOff());
  }

  /** Says what of its options is to be so from now on, for the instance that runs and for all after it. */
  reload(settings: engine.Settings): void {
    this.#settings = settings;
    this.#driver?.reload(settings);
  }

  async reopen(): Promise<void> {
    if (this.#state === "closed") throw new EngineClosed();
    await (this.#reopening ??= this.#openAgain().finally(() => (this.#reopening = null)));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  // The side of requests.

  requireOpen(): void {
    if (this.#state === "closed") throw new EngineClosed();
    if (this.#state === "down") throw new EngineDown();
  }

  passage(method: string, target: string, headers: string): Promise<Passage> | Passage {
    return this.dryRuns.passage({ listener: "internal", method, target, headers }) ?? straight(this);
  }

  nextRequest(): RequestId {
    return this.#driver?.nextRequest() ?? 0n;
  }

  /** Whoever asks an engine that is not there is cut off. */
  deliver(input: Input): void {
    if (this.#driver !== null && this.#state === "open") this.#driver.deliver(input);
    else if (input.tag === "request") this.replies.perform(input.val.id, { tag: "cut" });
    else this.#driver?.deliver(input);
  }

  async #openAgain(): Promise<void> {
    // Nothing of the life before may go on beside the next one, and undo its work.
    await within(LONGEST_REST_MS, moving(this.#options.host, this.#inFlight.settled()));
    if (this.#driver === null && this.#state === "down") await this.#open();
  }

  async #open(): Promise<void> {
    const driver = Driver.begin(this.#core, this.#driversHost(), this.replies, this.bodies, this.#driverOptions());
    this.#driver = driver;
    try {
      await driver.opened;
    } catch (error) {
      if (this.#driver === driver) this.#driver = null;
      throw error;
    }
    if (this.#driver !== driver || this.#state === "closed") return;
    this.#state = "open";
    await this.#loadFirstImages(driver);
  }

  async #loadFirstImages(driver: Driver): Promise<void> {
    const { firstImages } = offersOf(this.#options.host);
    if (!this.#isNew || firstImages === undefined) return;
    try {
      await moving(this.#options.host, loadFirstImages(firstImages(), this));
      this.#isNew = false;
    } catch (error) {
      if (this.#driver !== driver) throw new CutOff("the engine crashed while it loaded its first images");
      await this.close();
      throw error;
    }
  }

  /** The host as the driver sees it: with this engine's records and seeds, and another listener each time. */
  #driversHost(): Host {
    const { host } = this.#options;
    const records = this.#records;
    return hostWith(host, {
      records: {
        load: async () => {
          const stored = await records.load();
          if (this.#epoch === 0 && stored.length === 0) this.#isNew = true;
          return stored;
        },
        journal: records.journal,
        ...(records.gather && { gather: () => records.gather!() }),
        commit: (changes) => records.commit(changes),
        close: () => records.close(),
      },
      ...this.#inFlight.parts(),
      listen: (happened, bodies) => host.listen(this.attachments.inOrder(happened), bodies),
      seed: this.#seed,
    });
  }

  #driverOptions(): DriverOptions {
    const { host, observer } = this.#options;
    const { outputLeft } = offersOf(host);
    return {
      engine: { ...coreOptions(this.#options), ...this.#settings },
      epoch: this.#epoch,
      lost: () => {},
      fatal: (error) => this.#fatal(error),
      ...(observer && { observer }),
      ...(outputLeft && { left: outputLeft }),
    };
  }

  #fatal(error: unknown): void {
    this.crash();
    const told = this.#options.onFatal ?? ((why) => console.error("coracle-engine: no core can be kept:", why));
    told(error);
  }

  /** No driver any more: whoever waits for it is told. */
  #leave(state: "down" | "closed", error: unknown): void {
    this.#epoch = this.#driver?.epoch ?? this.#epoch;
    this.#driver = null;
    this.#state = state;
    this.#local.failAll(error);
    this.replies.cutAll();
    this.dryRuns.close("the engine is gone");
  }

  async #close(): Promise<void> {
    this.#state = "closed";
    if (this.#driver !== null) await this.#closeDriver(this.#driver);
    this.#leave("closed", new EngineClosed());
    await closeWorld(this.#options.host, this.#records);
  }

  /** All of it has one deadline, by the host's clock and by the platform's: the host's may stand still. */
  async #closeDriver(driver: Driver): Promise<void> {
    const { host } = this.#options;
    const [since, last] = [host.timers.now().monotonic, performance.now() + LONGEST_REST_MS];
    await this.#answered(performance.now() + GRACE_MS);
    this.#local.failAnswered(new EngineClosed());
    const closed = moving(host, driver.close(since));
    if (!(await within(last - performance.now(), closed))) driver.cut();
  }

  /** Resolves when nobody waits for an answer any more, or when it is so late. */
  async #answered(last: number): Promise<void> {
    while (this.#local.waiting && performance.now() < last) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
