// A host that only just fulfils its contracts. Commands take time, end in any order that the contracts allow, and
// fail. Completions are lost until the engine dies, or come twice. Transactions are slow, fail, or are committed but
// reported as failed. The time of day jumps.

import { FULL_DISK } from "../../support/registry/registry-failures.js";
import { HostFailure, interrupted } from "../../../hosts/shared/failure.js";
import { hostWith } from "../../../hosts/engine/host-with.js";
import type {
  Host,
  Input,
  Operation,
  Outcome,
  Perform,
  RecordChange,
  RecordStore,
  engine,
  networks,
} from "../../../hosts/shared/host.js";
import { subjectOf } from "../../../hosts/driver/order.js";
import type { HostEffect } from "../../../hosts/shared/outputs.js";
import type { SimulatedHost } from "../../../hosts/simulated/options.js";
import { Draw } from "../random.js";
import { breaking } from "./breaking.js";
import { MachineClock } from "./clock.js";
import { Coming } from "./coming.js";
import { Disk } from "./disk.js";
import { failureFor } from "./failing.js";
import { HeldPorts } from "./ports.js";
import { Reading } from "./reading.js";
import { Stamps } from "./stamps.js";
import type { Trick } from "./trick.js";

type Interface = "processes" | "content" | "networks" | "volumes";
type Command = { tag: string; val?: unknown };

export interface MischiefWatcher {
  failed(command: string, container: string | null, why: string): void;
  /** A defect: a host must not do this. */
  defect(why: string): void;
}

/** In most stories, commands take no longer than the world itself needs. */
const LONGEST_DELAYS_MS = [0, 0, 0, 0, 1, 5, 20, 60, 300];
const SLOW_MS = 20_000;
const MS = 1_000_000n;

export class Mischief {
  readonly host: Host;
  /** Delivers repeated completions and ends. The owner of the driver sets it. */
  deliver: (input: Input) => void = () => {};
  tricks: Trick[] = [];
  readonly clock: MachineClock;
  readonly #stamps: Stamps;
  /** How the next transactions fail, one after the other. */
  refusals: ("unkept" | "kept")[] = [];
  readonly ports = new HeldPorts();
  readonly reading = new Reading(() => this.#delay(true));
  readonly disk: Disk;
  readonly #world: SimulatedHost;
  readonly #watcher: MischiefWatcher;
  readonly #draw: Draw;
  /** The longest delay of completions in this story. */
  readonly #longestMs: number;
  readonly #coming = new Coming();
  #inFlight = 0;
  /** Subjects of this engine's running commands. A subject has one command at a time. */
  #busy = new Set<string | null>();
  #keeping = 0;
  /** Functions that end waits when the engine's process ends. */
  readonly #waiting = new Set<() => void>();
  #lost = 0;
  /** Number of engines that are gone. */
  #lives = 0;

  constructor(world: SimulatedHost, seed: number, watcher: MischiefWatcher) {
    this.#world = world;
    // The world only says whether the disk has room.
    this.disk = new Disk(() => world.records.commit([]));
    this.clock = new MachineClock(world.timers);
    this.#stamps = new Stamps(this.clock);
    this.#watcher = watcher;
    this.#draw = new Draw(seed, "mischief");
    this.#longestMs = this.#draw.one(LONGEST_DELAYS_MS);
    this.host = hostWith(world, {
      timers: this.clock,
      records: this.#records(),
      processes: this.#perform("processes"),
      content: this.#perform("content"),
      networks: this.#perform("networks"),
      volumes: this.#perform("volumes"),
      replies: breaking(world.replies, () => this.#trickOn("source")?.how, this.#coming),
      inventory: () => this.reading.of("inventory", async () => this.#stamps.inventory(await world.inventory())),
      // The world stays open for the next engine.
      close: async () => {},
      listen: (happened, bodies) =>
        world.listen((input) => this.#happened(this.#stamps.input(input), happened), bodies),
    });
  }

  /** The machine's inventory. */
  found(): engine.Inventory {
    return this.#stamps.inventory(this.#world.world.found());
  }

  /** Number of running commands. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether transactions are pending, so that the outputs of their steps have not left. */
  get keeps(): boolean {
    return this.#keeping > 0;
  }

  /** Whether some commands will not end before the engine does. */
  get hangs(): boolean {
    return this.#lost > 0;
  }

  /** The engine's process is gone, and its waits end. */
  crashed(): void {
    for (const end of [...this.#waiting]) end();
    this.refusals = [];
    this.#busy = new Set();
    this.#lives += 1;
    this.#lost = 0;
  }

  #perform<Of extends Command>(to: Interface): Perform<Of> {
    const perform = this.#world[to] as unknown as Perform<Of>;
    return async (op, command, report) => {
      if (this.reading.isCutShort) this.#watcher.defect(`${to} ${command.tag} by one that has not read all`);
      this.#inFlight += 1;
      const subject = subjectOf({ to, op, command } as HostEffect);
      const busy = this.#busy;
      if (busy.has(subject)) this.#watcher.defect(`${to} ${command.tag} while ${subject} is busy`);
      if (subject !== null) busy.add(subject);
      const known = this.#coming.asked(command);
      try {
        return await this.#carryOut(to, op, command, () =>
          this.#around(to, command, () => {
            const done = perform(op, command, report);
            known();
            return done;
          }),
        );
      } catch (error) {
        this.#told(to, command, error);
        throw error;
      } finally {
        known();
        busy.delete(subject);
        this.#inFlight -= 1;
      }
    };
  }

  #around(to: Interface, command: Command, act: () => Promise<Outcome>): Promise<Outcome> {
    return to === "networks" ? this.ports.around(command as networks.NetworkCommand, act) : act();
  }

  async #carryOut(to: Interface, op: Operation, command: Command, act: () => Promise<Outcome>): Promise<Outcome> {
    const { how: trick, kind } = this.#trickOn(command.tag) ?? {};
    // Counts from now on, before the command is done: code that waits for rest must know.
    if (trick === "lose") this.#lost += 1;
    const lives = this.#lives;
    await this.#delay(trick === "slow");
    if (trick === "fail") throw failureFor(command, kind);
    const outcome = this.#stamps.outcome(command, await act());
    // A finished command may be reported as failed if it is harmless to repeat or undo it.
    if (trick === "fail-late" && to !== "processes" && command.tag !== "layer") throw failureFor(command);
    // If its engine is already gone, nothing would end the wait.
    if (trick === "lose" && lives !== this.#lives) throw interrupted("engine-gone");
    if (trick === "lose") return this.#wait(() => {}) as Promise<never>;
    await this.#delay(false);
    if (trick === "twice") this.#again({ tag: "completed", val: { op, outcome: { tag: "ok", val: outcome } } });
    return outcome;
  }

  #told(to: Interface, command: Command, error: unknown): void {
    if (!(error instanceof HostFailure)) {
      this.#watcher.defect(`${to} ${command.tag}: ${error instanceof Error ? error.stack : String(error)}`);
    }
    this.#watcher.failed(`${to} ${command.tag}`, containerOf(command), String(error));
  }

  #happened(input: Input, happened: (input: Input) => void): void {
    happened(input);
    if (this.#trickOn(input.tag)?.how === "twice") this.#again(input);
  }

  #trickOn(command: string): Trick | null {
    const trick = this.tricks.find((one) => one.command === command || one.command === "any");
    if (trick === undefined) return null;
    trick.left -= 1;
    if (trick.left <= 0) this.tricks = this.tricks.filter((one) => one !== trick);
    return trick;
  }

  #again(input: Input): void {
    const { deliver } = this;
    this.#after(BigInt(this.#draw.below(50)) * MS, () => deliver(input));
  }

  async #delay(slow: boolean): Promise<void> {
    const most = slow ? SLOW_MS : this.#longestMs;
    const ms = most === 0 || (!slow && !this.#draw.onceIn(3)) ? 0 : this.#draw.below(most + 1);
    if (ms > 0) await this.#wait((over) => this.#after(BigInt(ms) * MS, over));
  }

  /** Waits until `over` is called. Rejects when the engine ends, so that a command that has not begun never does. */
  #wait(begin: (over: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(end);
        reject(interrupted("engine-gone"));
      };
      this.#waiting.add(end);
      begin(() => {
        this.#waiting.delete(end);
        resolve();
      });
    });
  }

  #after(ns: bigint, act: () => void): void {
    this.#world.timers.at(this.#world.timers.now().monotonic + ns, act);
  }

  #records(): RecordStore {
    const records = this.disk;
    return {
      load: () => this.reading.of("records", () => records.load()),
      journal: {
        end: () => this.reading.of("journal", () => records.journal.end()),
        read: (reading) => this.reading.of("page", () => records.journal.read(reading)),
      },
      close: () => records.close(),
      commit: async (commands) => {
        this.#keeping += 1;
        await this.#commit(records, commands).finally(() => (this.#keeping -= 1));
      },
    };
  }

  async #commit(records: RecordStore, commands: RecordChange[]): Promise<void> {
    await this.#delay(this.#trickOn("flush")?.how === "slow");
    const refusal = this.refusals.shift();
    if (refusal !== "unkept") await records.commit(commands);
    if (refusal !== undefined) throw new HostFailure(FULL_DISK);
    await this.#delay(false);
  }
}

/** The container that a command is about, or null. */
function containerOf({ val }: Command): string | null {
  if (typeof val === "string") return /^[0-9a-f]{64}$/.test(val) ? val : null;
  const { container, subject, into } = (val ?? {}) as {
    container?: string;
    subject?: { container: string };
    into?: { view: { container: string } };
  };
  return container ?? subject?.container ?? into?.view.container ?? null;
}
