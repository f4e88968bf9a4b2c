// Checks a story: invariants check each step of its engines, and oracles check everything that its clients see. The
// first breach is kept.

import { createHash } from "node:crypto";
import type { Input, Operation, engine, processes } from "../../hosts/shared/host.js";
import { type CompiledCore, Trap } from "../../hosts/driver/instance.js";
import type { Attempt, ObservedStep, Observer, Opening } from "../../hosts/driver/observer.js";
import type { Repository } from "../../hosts/simulated/registry/catalogue.js";
import { Breach } from "./breach.js";
import { digest as digestOf } from "./digest.js";
import { Forks } from "./forks/forks.js";
import { Asked } from "./invariants/asked/asked.js";
import { EqualSteps } from "./invariants/builds/equal-steps.js";
import { PastBuilds } from "./invariants/builds/past-builds.js";
import { Remains } from "./invariants/builds/remains.js";
import { Events } from "./invariants/events.js";
import { ExecEnds } from "./invariants/exec-ends.js";
import { ExecEvents } from "./invariants/exec-events.js";
import { ExecInspects } from "./invariants/exec-inspects.js";
import { Figures } from "./invariants/figures.js";
import { Health } from "./invariants/health/health.js";
import { History, type ReadJournal } from "./invariants/history.js";
import { Images } from "./invariants/images.js";
import type { AtRest, Held, Invariant, Seen } from "./invariants/invariant.js";
import { Lists } from "./invariants/lists.js";
import { NetworkEvents } from "./invariants/network-events.js";
import { Operations } from "./invariants/operations.js";
import { Owners } from "./invariants/owners.js";
import { Past } from "./invariants/past.js";
import { Ports } from "./invariants/ports.js";
import { Promises } from "./invariants/promises.js";
import { Pruned } from "./invariants/pruned.js";
import { Prunes } from "./invariants/prunes.js";
import { Pushes } from "./invariants/pushes.js";
import { Reach } from "./invariants/reach/reach.js";
import { Rehearsals } from "./invariants/rehearsed/rehearsals.js";
import { Remembered } from "./invariants/remembered.js";
import { Replies } from "./invariants/replies.js";
import { Restarts } from "./invariants/restarts.js";
import { Begun } from "./invariants/runs/begun.js";
import { Delays } from "./invariants/runs/delays.js";
import { Revivals } from "./invariants/runs/revivals.js";
import { SettingsHold } from "./invariants/settings.js";
import { Spared } from "./invariants/spared.js";
import { Stateless } from "./invariants/stateless.js";
import { Statuses } from "./invariants/statuses.js";
import { Twins } from "./invariants/twins.js";
import { Until } from "./invariants/until.js";
import { VolumeEvents } from "./invariants/volume-events.js";
import { VolumeMounts } from "./invariants/volume-mounts.js";
import { Waits } from "./invariants/waits.js";
import { UNKNOWN_CODE, Vanished, containersIn, vanished } from "./invariants/vanished.js";
import { Ledger, isReadable } from "./ledger.js";
import type { Fact, Found, Oracle } from "./oracle.js";
import { Spares } from "./spares.js";
import type { Spoilt } from "./worlds/disk.js";

export interface JudgesNeeds {
  seed: number;
  core: CompiledCore;
  oracles: readonly Oracle[];
  /** Whether copies of the engine are checked, too. */
  copies: boolean;
  /** The inventory of the machine. */
  found: () => engine.Inventory;
  held: Held;
  /** Whether a program of the machine holds a port. */
  isHeld: (port: number) => boolean;
  /** The settings that engines got last. */
  settings: () => engine.Settings | null;
  /** What the registry has that fails pushes. */
  pushed: (path: string) => Repository | undefined;
  /** Reads the stored journal. */
  journal: ReadJournal;
  /** What is lost or damaged in the data that an engine is being opened with. Called once per opening. */
  spoilt: () => Spoilt | null;
  /** Every record in use, as the newest instance would put it now. */
  remembered: () => engine.Stored[];
}

export class Judges implements Observer {
  readonly ledger = new Ledger();
  readonly events = new Events();
  readonly operations = new Operations();
  readonly replies = new Replies();
  readonly forks: Forks;
  readonly execs: ExecInspects;
  /** Number of steps of all cores in the story. */
  steps = 0;
  breach: Breach | null = null;
  readonly #promises = new Promises(this.ledger);
  readonly #history: History;
  readonly #invariants: readonly Invariant[];
  readonly #oracles: readonly Oracle[];
  readonly #spared = new Spared();
  readonly #spoilt: () => Spoilt | null;
  readonly #machine: Pick<Seen, "found" | "held" | "remembered">;
  /** Pending launches, by operation. */
  readonly #launches = new Map<Operation, processes.Launch>();
  readonly #hash = createHash("sha256");

  constructor({
    seed,
    core,
    oracles,
    copies,
    found,
    held,
    isHeld,
    settings,
    pushed,
    journal,
    remembered,
    spoilt,
  }: JudgesNeeds) {
    const spares = new Spares(core);
    const [history, twins] = [new History(journal), new Twins(spares)];
    this.#history = history;
    this.execs = new ExecInspects(spares);
    this.forks = new Forks({ seed, core, operations: this.operations, twins });
    this.#machine = { found, held, remembered };
    this.#spoilt = spoilt;
    this.#oracles = [this.#promises, history, new Past(journal), new Pushes(pushed), ...oracles];
    this.#invariants = [
      this.#spared,
      this.replies,
      new Statuses(rulesOf(spares)),
      this.operations,
      // The next two ask the ones before them for pending operations, so they come after them.
      new Owners(this.operations, this.replies),
      new Images(this.operations, this.replies),
      new Ports(isHeld),
      new SettingsHold(settings),
      new Stateless(),
      new Vanished(),
      this.#promises,
      this.events,
      history,
      new ExecEnds(),
      new ExecEvents(),
      this.execs,
      new Health(),
      new Begun(),
      new Delays(),
      new Revivals(),
      new NetworkEvents(),
      new VolumeEvents(),
      new Waits(),
      new Lists(),
      new Prunes(),
      new Pruned(),
      new Until(),
      ...(copies ? [twins, this.forks] : []),
      new Restarts(spares),
      new Remembered(),
      new PastBuilds(),
      new EqualSteps(this.replies),
      new Remains(this.replies),
      new Asked(spares, this.replies),
      new Rehearsals(spares),
      new Figures(),
      new VolumeMounts(),
      new Reach(),
    ];
  }

  /** Hash of all outputs of the cores so far, in hex. */
  get hash(): string {
    return this.#hash.copy().digest("hex");
  }

  // The driver calls these.

  opened(step: ObservedStep, found: Opening): void {
    // Only one invariant (`Spared`) can handle damaged records.
    const opening = { ...found, records: found.records.filter(isReadable) };
    this.ledger.opened(opening.records);
    this.#begunWith(found);
    for (const { container, run, state } of opening.inventory.processes) {
      if (state.tag === "exited") this.fact({ kind: "exited", container, run, code: state.val.code });
      if (state.tag === "running") this.fact({ kind: "started", container, run });
    }
    for (const one of containersIn(opening.records)) {
      const { id: container, run } = one;
      if (vanished(one, opening.inventory.processes)) this.fact({ kind: "exited", container, run, code: UNKNOWN_CODE });
    }
    this.#launches.clear();
    this.#seen(step, null, opening);
  }

  stepped(step: ObservedStep, input: Input): void {
    this.steps += 1;
    if (input.tag === "exited") {
      const { container, run, exit } = input.val;
      this.fact({ kind: "exited", container, run, code: exit.code });
    }
    if (input.tag === "completed") this.#launched(input.val);
    for (const { to, op, command } of step.outputs.effects) {
      if (to === "processes" && command.tag === "launch") this.#launches.set(op, command.val);
    }
    this.#seen(step, input, null);
  }

  lost(_epoch: number, error: unknown, during?: Attempt): void {
    if (error instanceof Trap) this.broken(new Breach("trap", `${error.message}\n${JSON.stringify(during, asText)}`));
    else this.fact({ kind: "unkept" });
    // Open requests are answered without the core.
    this.#forget();
  }

  // The player of the story calls these.

  /** The engine was killed. */
  crashed(): void {
    this.#forget();
    this.replies.restarted();
    this.judge((oracle) => (oracle.crashed(), null));
  }

  atRest(rest: AtRest): void {
    this.hold(() => {
      for (const invariant of this.#invariants) invariant.rested?.(rest);
    });
    this.judge((oracle) => (oracle === this.#promises ? null : oracle.rested()));
  }

  /** The machine has slept longer than the engine remembers execs. */
  woken(): void {
    this.hold(() => this.execs.woken(this.ledger));
  }

  fact(fact: Fact): void {
    this.judge((oracle) => oracle.happened(fact));
  }

  judge(ask: (oracle: Oracle) => string | null): void {
    if (this.breach !== null) return;
    this.hold(() => {
      for (const oracle of this.#oracles) {
        const wrong = ask(oracle);
        if (wrong !== null) throw new Breach("model", wrong);
      }
    });
  }

  hold(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.broken(error);
    }
  }

  broken(error: unknown): void {
    this.breach ??= error instanceof Breach ? error : new Breach("simulator", String((error as Error).stack ?? error));
  }

  /**
   * If stored data was lost or damaged, this engine need not keep the promises of earlier ones. But it must keep
   * everything that is still readable, and from here on all rules apply again.
   */
  #begunWith(found: Opening): void {
    const spoilt = this.#spoilt();
    const areWhole = spoilt === null || (!spoilt.isLost && !spoilt.isDamaged);
    this.#spared.found = areWhole ? null : found;
    if (spoilt === null) return;
    // The records are intact. Only the journal is not.
    if (areWhole) return this.#history.spoilt(spoilt);
    for (const invariant of this.#invariants) invariant.spoilt?.(spoilt);
    const there = thoseIn(found);
    this.judge((oracle) => (oracle.forsaken(there), null));
  }

  #forget(): void {
    this.hold(() => {
      for (const invariant of this.#invariants) invariant.crashed?.();
    });
  }

  #launched({ op, outcome }: engine.Completed): void {
    const launch = this.#launches.get(op);
    this.#launches.delete(op);
    if (launch === undefined || outcome.tag === "err") return;
    this.fact({ kind: "started", container: launch.container, run: launch.run });
  }

  #seen(step: ObservedStep, input: Input | null, opening: Opening | null): void {
    if (this.breach !== null) return;
    const { outputs } = step;
    const digest = digestOf(outputs);
    this.#hash.update(digest);
    this.ledger.apply(outputs.records);
    const notes = step.explain();
    let taken: Uint8Array | null = null;
    const snapshot = (): Uint8Array => (taken ??= step.snapshot());
    let read: engine.Stored[] | null = null;
    const remembered = (): engine.Stored[] => (read ??= this.#machine.remembered());
    let inventory: engine.Inventory | null = null;
    const found = (): engine.Inventory => (inventory ??= this.#machine.found());
    const { ledger, steps: count } = this;
    const { held } = this.#machine;
    // No spread: Node.js 20 takes a microsecond for each name that follows one in a literal.
    const { epoch, step: number, now, explain } = step;
    const once = { found, remembered, snapshot };
    const told = { epoch, step: number, now, explain, outputs, digest, input, opening, notes, ledger, held, count };
    const seen: Seen = Object.assign(told, once);
    this.hold(() => {
      for (const invariant of this.#invariants) invariant.stepped?.(seen);
    });
  }
}

/** All containers of which something is left. Without a readable record, a container's name is unknown. */
function thoseIn({ records, inventory }: Opening): Found[] {
  const names = new Map(containersIn(records.filter(isReadable)).map(({ id, name }) => [id, name]));
  const damaged = records.flatMap(({ key }) => /(?:^|\/)container\/(.*)$/.exec(key)?.[1] ?? []);
  const all = new Set([...names.keys(), ...damaged, ...inventory.containers]);
  return [...all].map((id) => ({ id, name: names.get(id) ?? "" }));
}

function rulesOf(spares: Spares): engine.Rule[] {
  const instance = spares.take();
  const rules = instance.rules();
  spares.give(instance);
  return rules;
}

function asText(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? new TextDecoder().decode(value).slice(0, 2000) : value;
}
