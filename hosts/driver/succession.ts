// The sequence of the core's instances: how each is opened, what happens when one is lost, and how the next one starts.

import { bytesToHex } from "@noble/hashes/utils.js";
import type { Alarms } from "./alarms.js";
import type { engine } from "../shared/index.js";
import type { Inbox } from "./inbox.js";
import { Trap } from "./instance.js";
import { Life, NotKept, OpeningRefused } from "./life.js";
import type { Fork, Lent } from "./life.js";
import { endedIn } from "../request/index.js";
import { type Setbacks, SOON_NS } from "./instance-retry.js";
import type { TrapLimit } from "./trap-limit.js";

export interface SuccessionNeeds {
  lent: Lent;
  inbox: Inbox;
  alarms: Alarms;
  setbacks: Setbacks;
  traps: TrapLimit;
  options: () => Omit<engine.Options, "epoch">;
  /** An instance is there and takes inputs. */
  ready: () => void;
  /** See `DriverOptions`. */
  lost: (error: unknown, incident: string | null) => void;
  fatal: (error: unknown) => void;
}

/** The driver was ended by `cut` before it had opened. */
export class CutOff extends Error {}

/** Running launches are usually over by then. Those that take longer are aborted. */
const PATIENCE_NS = 500_000_000n;
/** How long to wait for commands in flight before the next instance: one that runs beside it would undo its work. */
const LONGEST_REST_NS = 60_000_000_000n;
const INCIDENT_BYTES = 6;
/** The limit for the end, counted from its request. Commands in flight then end along with the process. */
export const LONGEST_CLOSE_NS = 10_000_000_000n;
/** Until then the instance gets the results of its commands, so that it can undo what it would not finish. */
const LONGEST_END_NS = 6_000_000_000n;
/** Until then requests that can be answered are answered. */
const LONGEST_ANSWER_NS = 4_000_000_000n;
/** Until then launches may take: an aborted one must also be undone. */
const LONGEST_START_NS = 2_000_000_000n;

export class Succession {
  readonly #needs: SuccessionNeeds;
  /** Instances whose outputs may still leave. */
  readonly #lives = new Set<Life>();
  readonly #cutting: Promise<void>;
  #endAll: () => void = () => {};
  #life: Life | null = null;
  #epoch: number;
  #opened: Promise<void> = Promise.resolve();
  #replacing: Promise<void> | null = null;
  #closed = false;
  /** The driver is being closed, and the instance still gets results. */
  #ending = false;
  #cutOff = false;

  /** `epoch`: of the last instance before. */
  constructor(epoch: number, needs: SuccessionNeeds) {
    this.#epoch = epoch;
    this.#needs = needs;
    this.#cutting = new Promise((resolve) => (this.#endAll = resolve));
  }

  /** The instance that takes inputs; null while there is none. */
  get life(): Life | null {
    return this.#life;
  }

  /** Number of the newest instance. */
  get epoch(): number {
    return this.#epoch;
  }

  /** No requests are accepted any more. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** The driver is being closed and still accepts other inputs. */
  get isEnding(): boolean {
    return this.#ending;
  }

  /** No more outputs leave. */
  get isCutOff(): boolean {
    return this.#cutOff;
  }

  /** Opens the first instance. See `Driver.opened`. */
  begin(): Promise<void> {
    return (this.#opened = this.#orCutOff(this.#openFirst()));
  }

  /** Instead of `begin`: the first instance continues from a fork. Throws `Trap`. */
  resume(fork: Fork): void {
    const life = new Life(fork.epoch, this.#needs.lent);
    life.resume(fork);
    this.#lives.add(life);
    this.#life = life;
  }

  /** The instance has trapped. */
  trapped(error: unknown): void {
    this.#needs.traps.trapped();
    this.lose(error);
  }

  /** The instance takes no more inputs: another one replaces it. */
  lose(error: unknown): void {
    const life = this.#life;
    if (life === null) return;
    this.#life = null;
    life.lost(error);
    this.#replacing = this.#replace(life, error);
  }

  /** See `Driver.close`. `hangUp`: tells the instance that the clients are gone. */
  async close(since: bigint, hangUp: () => void): Promise<void> {
    this.#ending = !this.#closed;
    this.#closed = true;
    this.#needs.setbacks.endPause();
    await Promise.race([this.#by(since + LONGEST_CLOSE_NS, this.#rest(since, hangUp)), this.#cutting]);
  }

  /** See `Driver.cut`. */
  cut(): void {
    this.#cutOff = this.#closed = true;
    this.#ending = false;
    this.#life = null;
    this.#needs.alarms.callOff();
    for (const life of this.#lives) life.cut(new CutOff("the engine was cut off"));
    this.#lives.clear();
    this.#endAll();
  }

  async #rest(since: bigint, hangUp: () => void): Promise<void> {
    // An instance that is being opened would otherwise still write records.
    await this.#opened.catch(() => {});
    await this.#replacing;
    if (this.#life !== null) await this.#ended(this.#life, since, hangUp);
    this.#ending = false;
    const life = this.#life;
    this.#life = null;
    await life?.settled();
    await life?.discard();
  }

  async #ended(life: Life, since: bigint, hangUp: () => void): Promise<void> {
    const late = this.#needs.alarms.at(since + LONGEST_START_NS, () => life.giveUp());
    await this.#by(since + LONGEST_ANSWER_NS, life.rest());
    hangUp();
    await this.#by(since + LONGEST_END_NS, life.rest());
    late();
  }

  /** Whether something ends before a monotonic time. */
  #by(time: bigint, ended: Promise<void>): Promise<boolean> {
    return this.#needs.alarms.within(time - this.#needs.lent.host.timers.now().monotonic, ended);
  }

  async #replace(life: Life, error: unknown): Promise<void> {
    const incident = this.#tell(error);
    const onTime = this.#after(SOON_NS, () => this.#refuse(error));
    if (await this.#rested(life, error, incident)) {
      this.#lives.delete(life);
      this.#needs.inbox.keepForNext();
      await this.#openNext(error);
    }
    onTime();
  }

  /**
   * Steps before the lost one still leave. Then waiting clients are told. Then running operations come to their end.
   */
  async #rested(life: Life, error: unknown, incident: string | null): Promise<boolean> {
    await life.settled();
    if (this.#cutOff) return false;
    const named = incident === null ? "" : ` (incident ${incident})`;
    const { requests, replies } = this.#needs.lent;
    requests.abandon(replies, `the engine had to restart: ${messageOf(error)}${named}`);
    const soon = this.#after(PATIENCE_NS, () => life.giveUp());
    const hasEnded = await this.#needs.alarms.within(LONGEST_REST_NS, life.discard());
    soon();
    if (hasEnded) return true;
    if (!this.#closed) this.#needs.fatal(new Error(`commands do not end: ${life.restless.join(", ")}`));
    return false;
  }

  /** Returns a function that cancels it. */
  #after(ns: bigint, late: () => void): () => void {
    const { alarms, lent } = this.#needs;
    return alarms.at(lent.host.timers.now().monotonic + ns, late);
  }

  #refuse(error: unknown): void {
    this.#needs.inbox.refuse(`the engine cannot continue right now: ${messageOf(error)}`);
  }

  /** Opens instances until one lives. Only traps are counted: a disk may be full for hours. */
  async #openNext(error: unknown): Promise<void> {
    while (!this.#closed) {
      if (!(error instanceof Trap)) await this.#pause(error);
      if (this.#closed) return;
      if (this.#needs.traps.isReached) return this.#needs.fatal(error);
      try {
        return await this.#open();
      } catch (thrown) {
        if (this.#cutOff) return;
        if (thrown instanceof OpeningRefused) return this.#needs.fatal(thrown);
        error = thrown;
        if (thrown instanceof Trap) this.#needs.traps.trapped();
        this.#tell(error);
      }
    }
  }

  /** Something is wrong with the machine, usually a full disk. Requests do not wait until that changes. */
  async #pause(error: unknown): Promise<void> {
    this.#refuse(error);
    await this.#needs.setbacks.pause();
  }

  /** Reports a loss. Returns the incident's name, which answers that fail because of it can mention. */
  #tell(error: unknown): string | null {
    const { host } = this.#needs.lent;
    const incident = error instanceof Trap ? bytesToHex(host.seed().subarray(0, INCIDENT_BYTES)) : null;
    this.#needs.lost(error, incident);
    return incident;
  }

  async #openFirst(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (this.#cutOff || !(error instanceof NotKept || error instanceof Trap)) throw error;
      if (error instanceof Trap) this.#needs.traps.trapped();
      this.#tell(error);
      if (this.#needs.traps.isReached) throw error;
      if (error instanceof Trap) return this.#openFirst();
      this.#replacing = this.#openNext(error);
    }
  }

  async #open(): Promise<void> {
    const { host, replies, requests } = this.#needs.lent;
    const [records, journal] = [await host.records.load(), await host.records.journal.end()];
    const life = new Life(++this.#epoch, this.#needs.lent);
    // Checked before the inventory is taken, because the inventory removes leftovers of a crash.
    const options = { ...this.#needs.options(), epoch: life.epoch };
    life.check(options, records);
    const inventory = await host.inventory();
    if (this.#cutOff) return;
    this.#lives.add(life);
    try {
      await life.open(host.timers.now(), { options, seed: host.seed(), records, journal, inventory });
    } catch (error) {
      this.#lives.delete(life);
      life.lost(error);
      throw error;
    }
    this.#needs.inbox.admit();
    requests.endOrphans(replies, endedIn(inventory));
    if (this.#cutOff) return;
    this.#life = life;
    this.#replacing = null;
    this.#needs.ready();
  }

  async #orCutOff(begun: Promise<void>): Promise<void> {
    await Promise.race([begun, this.#cutting]);
    if (this.#cutOff) throw new CutOff("the engine was cut off while it was opened");
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
