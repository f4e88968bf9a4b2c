// Plays a story: clients, a world and its mischief, and one engine after the other as they are killed. It checks the
// invariants after every step. A step is one input of a core.

import { packageCore } from "../../hosts/embedding/core.js";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import type { Observer } from "../../hosts/driver/observer.js";
import { turn } from "../../hosts/shared/turn.js";
import { Breach } from "./breach.js";
import { Acquaintances } from "./clients/acquaintances.js";
import { Clients } from "./clients/clients.js";
import { clashingTar, smallTar } from "./clients/small-tar.js";
import type { Visible } from "./clients/verb.js";
import type { OutputCounts } from "./forks/output-counts.js";
import { SET_ASIDE } from "./invariants/spared.js";
import { Judges } from "./judges.js";
import { wordOf } from "./ledger.js";
import { LiveCore } from "./live.js";
import { Lives } from "./lives.js";
import type { Oracle } from "./oracle.js";
import { ORACLES } from "./oracles.js";
import { Course, REST_EVENTS } from "./worlds/course.js";
import type { Visits } from "./visits/visits.js";
import type { Trick } from "./worlds/trick.js";

const MS = 1_000_000n;
const SECOND = 1000n * MS;
/** After this time, only waits that may last forever are left. */
const REST = 40n * SECOND;
/** Twice this time is longer than the engine remembers execs. It looks for ended ones every five minutes. */
const SLEEP = 400n * SECOND;

/** The simulated machine's own, beside those of its networks. */
const addressOf = (family: 4 | 6): string => (family === 4 ? "192.0.2.10" : "2001:db8::10");

export interface SimulationOptions {
  /** The oracles, by name. The default is all of `oracles.ts`. */
  oracles?: Readonly<Record<string, () => Oracle>>;
  /** The core. The default is the package's own. */
  core?: CompiledCore;
  /** Whether copies of the engine are checked, too (forks, twins). The default is true. */
  copies?: boolean;
  /** Counts the cases of the boundary and the statuses that the story visits. */
  visits?: Visits;
}

export class Simulation {
  readonly #course: Course;
  readonly #judges: Judges;
  readonly #clients: Clients;
  readonly #lives: Lives;

  constructor(
    seed: number,
    { oracles = ORACLES, core = packageCore(), copies = true, visits }: SimulationOptions = {},
  ) {
    const live = new LiveCore(core);
    const course = new Course(
      seed,
      {
        failed: (command, container, why) => judges.fact({ kind: "failed", command, container, why }),
        defect: (why) => judges.broken(new Breach("host", why)),
      },
      () => this.#lives.look(),
    );
    const judges = new Judges({
      ...{ seed, core, copies, oracles: Object.values(oracles).map((make) => make()) },
      found: () => course.mischief.found(),
      held: course.machine.world,
      settings: () => this.#lives.settings,
      pushed: (path) => course.taker.repository(path),
      isHeld: (port) => course.mischief.ports.has(port),
      journal: (position) => course.journal(position),
      spoilt: () => course.mischief.disk.opened(),
      remembered: () => live.records(),
    });
    const clients = new Clients(() => this.#lives.engine.assembled, judges, visibleIn(course));
    const observer: Observer = {
      opened: (step, opening) => {
        visits?.seen(step, null, opening);
        judges.opened(step, opening);
      },
      stepped: (step, input) => {
        visits?.seen(step, input, null);
        judges.stepped(step, input);
      },
      lost: (...told) => {
        judges.lost(...told);
        clients.isWatched = false;
      },
    };
    this.#course = course;
    this.#judges = judges;
    this.#clients = clients;
    this.#lives = new Lives({ seed, core: live, course, judges, observer, clients });
  }

  /** Number of steps of cores. */
  get steps(): number {
    return this.#judges.steps;
  }

  /** How often an engine was killed. */
  get crashes(): number {
    return this.#lives.crashes;
  }

  /** How often a copy of an engine was killed after each kind of output. */
  get cuts(): OutputCounts {
    return this.#judges.forks.counts;
  }

  /** Hash of all outputs of the cores so far, in hex. */
  get hash(): string {
    return this.#judges.hash;
  }

  /** Throws a `Breach`. */
  async begin(): Promise<void> {
    await this.#lives.begin();
  }

  /** Plays a line, and everything that follows from it at once. Throws a `Breach`. */
  async do(line: string): Promise<void> {
    const [word = "", ...args] = line.split(" ");
    if (/^(polite|rude|evil)\d/.test(word)) this.#clients.of(word).do(args.join(" "));
    else await this.#happen(word, args);
    await turn();
    await this.#lives.look();
  }

  /**
   * Lets everything come to rest and checks it. Then removes everything, so that nothing is left. Throws a `Breach`.
   */
  async end(): Promise<void> {
    await this.#rest();
    this.#clients.finish();
    await this.#sleep();
    await this.#removeAll();
    await this.#rest();
    const { ledger } = this.#judges;
    const left = [...ledger.containers.keys(), ...ledger.keys(`${SET_ASIDE}container/`)];
    if (left.length > 0) throw new Breach("owners", `what cannot be removed: ${left.join(", ")}`);
  }

  async close(): Promise<void> {
    this.#lives.engine.crash();
    await this.#course.machine.close();
  }

  async #happen(word: string, args: readonly string[]): Promise<void> {
    const course = this.#course;
    const [first = "", second = "", third = ""] = args;
    switch (word) {
      case "work":
        return course.work(Number(first));
      case "pass":
        return course.pass(BigInt(first) * MS);
      case "fault":
        return course.fault(args);
      case "lift":
        return course.lift();
      case "trick":
        return course.trick(trickOf(args));
      case "refuse":
        return void course.mischief.refusals.push(first as "kept");
      case "crash": {
        const [afterOutputs, awayNs] = [Number(first), BigInt(second || "0") * MS];
        return this.#lives.crash({ afterOutputs, awayNs, second: Number(third || "0") });
      }
      case "reboot":
        return this.#lives.reboot(BigInt(first || "0") * MS);
      case "power-loss":
        return this.#lives.losePower(Number(first), BigInt(second || "0") * MS);
      case "reload":
        return this.#lives.reload(Number(first));
      case "restart":
        return this.#lives.restart();
      case "rest":
        return this.#rest();
      default:
        return course.mishap(word, args);
    }
  }

  /** Lifts all faults, and lets all pending operations end. */
  async #rest(): Promise<void> {
    const course = this.#course;
    course.lift();
    course.taker.isWell = true;
    if (course.mischief.hangs) this.#lives.crash();
    await turn();
    await this.#lives.look();
    await course.pass(REST);
    for (let events = 0; this.#isBusy() && events < REST_EVENTS; events++) {
      if (!(await course.event())) break;
      // Operations that waited for this one, for example for a slow pull, continue now.
      if (!this.#isBusy()) await course.pass(REST);
    }
    const { world } = course.machine;
    const { ledger } = this.#judges;
    const { clock, inFlight } = course.mischief;
    const traffic = { arrival: world.arrival, lookUp: world.lookUp, addressOf };
    this.#judges.atRest({ ledger, found: world.found(), held: world, traffic, now: clock.now(), inFlight });
    this.#clients.rested();
    await this.#lives.look();
    course.taker.isWell = false;
  }

  /** Sleeps for as long as the engine remembers ended execs. */
  async #sleep(): Promise<void> {
    if (this.#judges.execs.isEmpty) return;
    for (const ns of [SLEEP, SLEEP]) {
      this.#course.mischief.clock.sleep(ns, true);
      await this.#course.pass(SECOND);
    }
    this.#judges.woken();
    await this.#lives.look();
  }

  /** A container that its policy restarts over and over is between two runs at times, and does not count as busy. */
  #isBusy(): boolean {
    const { ledger, operations } = this.#judges;
    const { mischief } = this.#course;
    const statuses = [...ledger.containers.values()].map(wordOf);
    // A requested probe may not have started.
    const isAsked = mischief.inFlight > 0 || mischief.keeps || operations.underWay > 0;
    return isAsked || statuses.some((status) => status === "recycling" || status === "starting");
  }

  async #removeAll(): Promise<void> {
    const client = this.#clients.of("polite0");
    const { ledger } = this.#judges;
    const damaged = ledger.keys(`${SET_ASIDE}container/`);
    for (const id of [...ledger.containers.keys(), ...damaged]) client.do(`remove ${id} force=1&v=1`);
    await turn();
    await this.#lives.look();
  }
}

/** `fail resolve 2 answer:403` */
function trickOf([how, command = "", left, kind]: readonly string[]): Trick {
  const trick = { how: how as Trick["how"], command, left: Number(left) };
  return kind === undefined ? trick : { ...trick, kind };
}

/** What clients know from the start. */
function visibleIn({ machine, mischief }: Course): Visible {
  return {
    ...{ ids: new Map(), execs: [], results: new Map(), archive: () => machine.firstImages()[0] as Uint8Array },
    ...{ acquaintances: new Acquaintances(), tar: smallTar(), clash: clashingTar() },
    now: () => Number(mischief.clock.now().wall / 1_000_000n) / 1000,
  };
}
