// The life of an engine in another program: opened, cut off, opened again, closed.

import { bodyOf } from "../request/index.js";
import { CutOff } from "../driver/index.js";
import type { CompiledCore, Driver } from "../driver/index.js";
import { AssembledEngine, BrokenOff, EngineClosed, hostWith, loadImage, offersOf, within } from "../engine/index.js";
import type { Connection, DryRun } from "../engine/index.js";
import type { PortConnection, RecordStore, engine } from "../shared/index.js";
import { packageCore } from "./core.js";
import { coreOptionsOf } from "./core-options.js";
import type { Engine, EngineEvent, EngineOptions, EventQuery } from "./engine.js";
import { eventsOf } from "./events.js";
import { InFlight } from "./in-flight.js";
import { moving } from "./moving.js";
import { closeWorld, takeHost } from "./own-world.js";
import { derivedSeeds } from "./seeds.js";

/** Of published ports. */
type Protocol = "tcp" | "udp";

/** How long to wait for commands of an engine that crashed. */
const LONGEST_REST_MS = 10_000;

export class EmbeddedEngine implements Engine {
  readonly assembled: AssembledEngine;
  readonly #options: EngineOptions;
  readonly #records: RecordStore;
  readonly #inFlight: InFlight;
  /** The records were empty at the first reading, and the first images are not loaded yet. */
  #isNew = false;
  #isRead = false;
  #reopening: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: EngineOptions) {
    const { host } = options;
    this.#options = options;
    this.#records = options.records ?? host.records;
    this.#inFlight = new InFlight(host);
    this.assembled = this.#assemble();
    takeHost(host);
    offersOf(host).onCrash?.(() => this.crash());
  }

  get state(): Engine["state"] {
    return this.assembled.state;
  }

  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (error instanceof CutOff) return;
      // The reason matters more than an error of `close`.
      await this.close().catch(() => {});
      throw error;
    }
  }

  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    return this.assembled.fetch(input, init);
  }

  connect(input: Request | URL | string, init?: RequestInit): Promise<Connection>;
  connect(port: number, protocol?: Protocol): Promise<PortConnection>;
  connect(to: Request | URL | string | number, how?: RequestInit | Protocol): Promise<Connection | PortConnection> {
    if (typeof to === "number") return this.#dial(to, how === "udp" ? "udp" : "tcp");
    return this.assembled.connect(to, typeof how === "string" ? {} : how);
  }

  events(query: EventQuery = {}): AsyncIterableIterator<EngineEvent> {
    return eventsOf((target, init) => this.fetch(target, init), query);
  }

  dryRun(): DryRun {
    return this.assembled.dryRun();
  }

  rules(): engine.Rule[] {
    return this.assembled.rules();
  }

  crash(): void {
    if (this.assembled.driver === null) return;
    this.assembled.cut(new BrokenOff());
    this.#inFlight.abandon();
  }

  async reopen(): Promise<void> {
    if (this.state === "closed") throw new EngineClosed();
    await (this.#reopening ??= this.#openAgain().finally(() => (this.#reopening = null)));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #dial(port: number, protocol: Protocol): Promise<PortConnection> {
    const offers = offersOf(this.#options.host);
    const dial = protocol === "udp" ? offers.dialDatagrams : offers.dial;
    if (dial === undefined) throw new Error("published ports of this host are real: connect to them with a socket");
    if (this.#isClosed()) throw new EngineClosed();
    try {
      return await dial(port);
    } catch (error) {
      throw this.#isClosed() ? new EngineClosed() : error;
    }
  }

  #isClosed(): boolean {
    return this.state === "closed";
  }

  #assemble(): AssembledEngine {
    const { host, core, observer } = this.#options;
    const { outputLeft } = offersOf(host);
    return new AssembledEngine({
      core: (core as CompiledCore | undefined) ?? packageCore(),
      host: hostWith(host, { records: this.#records }),
      forDriver: this.#driversParts(),
      options: () => coreOptionsOf(this.#options),
      lost: () => {},
      fatal: (error) => this.#fatal(error),
      waitFor: (pending) => moving(host, pending),
      ...(observer && { observers: [observer] }),
      ...(outputLeft && { left: outputLeft }),
    });
  }

  /** The host with this engine's seeds. It also watches commands, and whether the engine is new. */
  #driversParts(): Parameters<typeof hostWith>[1] {
    const { host, seed } = this.#options;
    const records = this.#records;
    return {
      records: {
        load: async () => {
          const stored = await records.load();
          if (!this.#isRead) this.#isNew = stored.length === 0;
          this.#isRead = true;
          return stored;
        },
        journal: records.journal,
        ...(records.gather && { gather: () => records.gather!() }),
        commit: (changes) => records.commit(changes),
        close: () => records.close(),
      },
      ...this.#inFlight.parts(),
      seed: seed === undefined ? () => host.seed() : derivedSeeds(seed),
    };
  }

  async #openAgain(): Promise<void> {
    // Commands of the previous life must not run beside the next one and undo its work.
    await within(LONGEST_REST_MS, moving(this.#options.host, this.#inFlight.settled()));
    if (this.assembled.driver === null && this.state === "down") await this.#open();
  }

  async #open(): Promise<void> {
    if (await this.assembled.open()) await this.#loadFirstImages(this.assembled.driver);
  }

  async #loadFirstImages(driver: Driver | null): Promise<void> {
    const { host } = this.#options;
    const { firstImages } = offersOf(host);
    if (!this.#isNew || firstImages === undefined) return;
    try {
      await moving(host, this.#load(firstImages()));
      this.#isNew = false;
    } catch (error) {
      if (this.assembled.driver !== driver) throw new CutOff("the engine crashed while it loaded its first images");
      await this.close();
      throw error;
    }
  }

  async #load(archives: readonly Uint8Array[]): Promise<void> {
    for (const archive of archives) {
      const refused = await loadImage(bodyOf(archive), this.assembled);
      if (refused !== null) throw new Error(`a first image cannot be loaded: ${refused.text}`);
    }
  }

  #fatal(error: unknown): void {
    this.crash();
    const told = this.#options.onFatal ?? ((why) => console.error("coracle-engine: no core can be kept:", why));
    told(error);
  }

  async #close(): Promise<void> {
    await this.assembled.close();
    await closeWorld(this.#options.host, this.#records);
  }
}
