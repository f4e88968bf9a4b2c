// The host of a dry run. Commands that only ask go to the live engine's host. All others succeed at once without being
// carried out. The marks in core/wit tell which is which: *ask*, or *state* and *once*.

import type { Ended } from "../driver/index.js";
import { isQuestion } from "../shared/index.js";
import type { Bodies, Host, Input, Operation, Outcome, Perform, networks, volumes } from "../shared/index.js";
import { ThrownArchives } from "./archives.js";
import { Asks } from "./asks.js";
import type { DryRunClock } from "./clock.js";
import { DryRunContent } from "./content.js";
import { Imagined } from "./imagined.js";
import { performProcesses } from "./processes.js";
import { DryRunRecords } from "./records.js";
import { dryRunStdio } from "./stdio.js";

export class DryRunWorld {
  readonly imagined: Imagined;
  readonly host: Host;
  readonly #asks: Asks;
  readonly #settled: () => void;
  #happened: (input: Input) => void = () => {};
  #bodies: Bodies | null = null;
  #busy = 0;

  /** Calls `settled` whenever no command is pending any more. */
  constructor(live: Host, clock: DryRunClock, settled: () => void) {
    this.#settled = settled;
    this.#asks = new Asks(live);
    this.imagined = new Imagined(
      (input) => this.#happened(input),
      () => clock.now().wall,
    );
    const content = new DryRunContent(this.imagined, this.#asks, new ThrownArchives(), () => this.#bodies!);
    this.host = {
      timers: clock,
      records: new DryRunRecords(live.records.journal),
      processes: this.#counted((op, command) => performProcesses(op, command, this.imagined, this.#asks)),
      content: this.#counted((op, command) => content.perform(op, command)),
      // The machine's routes are not asked for: they would be those to networks that the dry run has removed.
      networks: this.#counted(async (_op, _command: networks.NetworkCommand) => DONE),
      volumes: this.#counted((op, command) => this.#performVolumes(op, command)),
      replies: dryRunStdio(live.replies, this.imagined, (view) => content.requireReal(view)),
      machine: live.machine,
      runtimes: live.runtimes,
      inventory: () => Promise.reject(new Error("a dry run is not opened again")),
      listen: (happened, bodies) => {
        this.#happened = happened;
        this.#bodies = bodies;
      },
      seed: () => new Uint8Array(32),
      close: async () => {},
    };
  }

  /** Whether commands are pending: a question to the machine, or the reading of a body. */
  get busy(): boolean {
    return this.#busy > 0;
  }

  /** Takes the real end of a process, which counts unless the dry run has made or ended that process itself. */
  reallyEnded(input: Ended): void {
    if (this.imagined.isEnd(input)) this.#happened(input);
  }

  close(): void {
    this.#asks.abandonAll();
  }

  #counted<Command>(perform: (op: Operation, command: Command) => Promise<Outcome>): Perform<Command> {
    return async (op, command) => {
      this.#busy++;
      try {
        return await perform(op, command);
      } finally {
        this.#busy--;
        if (this.#busy === 0) this.#settled();
      }
    };
  }

  async #performVolumes(op: Operation, command: volumes.VolumeCommand): Promise<Outcome> {
    const { volumes: made, directories } = this.imagined;
    if (isQuestion("volumes", command)) {
      if (command.tag === "find" && directories.has(command.val)) return DONE;
      if (command.tag === "measure" && made.has(command.val)) return { tag: "size", val: 0n };
      return this.#asks.ask({ to: "volumes", op, command });
    }
    if (command.tag === "make") made.add(command.val);
    if (command.tag === "mount") made.add(command.val.name);
    if (command.tag === "drop") made.delete(command.val);
    return DONE;
  }
}

const DONE: Outcome = { tag: "done" };
