// The base of operations on a container's files, whether it is running or not. The files
// of a stopped container are mounted while an operation uses them, after its volumes
// have been made and filled. A start in the meantime shares the mount and does not wait.

import {
  Box,
  Closing,
  ContentCommandMount,
  ContentCommandUnmount,
  Failure,
  Mount,
  Outcome,
  View,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { Call, Follower } from "../../call";
import { openCalls } from "../../open-calls";
import { internal, notFound, Refusal } from "../../refusal";
import { sendRefusal } from "../../reply";
import { Task } from "../../task";
import { leaveVolumes } from "../../volume/unmounting";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { fillVolumes, makeVolumes, volumesFilled } from "../mounts/own-volumes";
import { volumeProblem } from "../mounts/volume-problem";
import { placesOf } from "../spec/spec-mounts";
import { containerSizes } from "../usage/sizes";

enum Step {
  Prepare,
  Fill,
  /** The operation's own steps begin here. */
  Own,
}

export abstract class FilesWork extends Task {
  /** Number of preparation commands in flight. */
  private open: i32 = 0;
  private failure: string = "";
  private closed: bool = false;
  /** The client disconnected before anything was sent. */
  gone: bool = false;

  constructor(
    protected readonly call: Call,
    protected readonly container: Container,
  ) {
    super();
  }

  /** The files are mounted. */
  protected abstract ready(): void;

  /** One of the operation's own steps has completed; they are numbered from `FIRST_STEP`. */
  protected abstract answered(step: i32, outcome: Outcome | null, failure: Failure | null): void;

  /** The container must exist, and not be `between`. */
  begin(): void {
    const container = this.container;
    // A mount would serve nobody, and nobody would remove it.
    if (this.call.gone) return;
    container.filesWorks += 1;
    this.call.follower = new Asker(this);
    openCalls.add(this.call);
    if (hasRun(container)) return this.ready();
    this.open = 1 + makeVolumes(container, this, Step.Prepare);
    askContent(this, Step.Prepare, new ContentCommandMount(new Mount(container.id, container.chain, false)));
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (step >= Step.Own) return this.answered(step, outcome, failure);
    if (failure !== null) this.failure = volumeProblem(failure);
    this.open -= 1;
    if (this.open > 0) return;
    if (step == Step.Fill) containerSizes.volumesChanged(this.container);
    if (isGone(this.container)) return this.refuse(notFound(`No such container: ${this.call.name}`));
    if (this.failure.length > 0) return this.refuse(internal(this.failure));
    if (step == Step.Prepare) this.open = fillVolumes(this.container, this, Step.Fill);
    if (this.open > 0) return;
    volumesFilled(this.container);
    this.ready();
  }

  /** The file system as the container's processes see it, or would see it. */
  protected view(): View {
    const container = this.container;
    const run = hasRun(container) ? new Box<u32>(container.run) : null;
    return new View(container.id, run, placesOf(container));
  }

  protected refuse(refusal: Refusal): void {
    this.close();
    sendRefusal(this.call, refusal);
  }

  /** The operation is over. The last one unmounts the files unless a run needs them. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    const container = this.container;
    container.filesWorks -= 1;
    leaveVolumes(container);
    if (container.filesWorks > 0 || usesFiles(container)) return;
    askContent(new Unmounting(container), 0, new ContentCommandUnmount(container.id));
  }
}

/**
 * Queues a call until the container leaves a transitional state,
 * and keeps track of whether its client disconnects meanwhile.
 */
export function waitForFiles(container: Container, call: Call): void {
  call.follower = null;
  openCalls.add(call);
  container.queue.push(call);
}

/** Watches a client that has not been answered yet. */
class Asker extends Follower {
  constructor(private readonly work: FilesWork) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    this.work.gone = true;
  }
}

/** If the unmount fails, the next start or the removal repeats it. */
class Unmounting extends Task {
  constructor(private readonly container: Container) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure === null || usesFiles(this.container)) return;
    this.container.leaveUnclean();
    this.container.touch();
  }
}

export const FIRST_STEP: i32 = Step.Own;

function hasRun(container: Container): bool {
  return container.status == Status.Running || container.status == Status.Paused;
}

/** A run uses the mount or is about to, or a removal will unmount it. */
function usesFiles(container: Container): bool {
  const status = container.status;
  if (hasRun(container) || status == Status.Starting) return true;
  return isGone(container);
}

/** The container is removed, or is being removed, and its volumes with it. */
function isGone(container: Container): bool {
  return container.status == Status.Removing || container.status == Status.Removed;
}
