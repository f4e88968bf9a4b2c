// Sizes of containers and volumes. They are counted after a run ends. For running containers they are counted when the
// engine has started, and every minute while clients keep asking. Records store the figures, and whether something
// still has to be counted: figures after a run at once, samples of a running container when a client is told. So a
// request for disk usage is answered from stored figures, even the first one, and never waits for a walk of the disk.
// Only the size of a single running container is counted for the request, as in Docker.

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
/** How long after the last request figures are kept fresh. */
const INTEREST: u64 = 600 * SECOND;

/** Stands for no run. */
const UNCOUNTED: u32 = u32.MAX_VALUE;

/** Result when counting failed. */
const UNKNOWN: i64 = -1;

enum Step {
  Container,
  Volume,
  Timer,
}

/** Waits for the size of a container. */
export abstract class Counted {
  abstract counted(): void;
}

/** Counts one container or volume at a time, so that other work is not slowed down. */
export class Sizes extends Task {
  private readonly containers: string[] = [];
  private readonly volumes: string[] = [];
  /** Id of the container that is being counted; empty for none. */
  private container: string = "";
  /**
   * The volume that is being counted; never together with a container. A new volume may have taken its name meanwhile.
   */
  private volume: Volume | null = null;
  /** The run after which the container is being counted; `UNCOUNTED` if its files may still change. */
  private run: u32 = 0;
  private readonly waiting: Map<string, Counted[]> = new Map<string, Counted[]>();
  private timer: u64 = 0;
  private wantedAt: u64 = 0;

  /** The files of a container and its volumes have changed and are stable for now: counts them. */
  changed(container: Container): void {
    if (!container.toCount) this.containers.push(container.id);
    container.toCount = true;
    this.volumesChanged(container);
  }

  /**
   * The files of a stopped container are about to change. If that
   * is interrupted, they are counted when the engine starts.
   */
  outdate(container: Container): void {
    if (this.container == container.id) this.run = UNCOUNTED;
    if (container.running || container.countedRun == UNCOUNTED) return;
    container.countedRun = UNCOUNTED;
    container.touch();
  }

  /** The container is removed; its last writes to remaining volumes may not have been counted. */
  removed(container: Container): void {
    if (container.countedRun == container.run) return;
    for (let i = 0; i < container.mounts.length; i++) {
      const mount = container.mounts[i];
      if (mount.kind == MountKind.Volume) volumeStore.outdate(mount.name);
    }
    this.volumesChanged(container);
  }

  /** A volume was made for a client. */
  volumeMade(volume: Volume): void {
    if (!volume.counted) this.enqueueVolume(volume.name);
    this.next();
  }

  /** Only the container's volumes have changed. */
  volumesChanged(container: Container): void {
    for (let i = 0; i < container.mounts.length; i++) {
      const mount = container.mounts[i];
      if (mount.kind == MountKind.Volume) this.enqueueVolume(mount.name);
    }
    this.next();
  }

  /**
   * Counts everything whose figures may be out of date: running
   * containers, and what was not counted after its run, or never.
   */
  refresh(): void {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) {
      // A container in a transitional state is counted after it.
      const container = containers[i];
      if (container.running || !(container.between || isCounted(container))) this.changed(container);
    }
    const volumes = volumeStore.all();
    for (let i = 0; i < volumes.length; i++) if (!volumes[i].counted) this.enqueueVolume(volumes[i].name);
    this.next();
  }

  /** A client gets all figures in this step, and may ask again soon: they are counted after the answer. */
  told(): void {
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) containers[i].tell();
    volumeStore.tell();
    this.wantedAt = engine.now.monotonic;
    if (this.timer == 0) this.timer = wakeAfter(this, Step.Timer, 0);
  }

  /** Calls `client` once the stored size of the container is accurate, which it usually is already. */
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
    // Disk usage leaves out volumes with options: their files may be elsewhere.
    if (volume === null || volume.toCount || volume.hasOptions) return;
    volume.toCount = true;
    this.volumes.push(name);
  }

  /** Volumes come first: if a container's files were counted after a run, so were its volumes. */
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
 * Stores a size that was counted for a request. It does not count as the size after a run: the run may have ended
 * meanwhile, and volumes must be counted before the container.
 */
export function keepSample(container: Container, bytes: i64): void {
  if (isCounted(container) || container.written == bytes) return;
  container.written = bytes;
  container.touchLater();
}

/** `run`: the run after which the files were counted. */
function keepWritten(container: Container, run: u32, bytes: i64): void {
  if (container.running || container.between || container.run != run) return keepSample(container, bytes);
  const isNews = container.written != bytes || container.countedRun != run;
  container.written = bytes;
  container.countedRun = run;
  if (isNews) container.touch();
}

/** The stored size is accurate: nothing has run since. */
export function isCounted(container: Container): bool {
  return !container.running && !container.between && container.countedRun == container.run;
}

export const containerSizes: Sizes = new Sizes();
