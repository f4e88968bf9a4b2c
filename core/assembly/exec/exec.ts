// One more process of a container, as the engine knows it. Its record says only that it was begun (`record.ts`): with the
// engine it is forgotten, and at the latest with its run.

import { Call } from "../call";
import { Container } from "../container/container";

/** What an exec is doing. */
export enum Stage {
  Created,
  Starting,
  Running,
  Ended,
}

/** Someone who wants to know when a start has come to something. */
export interface StartWatch {
  /** `exec` runs, or never will. */
  decided(exec: Exec): void;
}

/** Whose exec it is, if it is no client's. */
export interface ExecOwner {
  /** It ran, and does no more; `exec` tells how. */
  execEnded(exec: Exec): void;
}

export class Exec {
  /** Program, and its arguments. */
  path: string = "";
  args: string[] = [];
  tty: bool = false;
  openStdin: bool = false;
  openStdout: bool = false;
  openStderr: bool = false;
  privileged: bool = false;
  /** As given, or else the container's. */
  user: string = "";
  /** Its client names one, so that it is seen first whether there is one. */
  asksForUser: bool = false;
  /** Beside the container's own. */
  environment: string[] = [];
  /** Empty for the container's. */
  directory: string = "";
  /** None if the client chose none. */
  detachKeys: Uint8Array = new Uint8Array(0);
  /** Of the terminal; 0 for the kernel's default. */
  rows: u32 = 0;
  columns: u32 = 0;

  stage: Stage = Stage.Created;
  /** Its start is told, once: it may have been put back since. */
  told: bool = false;
  /** Stays after the end. */
  pid: u32 = 0;
  exitCode: i32 = 0;
  /** It never ran. */
  failed: bool = false;
  /** A pass of the collection has seen it ended: the next one takes it (`garbage.ts`). */
  aged: bool = false;
  /** The client that is attached. */
  attached: Call | null = null;
  /** What the client is sent is in frames. */
  framed: bool = false;
  watches: StartWatch[] = [];
  owner: ExecOwner | null = null;
  /** The beginning of what it wrote, at its end, for its owner. */
  output: string = "";

  constructor(
    readonly id: string,
    readonly container: Container,
    /** In which of the container's runs. */
    readonly run: u32,
  ) {}

  /** As events tell it: of a lone program it ends in a space (surface §2.12). */
  get line(): string {
    return `${this.path} ${this.args.join(" ")}`;
  }

  /** It may come to run, or runs. */
  get live(): bool {
    return this.stage != Stage.Ended;
  }

  /** Those who wait for the start are told. */
  tellWatches(): void {
    const watches = this.watches;
    this.watches = [];
    for (let i = 0; i < watches.length; i++) watches[i].decided(this);
  }
}
