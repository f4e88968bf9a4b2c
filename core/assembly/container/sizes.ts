// How much containers and volumes hold is counted when a run has ended; of runs that go on, each minute while anybody
// wants to know. So requests are answered from what is kept, and no disk is walked for one.

import {
  ContentCommandMeasure,
  Failure,
  Outcome,
  OutcomeSize,
  VolumeCommandMeasure,
} from "../../../build/bindings/types";
import { askContent, askVolumes, wakeAfter } from "../ask";
import { engine } from "../state";
import { Task } from "../task";
import { Container } from "./container";
import { MountKind } from "./mount-point";

const SECOND: u64 = 1_000_000_000;
const PERIOD: u64 = 60 * SECOND;
/** So long after the last question figures are kept fresh. */
const INTEREST: u64 = 600 * SECOND;

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
  /** What is being counted; empty for nothing. */
  private current: string = "";
  private run: u32 = 0;
  private readonly waiting: Map<string, Counted[]> = new Map<string, Counted[]>();
  private timer: u64 = 0;
  private wantedAt: u64 = 0;

  /** A container's files, and those of its volumes, have changed for the last time for now. */
  changed(container: Container): void {
    if (!this.containers.includes(container.id)) this.containers.push(container.id);
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

  /** Somebody wants figures of what runs, now and maybe again. */
  wanted(): void {
    this.wantedAt = engine.now.monotonic;
    if (this.timer == 0) this.refresh();
  }

  /** Tells who asks once what is kept of a container is what it holds, which as a rule is so already. */
  whenCounted(container: Container, client: Counted): void {
    const id = container.id;
    const isUnderWay = this.current == id || this.containers.includes(id);
    if (!isUnderWay && isCounted(container)) return client.counted();
    if (this.waiting.has(id)) this.waiting.get(id).push(client);
    else this.waiting.set(id, [client]);
    if (!isUnderWay) this.changed(container);
  }

  ended(step: i32, outcome: Outcome | null, _failure: Failure | null): void {
    const name = this.current;
    this.current = "";
    if (outcome !== null) this.keep(step, name, <i64>(<OutcomeSize>outcome).value);
    this.tell(name);
    this.next();
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    if (engine.now.monotonic - this.wantedAt < INTEREST) this.refresh();
  }

  private refresh(): void {
    this.timer = wakeAfter(this, Step.Timer, PERIOD);
    const containers = engine.containers.all();
    for (let i = 0; i < containers.length; i++) {
      if (containers[i].running || !isCounted(containers[i])) this.changed(containers[i]);
    }
    const volumes = engine.volumes.all();
    for (let i = 0; i < volumes.length; i++) if (volumes[i].size < 0) this.enqueueVolume(volumes[i].name);
    this.next();
  }

  private enqueueVolume(name: string): void {
    if (!this.volumes.includes(name)) this.volumes.push(name);
  }

  private next(): void {
    while (this.current.length == 0 && this.containers.length > 0) {
      const id = this.containers.shift();
      const container = engine.containers.find(id);
      if (container === null) {
        this.tell(id);
        continue;
      }
      this.current = container.id;
      this.run = container.run;
      askContent(this, Step.Container, new ContentCommandMeasure(container.id));
    }
    while (this.current.length == 0 && this.volumes.length > 0) {
      const name = this.volumes.shift();
      if (engine.volumes.find(name) === null) continue;
      this.current = name;
      askVolumes(this, Step.Volume, new VolumeCommandMeasure(name));
    }
  }

  private tell(id: string): void {
    if (!this.waiting.has(id)) return;
    const clients = this.waiting.get(id);
    this.waiting.delete(id);
    for (let i = 0; i < clients.length; i++) clients[i].counted();
  }

  private keep(step: i32, name: string, bytes: i64): void {
    if (step == Step.Volume) {
      const volume = engine.volumes.find(name);
      if (volume !== null) volume.size = bytes;
      return;
    }
    const container = engine.containers.find(name);
    if (container !== null) keepWritten(container, this.run, bytes);
  }
}

/** What a container's files held at a time of a run, or after it: only that is worth a record. */
export function keepWritten(container: Container, run: u32, bytes: i64): void {
  const last = !container.running && !container.between && container.run == run;
  const news = container.counted != bytes || container.countedRun != run;
  container.written = bytes;
  if (!last || !news) return;
  container.counted = bytes;
  container.countedRun = run;
  container.touch();
}

/** What is kept is what there is: nothing has run since. */
export function isCounted(container: Container): bool {
  return !container.running && !container.between && container.countedRun == container.run;
}
