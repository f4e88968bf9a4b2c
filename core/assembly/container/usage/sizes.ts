// How much containers and volumes hold is counted when a run has ended; of runs that go on, when the engine has started,
// and each minute while anybody wants to know. Records keep the figures: those behind a run at once, samples of one that
// goes on once somebody is told; and whether anything is still to be counted. So requests for disk usage are answered from
// what is kept, from the first one on, and none waits until a disk has been walked. Who asks for the size of one container
// that runs has it walked for him, as in Docker.

import {
  ContentCommandMeasure,
  Failure,
  Outcome,
  OutcomeSize,
  VolumeCommandMeasure,
} from "../../../../build/bindings/types";
import { askContent, askVolumes, wakeAfter } from "../../ask";
import { engine } from "../../state";
import { Task } from "../../task";
import { volumeStore } from "../../volume/store";
import { Volume } from "../../volume/volume";
import { Container } from "../container";
import { MountKind } from "../mounts/mount-point";
import { containerStore } from "../store";

const SECOND: u64 = 1_000_000_000;
const PERIOD: u64 = 60 * SECOND;
/** So long after the last question figures are kept fresh. */
const INTEREST: u64 = 600 * SECOND;

/** Number of no run. */
const UNCOUNTED: u32 = u32.MAX_VALUE;

/** Bytes of what could not be counted. */
const UNKNOWN: i64 = -1;

enum Step {
  Container,
  Volume,
  Timer,
}

/** Who waits for the figure of a container. */
export abstract class Counted {
  abstract counted(): void;
}

/** Counts one thing at a time, so that nobody who works is held up. */
export class Sizes extends Task {
  private readonly containers: string[] = [];
  private readonly volumes: string[] = [];
  /** The container that is being counted, by its id; empty for none. */
  private container: string = "";
  /** The volume that is; never both. Another one of its name may have taken its place meanwhile. */
  private volume: Volume | null = null;
  /** Behind which a container is being counted; `UNCOUNTED` for one that may still be written to. */
  private run: u32 = 0;
  private readonly waiting: Map<string, Counted[]> = new Map<string, Counted[]>();
  private timer: u64 = 0;
  private wantedAt: u64 = 0;

  /** A container's files, and those of its volumes, have changed for the last time for now. */
  changed(container: Container): void {
    if (!container.toCount) this.containers.push(container.id);
    container.toCount = true;
    this.volumesChanged(container);
  }

  /** Those of one that does not run are about to change: if that is cut off, they are counted at the next start. */
  outdate(container: Container): void {
    if (this.container == container.id) this.run = UNCOUNTED;
    if (container.running || container.countedRun == UNCOUNTED) return;
    container.countedRun = UNCOUNTED;
    container.touch();
  }

  /** It is gone; what it wrote to volumes that stay may not have been counted. */
  removed(container: Container): void {
    if (container.countedRun == container.run) return;
    for (let i = 0; i < container.mounts.length; i++) {
      const mount = container.mounts[i];
      if (mount.kind == MountKind.Volume) volumeStore.outdate(mount.name);
    }
    this.volumesChanged(container);
  }

  /** Only those of its volumes. */
  volumesChanged(container: Container): void {
    for (let i = 0; i < container.mounts.length; i++) {
      const mount = container.mounts[i];
      if (mount.kind == MountKind.Volume) this.enqueueVolume(mount.name);
    }
    this.next();
  }

  /** All whose figures may be behind: what runs, and what was not counted behind its run, or never. */
  refresh(): void {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) {
      // What is between two statuses is counted once it has come to the second.
      const container = containers[i];
      if (container.running || !(container.between || isCounted(container))) this.changed(container);
    }
    const volumes = volumeStore.all();
    for (let i = 0; i < volumes.length; i++) if (!volumes[i].counted) this.enqueueVolume(volumes[i].name);
    this.next();
  }

  /** Somebody is told all figures in this step, and may want newer ones soon: they are counted behind the answer. */
  told(): void {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) containers[i].tell();
    volumeStore.tell();
    this.wantedAt = engine.now.monotonic;
    if (this.timer == 0) this.timer = wakeAfter(this, Step.Timer, 0);
  }

  /** Tells who asks once what is kept of a container is what it holds, which as a rule is so already. */
  whenCounted(container: Container, client: Counted): void {
    const id = container.id;
    const isUnderWay = this.container == id || container.toCount;
    if (!isUnderWay && isCounted(container)) return client.counted();
    if (this.waiting.has(id)) this.waiting.get(id).push(client);
    else this.waiting.set(id, [client]);
    if (!isUnderWay) this.changed(container);
  }

  ended(step: i32, outcome: Outcome | null, _failure: Failure | null): void {
    const bytes: i64 = outcome === null ? UNKNOWN : <i64>(<OutcomeSize>outcome).value;
    if (step == Step.Volume) this.volumeEnded(bytes);
    else this.containerEnded(bytes);
    this.next();
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    if (engine.now.monotonic - this.wantedAt >= INTEREST) return;
    this.timer = wakeAfter(this, Step.Timer, PERIOD);
    this.refresh();
  }

  private enqueueVolume(name: string): void {
    const volume = volumeStore.find(name);
    if (volume === null || volume.toCount) return;
    volume.toCount = true;
    this.volumes.push(name);
  }

  /** Volumes come first: whose own files have been counted behind a run, its volumes have been, too. */
  private next(): void {
    while (!this.busy && this.volumes.length > 0) this.countVolume(this.volumes.shift());
    while (!this.busy && this.containers.length > 0) this.countContainer(this.containers.shift());
  }

  private get busy(): bool {
    return this.container.length > 0 || this.volume !== null;
  }

  private countVolume(name: string): void {
    const volume = volumeStore.find(name);
    if (volume === null) return;
    volume.toCount = false;
    this.volume = volume;
    askVolumes(this, Step.Volume, new VolumeCommandMeasure(name));
  }

  private countContainer(id: string): void {
    const container = containerStore.find(id);
    if (container === null) return this.tell(id);
    container.toCount = false;
    this.container = id;
    const isWrittenTo = container.running || container.between || container.extracts.length > 0;
    this.run = isWrittenTo ? UNCOUNTED : container.run;
    askContent(this, Step.Container, new ContentCommandMeasure(id));
  }

  private tell(id: string): void {
    if (!this.waiting.has(id)) return;
    const clients = this.waiting.get(id);
    this.waiting.delete(id);
    for (let i = 0; i < clients.length; i++) clients[i].counted();
  }

  private volumeEnded(bytes: i64): void {
    const volume = this.volume!;
    this.volume = null;
    if (volumeStore.find(volume.name) !== volume) return;
    if (bytes == UNKNOWN) volumeStore.missSize(volume.name);
    else volumeStore.keepSize(volume, bytes);
  }

  private containerEnded(bytes: i64): void {
    const id = this.container;
    this.container = "";
    const container = containerStore.find(id);
    if (container !== null && bytes != UNKNOWN) keepWritten(container, this.run, bytes);
    this.tell(id);
  }
}

/**
 * What a container's files held when somebody asked, which is not what its record counts as behind a run: the run may have
 * ended meanwhile, and its volumes are counted before it.
 */
export function keepSample(container: Container, bytes: i64): void {
  if (isCounted(container) || container.written == bytes) return;
  container.written = bytes;
  container.touchLater();
}

/** `run`: behind which they were counted. */
function keepWritten(container: Container, run: u32, bytes: i64): void {
  if (container.running || container.between || container.run != run) return keepSample(container, bytes);
  const isNews = container.written != bytes || container.countedRun != run;
  container.written = bytes;
  container.countedRun = run;
  if (isNews) container.touch();
}

/** What is kept is what there is: nothing has run since. */
export function isCounted(container: Container): bool {
  return !container.running && !container.between && container.countedRun == container.run;
}

export const containerSizes: Sizes = new Sizes();
