// The lives of a story's engine. It is opened, killed and opened again in the same world, or closed properly and
// replaced by another one. All of them use the production driver.

import { createHash } from "node:crypto";
import { EmbeddedEngine } from "../../hosts/embedding/embedded-engine.js";
import { moving } from "../../hosts/embedding/moving.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { Trap } from "../../hosts/driver/instance.js";
import type { Observer } from "../../hosts/driver/observer.js";
import { turn } from "../../hosts/shared/turn.js";
import type { engine } from "../../hosts/shared/host.js";
import { Breach } from "./breach.js";
import type { Clients } from "./clients/clients.js";
import type { Judges } from "./judges.js";
import type { Course } from "./worlds/course.js";
import { settingsOf } from "./worlds/settings.js";

export interface LivesNeeds {
  seed: number;
  core: CompiledCore;
  course: Course;
  judges: Judges;
  observer: Observer;
  clients: Clients;
}

/** A planned crash. */
interface Cut {
  /** Outputs that leave before it. */
  afterOutputs: number;
  /** How long the engine stays down. */
  awayNs: bigint;
  /** The number of outputs of its restart after which it is killed again, or 0 for never. */
  second: number;
}

const AT_ONCE: Cut = { afterOutputs: 0, awayNs: 0n, second: 0 };

/** Of so many machines, one has a default network with IPv6. */
const WITH_IPV6 = 4;

/** The most attempts to open an engine again. From the second one on, no fault is set. */
const MOST_TRIES = 10;

export class Lives {
  engine: EmbeddedEngine;
  /** How often an engine was killed. */
  crashes = 0;
  /** The settings that the engine got last, or null if it has got none. */
  settings: engine.Settings | null = null;
  readonly #needs: LivesNeeds;
  /** Number of proper shutdowns. */
  #ends = 0;
  #isDown = false;
  #away = 0n;
  #secondCut = 0;

  constructor(needs: LivesNeeds) {
    this.#needs = needs;
    this.engine = this.#engineOf(0);
  }

  async begin(): Promise<void> {
    this.#offer(this.#needs.course.machine.runtimes[0]?.name ?? "");
    await moving(this.#needs.course.mischief.host, this.engine.start());
    await this.#opened();
  }

  crash({ afterOutputs, awayNs, second }: Cut = AT_ONCE): void {
    const { faults } = this.#needs.course.machine;
    [this.#away, this.#secondCut] = [awayNs, second];
    faults.lift("engine-crash");
    faults.inject({ kind: "engine-crash", afterOutputs }, 1);
  }

  /** Reboots the machine, which ends the engine and all processes. `awayNs`: until the machine is up again. */
  reboot(awayNs: bigint): void {
    const { course } = this.#needs;
    [this.#away, this.#secondCut] = [awayNs, 0];
    course.machine.faults.lift("engine-crash");
    course.reboot();
  }

  /** Cuts the power. The last `transactions` transactions are lost, although the disk had confirmed them. */
  losePower(transactions: number, awayNs: bigint): void {
    this.reboot(awayNs);
    this.#needs.course.mischief.disk.lose(transactions);
  }

  /** Reloads the configuration with these settings. */
  reload(number: number): void {
    this.settings = settingsOf(number, this.#needs.course.machine);
    this.engine.assembled.reload(this.settings);
    this.#offer(this.settings.defaultRuntime);
  }

  /** `usual`: the default runtime. */
  #offer(usual: string): void {
    const runtimes = this.#needs.course.machine.runtimes.map(({ name }) => name);
    this.#needs.judges.fact({ kind: "offers", runtimes, usual });
  }

  /** Closes the engine properly, and opens another one in the same world. Only the records survive. */
  async restart(): Promise<void> {
    const { mischief, machine } = this.#needs.course;
    // A pending operation that only ends with the engine's process.
    if (mischief.hangs || this.engine.state !== "open") return this.crash();
    this.#isDown = true;
    for (const kind of ["engine-crash", "records-full"] as const) machine.faults.lift(kind);
    await moving(mischief.host, this.engine.close());
    this.#down();
    this.#needs.clients.clear();
    while (mischief.inFlight > 0 && (await machine.timers.step()));
    await this.#startAnew();
    await this.#opened();
    this.#isDown = false;
  }

  /** Starts an engine. If it cannot read its records, it ends and is started again. */
  async #startAnew(): Promise<void> {
    const { course } = this.#needs;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      this.engine = this.#engineOf((this.#ends += 1));
      try {
        return await moving(course.mischief.host, this.engine.start());
      } catch {
        course.lift();
      }
    }
    throw new Breach("restart", "the engine cannot be started again");
  }

  /** Brings the engine back if it is down. Throws a `Breach` if one was found. */
  async look(): Promise<void> {
    this.#demand();
    if (this.engine.state === "down" && !this.#isDown) await this.#comeBack();
    if (this.engine.state === "open" && !this.#needs.clients.isWatched) await this.#watch();
  }

  #demand(): void {
    const { breach } = this.#needs.judges;
    if (breach !== null) throw breach;
  }

  #engineOf(life: number): EmbeddedEngine {
    const { seed, core, course, observer, judges } = this.#needs;
    const onFatal = (error: unknown): void => {
      if (error instanceof Trap) judges.broken(new Breach("trap", error.message));
    };
    const { mischief } = course;
    const networks = seed % WITH_IPV6 === 0 ? { bridgeIpv6: true } : {};
    const options = { host: mischief.host, core, observer, networks, seed: seedBytes(seed, life), onFatal };
    const engine = new EmbeddedEngine(options);
    // Completions go to this engine. The next one does not know its operations.
    mischief.deliver = (input) => engine.assembled.deliver(input);
    if (this.settings !== null) engine.assembled.reload(this.settings);
    return engine;
  }

  async #watch(): Promise<void> {
    this.#needs.clients.watch();
    await turn();
  }

  #down(): void {
    const { clients, course, judges } = this.#needs;
    this.crashes += 1;
    clients.crashed();
    course.mischief.crashed();
    judges.crashed();
  }

  async #comeBack(): Promise<void> {
    this.#isDown = true;
    this.#down();
    if (this.#away > 0n) await this.#needs.course.pass(this.#away);
    this.#away = 0n;
    await this.#reopen();
    this.#isDown = false;
    this.#demand();
  }

  /** Opens the engine again. It may be killed once more, or fail to read its records. */
  async #reopen(): Promise<void> {
    const { course } = this.#needs;
    for (let tries = 0; this.engine.state === "down"; tries++) {
      if (tries > MOST_TRIES) throw new Breach("restart", "the engine cannot be opened again");
      if (this.#secondCut > 0) this.crash({ ...AT_ONCE, afterOutputs: this.#secondCut });
      this.#secondCut = 0;
      try {
        await moving(course.mischief.host, this.engine.reopen());
      } catch {
        course.lift();
        this.#down();
      }
    }
    await this.#opened();
  }

  async #opened(): Promise<void> {
    this.#needs.judges.judge((oracle) => oracle.opened());
    await this.#watch();
  }
}

/** Another seed for each of an engine's lives. */
function seedBytes(seed: number, life: number): Uint8Array {
  return new Uint8Array(
    createHash("sha256")
      .update(`engine ${seed}${life === 0 ? "" : ` ${life}`}`)
      .digest(),
  );
}
