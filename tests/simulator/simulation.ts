// Plays a story: clients, a world and its mischief, one engine after the other as they are killed, all through the
// driver of production; and holds the invariants against every step. A step is one input that a core takes in.

import { createHash } from "node:crypto";
import { EmbeddedEngine } from "../../hosts/embedding/embedded-engine.js";
import { moving } from "../../hosts/embedding/moving.js";
import { packageCore } from "../../hosts/embedding/core.js";
import type { Input, Operation, engine, processes } from "../../hosts/host.js";
import { Trap } from "../../hosts/instance.js";
import { type CompiledCore, Instance } from "../../hosts/instance.js";
import type { Attempt, ObservedStep, Observer, Opening } from "../../hosts/observer.js";
import { simulatedHost } from "../../hosts/simulated/host.js";
import type { SimulatedHost } from "../../hosts/simulated/options.js";
import { turn } from "../../hosts/turn.js";
import { Breach } from "./breach.js";
import { Client } from "./clients/client.js";
import type { Listener } from "./clients/connection.js";
import { smallTar } from "./clients/small-tar.js";
import type { Visible } from "./clients/verbs.js";
import { faultOf } from "./faults.js";
import { Events, WATCHER } from "./invariants/events.js";
import { Images } from "./invariants/images.js";
import type { AtRest, Invariant } from "./invariants/invariant.js";
import { Operations } from "./invariants/operations.js";
import { Owners } from "./invariants/owners.js";
import { Promises } from "./invariants/promises.js";
import { Remembered } from "./invariants/remembered.js";
import { Replies } from "./invariants/replies.js";
import { Restarts } from "./invariants/restarts.js";
import { Shadows, digest } from "./invariants/shadows.js";
import { Statuses } from "./invariants/statuses.js";
import { Ledger, wordOf } from "./ledger.js";
import type { Answer, Asked, Fact, Oracle } from "./oracle.js";
import { LiveCore } from "./live.js";
import { ORACLES } from "./oracles.js";
import { job } from "./worlds/job.js";
import { liar } from "./worlds/liar.js";
import { Mischief } from "./worlds/mischief.js";

const MS = 1_000_000n;
const SECOND = 1000n * MS;
/** After so long nothing is waited for any more but what may be waited for for ever. */
const REST = 40n * SECOND;
/** The world runs so many events at most while it comes to rest. */
const REST_EVENTS = 20_000;

export interface SimulationOptions {
  /** Who is asked, by name; all of `oracles.ts` if not given. */
  oracles?: Readonly<Record<string, () => Oracle>>;
  /** The core that decides; the package's own if not given. */
  core?: CompiledCore;
}

export class Simulation implements Observer {
  steps = 0;
  /** How often an engine was killed. */
  crashes = 0;
  readonly #world: SimulatedHost;
  readonly #mischief: Mischief;
  readonly #engineOf: (life: number) => EmbeddedEngine;
  #engine: EmbeddedEngine;
  /** Orderly ends. */
  #ends = 0;
  readonly #ledger = new Ledger();
  readonly #events = new Events();
  readonly #operations = new Operations();
  readonly #promises = new Promises(this.#ledger);
  readonly #remembered: () => engine.Stored[];
  readonly #invariants: readonly Invariant[];
  readonly #oracles: readonly Oracle[];
  readonly #clients = new Map<string, Client>();
  readonly #visible: Visible;
  /** Under way, by operation. */
  readonly #launches = new Map<Operation, processes.Launch>();
  readonly #hash = createHash("sha256");
  #breach: Breach | null = null;
  #requests = 0;
  #isDown = false;
  /** The one that runs has a follower of its events. */
  #isWatched = false;
  #away = 0n;
  #secondCut = 0;

  constructor(seed: number, { oracles = ORACLES, core = packageCore() }: SimulationOptions = {}) {
    this.#world = simulatedHost({ seed, pace: "stopped", programs: { job }, elsewhere: liar });
    this.#mischief = new Mischief(this.#world, seed, {
      failed: (command, container, why) => this.#fact({ kind: "failed", command, container, why }),
      defect: (why) => this.#broken(new Breach("host", why)),
    });
    const replies = new Replies();
    const live = new LiveCore(core);
    this.#remembered = () => live.records();
    this.#invariants = [
      replies,
      new Statuses(new Instance(core).rules()),
      this.#operations,
      // They ask those before them what is under way.
      new Owners(this.#operations, replies),
      new Images(this.#operations),
      this.#events,
      new Shadows(core),
      new Restarts(core),
      new Remembered(),
    ];
    this.#oracles = [this.#promises, ...Object.values(oracles).map((make) => make())];
    this.#engineOf = (life) => {
      const { host } = this.#mischief;
      const onFatal = (error: unknown): void => this.#fatal(error);
      const engine = new EmbeddedEngine({ host, core: live, observer: this, seed: seedBytes(seed, life), onFatal });
      // Others do not know the operations of this one.
      this.#mischief.deliver = (input) => engine.deliver(input);
      return engine;
    };
    this.#engine = this.#engineOf(0);
    this.#visible = {
      ...{ ids: new Map(), execs: [], archive: () => this.#world.firstImages()[0] as Uint8Array, tar: smallTar() },
      now: () => Number(this.#mischief.now().wall / 1_000_000n) / 1000,
    };
  }

  /** Hash of all that the cores asked for so far, in hex. */
  get hash(): string {
    return this.#hash.copy().digest("hex");
  }

  /** Throws a `Breach`. */
  async begin(): Promise<void> {
    await moving(this.#mischief.host, this.#engine.start());
    await this.#opened();
  }

  /** Does a line, and all that it sets off at once. Throws a `Breach`. */
  async do(line: string): Promise<void> {
    const [word = "", ...args] = line.split(" ");
    if (/^(polite|rude|evil)\d/.test(word)) this.#client(word).do(args.join(" "));
    else await this.#happen(word, args);
    await turn();
    await this.#look();
  }

  /** All comes to rest, and is looked at; then everything is removed, and nothing is left. Throws a `Breach`. */
  async end(): Promise<void> {
    await this.#rest();
    for (const client of this.#clients.values()) client.finish();
    await this.#removeAll();
    await this.#rest();
    const left = [...this.#ledger.containers.keys()];
    if (left.length > 0) throw new Breach("owners", `what cannot be removed: ${left.join(", ")}`);
  }

  async close(): Promise<void> {
    this.#engine.crash();
    await this.#world.close();
  }

  // Told by the driver.

  opened(step: ObservedStep, opening: Opening): void {
    this.#ledger.opened(opening.records);
    for (const { container, run, state } of opening.inventory.processes) {
      if (state.tag === "exited") this.#fact({ kind: "exited", container, run, code: state.val.code });
      if (state.tag === "running") this.#fact({ kind: "started", container, run });
    }
    this.#launches.clear();
    this.#seen(step, null, opening);
  }

  stepped(step: ObservedStep, input: Input): void {
    this.steps += 1;
    if (input.tag === "exited") {
      const { container, run, exit } = input.val;
      this.#fact({ kind: "exited", container, run, code: exit.code });
    }
    if (input.tag === "completed") this.#launched(input.val);
    for (const { to, op, command } of step.outputs.effects) {
      if (to === "processes" && command.tag === "launch") this.#launches.set(op, command.val);
    }
    this.#seen(step, input, null);
  }

  #launched({ op, outcome }: engine.Completed): void {
    const launch = this.#launches.get(op);
    this.#launches.delete(op);
    if (launch === undefined || outcome.tag === "err") return;
    this.#fact({ kind: "started", container: launch.container, run: launch.run });
  }

  lost(_epoch: number, error: unknown, during?: Attempt): void {
    if (error instanceof Trap) this.#broken(new Breach("trap", `${error.message}\n${JSON.stringify(during, asText)}`));
    else this.#fact({ kind: "unkept" });
    // Requests that were open are answered without the core.
    this.#hold(() => {
      for (const invariant of this.#invariants) invariant.crashed?.();
    });
    this.#isWatched = false;
  }

  #seen(step: ObservedStep, input: Input | null, opening: Opening | null): void {
    if (this.#breach !== null) return;
    const { outputs } = step;
    this.#hash.update(digest(outputs));
    this.#ledger.apply(outputs.records);
    const notes = step.explain();
    const snapshot = (): Uint8Array => step.snapshot();
    const found = (): engine.Inventory => this.#world.world.found();
    const [remembered, ledger] = [this.#remembered, this.#ledger];
    const seen = { ...step, snapshot, input, opening, notes, found, remembered, ledger, count: this.steps };
    this.#hold(() => {
      for (const invariant of this.#invariants) invariant.stepped?.(seen);
    });
  }

  #hold(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#broken(error);
    }
  }

  #broken(error: unknown): void {
    this.#breach ??= error instanceof Breach ? error : new Breach("simulator", String((error as Error).stack ?? error));
  }

  #fact(fact: Fact): void {
    this.#judge((oracle) => oracle.happened(fact));
  }

  #judge(ask: (oracle: Oracle) => string | null): void {
    if (this.#breach !== null) return;
    this.#hold(() => {
      for (const oracle of this.#oracles) {
        const wrong = ask(oracle);
        if (wrong !== null) throw new Breach("model", wrong);
      }
    });
  }

  #fatal(error: unknown): void {
    if (error instanceof Trap) this.#broken(new Breach("trap", error.message));
  }

  #client(name: string): Client {
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const listener: Listener = {
      answered: ({ asked }, answer) => this.#answered(asked, answer),
      told: ({ asked }, piece) => this.#told(asked, piece),
      ended: ({ asked, broken }) => {
        if (!broken) this.#judge((oracle) => oracle.ended(asked));
      },
    };
    const client = new Client(name, {
      ...{ engine: this.#engine, visible: this.#visible, listener },
      nextNumber: () => (this.#requests += 1),
      asked: (asked) => this.#judge((oracle) => (oracle.asked(asked), null)),
      left: (asked) => this.#judge((oracle) => (oracle.left(asked), null)),
    });
    this.#clients.set(name, client);
    return client;
  }

  #answered(asked: Asked, answer: Answer): void {
    if (asked.client === WATCHER) this.#isWatched = answer.status === 200;
    else this.#judge((oracle) => oracle.answered(asked, answer));
  }

  #told(asked: Asked, piece: string): void {
    if (asked.client === WATCHER) this.#hold(() => this.#events.told(piece));
    else this.#judge((oracle) => oracle.told(asked, piece));
  }

  async #happen(word: string, args: readonly string[]): Promise<void> {
    const [first = "", second = "", third = ""] = args;
    switch (word) {
      case "work":
        for (let left = Number(first); left > 0; left--) await this.#event();
        return;
      case "pass":
        return this.#pass(BigInt(first) * MS);
      case "fault": {
        const { fault, times } = faultOf(args);
        this.#world.faults.inject(fault, times ?? undefined);
        return;
      }
      case "lift":
        return this.#lift();
      case "trick":
        this.#mischief.tricks.push({ how: first as "fail", command: second, left: Number(third) });
        return;
      case "refuse":
        this.#mischief.refusals.push(first as "kept");
        return;
      case "clock":
        this.#mischief.offset += BigInt(first) * SECOND;
        return;
      case "crash":
        return this.#crash(Number(first), BigInt(second || "0") * MS, Number(third || "0"));
      case "restart":
        return this.#restart();
      case "rest":
        return this.#rest();
      default:
        throw new Error(`no such line: ${word}`);
    }
  }

  #crash(afterOutputs: number, away: bigint, second: number): void {
    [this.#away, this.#secondCut] = [away, second];
    this.#world.faults.lift("engine-crash");
    this.#world.faults.inject({ kind: "engine-crash", afterOutputs }, 1);
  }

  /** An orderly end, and another engine on the same world: nobody remembers anything but the records. */
  async #restart(): Promise<void> {
    const { host, hangs } = this.#mischief;
    // What does not end before the engine's process does.
    if (hangs || this.#engine.state !== "open") return this.#crash(0, 0n, 0);
    this.#isDown = true;
    for (const kind of ["engine-crash", "records-full"] as const) this.#world.faults.lift(kind);
    await moving(host, this.#engine.close());
    this.#down();
    this.#clients.clear();
    while (this.#mischief.inFlight > 0 && (await this.#world.timers.step()));
    this.#engine = this.#engineOf((this.#ends += 1));
    await moving(host, this.#engine.start());
    await this.#opened();
    this.#isDown = false;
  }

  #lift(): void {
    for (const { fault } of [...this.#world.faults.set]) this.#world.faults.lift(fault.kind);
    this.#mischief.tricks = [];
    this.#mischief.refusals = [];
  }

  /** One event of the world; false if there is none. */
  async #event(): Promise<boolean> {
    const ran = await this.#world.timers.step();
    await this.#look();
    return ran;
  }

  async #pass(ns: bigint): Promise<void> {
    const until = this.#world.timers.now().monotonic + ns;
    for (let events = 0; ; events++) {
      const { next } = this.#world.timers;
      if (next === null || next > until || events > REST_EVENTS) break;
      await this.#event();
    }
    const left = until - this.#world.timers.now().monotonic;
    if (left > 0n) await this.#world.timers.advance(left);
  }

  /** What was found wrong, and an engine that is gone. */
  async #look(): Promise<void> {
    if (this.#breach !== null) throw this.#breach;
    if (this.#engine.state === "down" && !this.#isDown) await this.#comeBack();
    if (this.#engine.state === "open" && !this.#isWatched) await this.#watch();
  }

  async #watch(): Promise<void> {
    this.#isWatched = true;
    this.#client(WATCHER).do("events");
    await turn();
  }

  #down(): void {
    this.crashes += 1;
    this.#isWatched = false;
    for (const client of this.#clients.values()) client.crashed();
    this.#mischief.crashed();
    this.#hold(() => {
      for (const invariant of this.#invariants) invariant.crashed?.();
    });
    this.#judge((oracle) => (oracle.crashed(), null));
  }

  async #comeBack(): Promise<void> {
    this.#isDown = true;
    this.#down();
    if (this.#away > 0n) await this.#pass(this.#away);
    this.#away = 0n;
    await this.#reopen();
    this.#isDown = false;
    if (this.#breach !== null) throw this.#breach;
  }

  /** It may be killed once more, and its records may be refused. */
  async #reopen(): Promise<void> {
    for (let tries = 0; this.#engine.state === "down"; tries++) {
      if (tries > 10) throw new Breach("restart", "the engine cannot be opened again");
      if (this.#secondCut > 0) this.#crash(this.#secondCut, 0n, 0);
      this.#secondCut = 0;
      try {
        await moving(this.#mischief.host, this.#engine.reopen());
      } catch {
        this.#lift();
        this.#down();
      }
    }
    await this.#opened();
  }

  async #opened(): Promise<void> {
    this.#judge((oracle) => oracle.opened());
    await this.#watch();
  }

  /** Nothing goes wrong any more, and all that is under way comes to its end. */
  async #rest(): Promise<void> {
    this.#lift();
    if (this.#mischief.hangs) this.#crash(0, 0n, 0);
    await turn();
    await this.#look();
    await this.#pass(REST);
    for (let events = 0; this.#isBusy() && events < REST_EVENTS; events++) if (!(await this.#event())) break;
    const found = this.#world.world.found();
    const rest: AtRest = { ledger: this.#ledger, found, inFlight: this.#mischief.inFlight };
    this.#hold(() => {
      for (const invariant of this.#invariants) invariant.rested?.(rest);
      this.#promises.rested(rest);
    });
    this.#judge((oracle) => (oracle === this.#promises ? null : oracle.rested()));
    await this.#look();
  }

  /** One that its policy starts again and again is between two runs now and then. */
  #isBusy(): boolean {
    const statuses = [...this.#ledger.containers.values()].map(wordOf);
    // A probe that is asked for may not have begun.
    const isAsked = this.#mischief.inFlight > 0 || this.#mischief.keeps || this.#operations.underWay > 0;
    return isAsked || statuses.some((status) => status === "recycling" || status === "starting");
  }

  async #removeAll(): Promise<void> {
    const client = this.#client("polite0");
    for (const { id } of this.#ledger.containers.values()) client.do(`remove ${id} force=1&v=1`);
    await turn();
    await this.#look();
  }
}

/** Of each of an engine's lives another one. */
function seedBytes(seed: number, life: number): Uint8Array {
  return new Uint8Array(
    createHash("sha256")
      .update(`engine ${seed}${life === 0 ? "" : ` ${life}`}`)
      .digest(),
  );
}

function asText(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? new TextDecoder().decode(value).slice(0, 2000) : value;
}
