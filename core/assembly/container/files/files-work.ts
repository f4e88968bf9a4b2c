// Work on a container's files, whether it runs or not. Those of one that stands still are mounted as long as somebody
// works on them, its volumes made and filled first. A start that comes meanwhile shares the mount; nobody waits.

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
import { failureText } from "../../failure/text";
import { openCalls } from "../../open-calls";
import { internal, notFound, Refusal } from "../../refusal";
import { sendRefusal } from "../../reply";
import { Task } from "../../task";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { fillVolumes, makeVolumes, volumesFilled } from "../mounts/own-volumes";
import { placesOf } from "../spec/spec-mounts";
import { containerSizes } from "../usage/sizes";

enum Step {
  Prepare,
  Fill,
  /** Those of the work itself begin here. */
  Own,
}

export abstract class FilesWork extends Task {
  /** Commands of the preparation under way. */
  private open: i32 = 0;
  private failure: string = "";
  private closed: bool = false;
  /** Its client went away before anything was sent. */
  gone: bool = false;

  constructor(
    protected readonly call: Call,
    protected readonly container: Container,
  ) {
    super();
  }

  /** The files can be reached. */
  protected abstract ready(): void;

  /** A step of its own has ended: numbered from `FIRST_STEP`. */
  protected abstract answered(step: i32, outcome: Outcome | null, failure: Failure | null): void;

  /** The container exists, and is not `between`. */
  begin(): void {
    const container = this.container;
    // Nobody would take what is mounted for it, and nobody would give it back.
    if (this.call.gone) return;
    container.filesWorks += 1;
    this.call.follower = new Asker(this);
    openCalls.add(this.call);
    if (hasRun(container)) return this.ready();
    this.open = 1 + makeVolumes(container, this, Step.Prepare);
    askContent(this, Step.Prepare, new ContentCommandMount(new Mount(container.id, container.chain)));
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (step >= Step.Own) return this.answered(step, outcome, failure);
    if (failure !== null) this.failure = failureText(failure);
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

  /** What the container's processes see, or would see. */
  protected view(): View {
    const container = this.container;
    const run = hasRun(container) ? new Box<u32>(container.run) : null;
    return new View(container.id, run, placesOf(container));
  }

  protected refuse(refusal: Refusal): void {
    this.close();
    sendRefusal(this.call, refusal);
  }

  /** The work is over: the last one gives back what no run needs. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    const container = this.container;
    container.filesWorks -= 1;
    if (container.filesWorks > 0 || usesFiles(container)) return;
    askContent(new Unmounting(container), 0, new ContentCommandUnmount(container.id));
  }
}

/** A call that meets the container in an in-between status; whether its client leaves meanwhile matters. */
export function waitForFiles(container: Container, call: Call): void {
  call.follower = null;
  openCalls.add(call);
  container.queue.push(call);
}

/** A client that has not been answered yet. */
class Asker extends Follower {
  constructor(private readonly work: FilesWork) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    this.work.gone = true;
  }
}

/** What cannot be given back is left to the next start, or to the removal. */
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

/** A run has the mount or is about to; a removal takes it away by itself. */
function usesFiles(container: Container): bool {
  const status = container.status;
  if (hasRun(container) || status == Status.Starting) return true;
  return isGone(container);
}

/** Removed, or being removed, its volumes with it. */
function isGone(container: Container): bool {
  return container.status == Status.Removing || container.status == Status.Removed;
}
