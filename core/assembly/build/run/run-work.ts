// RUN: a container runs a command, and what it writes becomes a layer. The container is made, started and removed as any
// other, so that clients see it, and what holds for containers holds for it.

import { LogObjects, LogSource } from "../../../../build/bindings/types";
import { Container, RunEnd } from "../../container/container";
import { readCreate } from "../../container/create/create-body";
import { createForBuild } from "../../container/create/create";
import { CreationClient } from "../../container/create/creation";
import { leaveRunEnd } from "../../container/exit/run-end";
import { Lent } from "../../container/mounts/lent";
import { MountKind } from "../../container/mounts/mount-point";
import { removeLeftOver } from "../../container/remove/left-over";
import { StartClient } from "../../container/start/start-client";
import { startNow } from "../../container/start/start";
import { Claims } from "../../image/layers/claims";
import { Json } from "../../json/json";
import { Refusal } from "../../refusal";
import { BuildProgress } from "./build-progress";
import { LayerClient, LayerMaking } from "./layer-making";
import { MountsClient, RunMounts } from "./mounts/run-mounts";
import { StageOutput } from "./output/stage-output";
import { OpenWork, WorkClient } from "./work";

/** The command and its container. */
export class RunWish {
  /** Removed after the step if it succeeds, or if it fails. */
  remove: bool = true;
  forceRemove: bool = false;

  constructor(
    /** The body of a create request: `Config` and `HostConfig`. */
    readonly body: Json,
    /** The command as an error names it. */
    readonly command: string,
    /** API version of the client. */
    readonly version: i32,
  ) {}
}

export class RunWork extends CreationClient implements MountsClient, RunEnd, LayerClient, OpenWork {
  private container: Container | null = null;
  private cancelled: bool = false;
  private making: LayerMaking | null = null;

  constructor(
    private readonly wish: RunWish,
    private readonly mounts: RunMounts,
    private readonly stream: BuildProgress,
    private readonly output: StageOutput,
    private readonly claims: Claims,
    private readonly client: WorkClient,
  ) {
    super();
  }

  begin(): void {
    this.mounts.prepare(this);
  }

  mountsReady(lent: Lent): void {
    const version = this.wish.version;
    const refusal = createForBuild(readCreate(this.wish.body, version), version, lent, this);
    if (refusal === null) return;
    this.mounts.release();
    this.client.workFailed(refusal.message, 0);
  }

  mountsFailed(why: string): void {
    this.client.workFailed(`RUN failed: ${why}`, 0);
  }

  created(container: Container): void {
    this.container = container;
    if (this.cancelled) return this.leave(container);
    this.stream.running(container.shortId, this.wish.command);
    container.runEnds.push(this);
    startNow(container, new Started(this));
  }

  notCreated(refusal: Refusal): void {
    this.mounts.release();
    if (!this.cancelled) this.client.workFailed(refusal.message, 0);
  }

  started(): void {
    const container = this.container!;
    if (this.cancelled) return this.leave(container);
    this.stream.insert(wholeLog(container.id));
  }

  notStarted(refusal: Refusal): void {
    leaveRunEnd(this.container!, this);
    if (this.cancelled) return this.leave(this.container!);
    this.fail(refusal.message, 0);
  }

  runEnded(container: Container): void {
    if (this.cancelled) return;
    this.stream.ran(container.id);
    if (container.exitCode != 0) {
      const code = container.exitCode;
      return this.fail(`The command '${this.wish.command}' returned a non-zero code: ${code.toString()}`, code);
    }
    const points = mountPoints(container);
    this.giveBack(container);
    const making = new LayerMaking(container.id, container.chain, this.claims, this, points);
    this.making = making;
    making.begin();
  }

  layerMade(diffId: string): void {
    const container = this.container!;
    this.client.workKept(diffId, container.id);
    // The next step need not wait for the removal.
    this.container = null;
    if (this.wish.remove) this.output.leave(container, false);
    else this.output.keep(container);
    this.client.workDone();
  }

  layerNotMade(why: string): void {
    this.fail(why, 0);
  }

  cancel(): void {
    this.cancelled = true;
    const making = this.making;
    if (making !== null) making.cancel();
    const container = this.container;
    if (container === null) return this.mounts.release();
    // Nobody waits for its end: what is there by now is kept.
    if (making === null) this.stream.ran(container.id);
    leaveRunEnd(container, this);
    // A start that is under way tells when it is over.
    if (!container.goesOn || container.running) this.leave(container);
  }

  /** What is mounted stays the container's until its run ends: nobody else may have a locked cache before. */
  private leave(container: Container): void {
    if (container.running) container.runEnds.push(new Left(this.mounts));
    else this.giveBack(container);
    removeLeftOver(container);
  }

  private giveBack(container: Container): void {
    container.giveBack();
    this.mounts.release();
  }

  /** A container of a step that failed stays, so that its files can be looked at. */
  private fail(why: string, code: i32): void {
    const container = this.container!;
    this.giveBack(container);
    // First, since a quiet build only now shows the container's log.
    this.client.workFailed(why, code);
    if (this.wish.forceRemove) this.output.leave(container, true);
    else this.output.keep(container);
  }
}

class Started extends StartClient {
  constructor(private readonly step: RunWork) {
    super();
  }

  started(): void {
    this.step.started();
  }

  refused(refusal: Refusal): void {
    this.step.notStarted(refusal);
  }
}

/**
 * A cancelled step's run, which may end long after its build: even SIGKILL does not end a process that hangs in the
 * kernel. It does not wait for the container's removal, which may fail.
 */
class Left implements RunEnd {
  constructor(private readonly mounts: RunMounts) {}

  runEnded(container: Container): void {
    container.giveBack();
    this.mounts.release();
  }
}

/** Where only the run has something mounted; volumes are the image's. */
function mountPoints(container: Container): string[] {
  const points: string[] = [];
  for (let i = 0; i < container.mounts.length; i++) {
    const mount = container.mounts[i];
    if (mount.kind == MountKind.Lent || mount.kind == MountKind.Tmpfs) points.push(mount.destination);
  }
  return points;
}

/** Everything that a run writes, as a build's progress. */
function wholeLog(container: string): LogSource {
  const form = new LogObjects("", false, true, "");
  return new LogSource(container, true, true, false, false, "", form, 0, 0, null, true, false);
}
