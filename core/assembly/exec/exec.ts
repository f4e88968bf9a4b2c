// An exec: an additional process in a container. Its record only says that it was started (`record.ts`). The rest is
// lost when the engine restarts, and the exec is forgotten at the latest with its run.

import { Call } from "../call";
import { Container } from "../container/container";

/** Status of an exec. */
export enum Stage {
  Created,
  Starting,
  Running,
  Ended,
}

/** Waits for the result of a start. */
export interface StartWatch {
  /** `exec` is running, or never will be. */
  decided(exec: Exec): void;
}

/** Owner of an exec that no client started. */
export interface ExecOwner {
  /** The exec has ended; `exec` has the result. */
  execEnded(exec: Exec): void;
}

export class Exec {
  /** The program; its arguments follow in `args`. */
  path: string = "";
  args: string[] = [];
  tty: bool = false;
  openStdin: bool = false;
  openStdout: bool = false;
  openStderr: bool = false;
  privileged: bool = false;
  /** As the client gave it, or else the container's. */
  user: string = "";
  /** The client named a user, so the host first checks whether that user exists. */
  asksForUser: bool = false;
  /** Variables in addition to the container's. */
  environment: string[] = [];
  /** Empty for the container's working directory. */
  directory: string = "";
  /** Empty if the client gave none. */
  detachKeys: Uint8Array = new Uint8Array(0);
  /** Terminal rows; 0 for the kernel's default. */
  rows: u32 = 0;
  columns: u32 = 0;

  stage: Stage = Stage.Created;
  /** Its start event has been emitted; that happens once, even if the start was postponed. */
  told: bool = false;
  /** Stays set after the end. */
  pid: u32 = 0;
  exitCode: i32 = 0;
  /** The exec could not be started. */
  failed: bool = false;
  /** A pass of the garbage collection found it ended: the next pass removes it (`garbage.ts`). */
  aged: bool = false;
  /** The attached client. */
  attached: Call | null = null;
  /** Output to the client is framed. */
  framed: bool = false;
  watches: StartWatch[] = [];
  owner: ExecOwner | null = null;
  /** The beginning of its output, set at its end, for its owner. */
  output: string = "";

  constructor(
    readonly id: string,
    readonly container: Container,
    /** Number of the container's run that it belongs to. */
    readonly run: u32,
  ) {}

  /** The command line in events; for a program without arguments it ends in a space (surface §2.12). */
  get line(): string {
    return `${this.path} ${this.args.join(" ")}`;
  }

  /** The exec is running, or may still be started. */
  get live(): bool {
    return this.stage != Stage.Ended;
  }

  /** Notifies everyone who waits for the start. */
  tellWatches(): void {
    const watches = this.watches;
    this.watches = [];
    for (let i = 0; i < watches.length; i++) watches[i].decided(this);
  }
}
