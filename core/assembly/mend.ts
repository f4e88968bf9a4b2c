// The restart: what was durable is compared with what the host found, and the two are brought together.

import {
  ContentCommandDropContainer,
  ContentCommandUnmount,
  Exit,
  FoundJoin,
  FoundProcess,
  Inventory,
  Leave,
  NetworkCommandDrop,
  NetworkCommandLeave,
  ProcessCommandReap,
  ProcessState,
  ProcessStateExited,
  ProcessStateRunning,
  ProcessStateTag,
  Stored,
  Subject,
  VolumeCommandDrop,
  VolumeCommandMake,
} from "../../build/bindings/types";
import { askContent, askNetworks, askProcesses, askVolumes, putRecord } from "./ask";
import { Container } from "./container/container";
import { exitedByItself } from "./container/exit";
import { mendLimits } from "./container/limiting";
import { HELD_RECORDS, mendHeldStill } from "./container/held-still";
import { Ignored } from "./ignored";
import { Cause, Status } from "./container/lifecycle";
import { mendLinked } from "./container/linked";
import { tieLinks } from "./container/links";
import { readRecord } from "./container/record";
import { release } from "./container/release";
import { resumeRemoval } from "./container/remove";
import { resumeRestart } from "./container/restart";
import { scheduleRestart } from "./container/restarting";
import { startWithEngine } from "./container/start-with-engine";
import { mendExecs } from "./exec/mend";
import { keepEndpoint } from "./network/connect";
import { makeBridges } from "./network/making";
import { readNetwork } from "./network/network";
import { engine } from "./state";
import { decodeUtf8, encodeUtf8 } from "./text/utf8";
import { readVolume } from "./volume/store";

/** Docker's code for a container whose end nobody saw. */
const UNKNOWN_CODE: u32 = 255;
/** The supervisor was killed, and with it what it watched. */
const SUPERVISOR_LOST_CODE: u32 = 137;

export function mend(records: Stored[], inventory: Inventory): void {
  restore(records);
  if (engine.id.length == 0) {
    engine.id = engine.ids.next();
    putRecord("engine/id", encodeUtf8(engine.id));
  }
  engine.networks.ensurePredefined();
  sweep(inventory);
  makeMissingVolumes(inventory.volumes);
  const containers = engine.containers.all();
  for (let i = 0; i < containers.length; i++) keepEndpoint(containers[i]);
  for (let i = 0; i < containers.length; i++) tieLinks(containers[i]);
  for (let i = 0; i < containers.length; i++) {
    mendContainer(containers[i], findProcess(inventory.processes, containers[i]));
  }
  for (let i = 0; i < containers.length; i++) if (containers[i].limiting) mendLimits(containers[i]);
  engine.images.mend(inventory.chains);
  mendLinked();
  mendExecs(inventory.execs);
  mendHeld(records);
  for (let i = 0; i < containers.length; i++) if (containers[i].startsAgain) resumeRestart(containers[i]);
  startWithEngine(containers);
  makeBridges();
}

function restore(records: Stored[]): void {
  for (let i = 0; i < records.length; i++) {
    const key = records[i].key;
    if (key == "engine/id") engine.id = decodeUtf8(records[i].value);
    else if (key.startsWith("container/")) restoreContainer(records[i]);
    else if (key.startsWith("network/")) restoreNetwork(records[i]);
    else if (key.startsWith("volume/")) restoreVolume(records[i]);
    else engine.images.restore(key, records[i].value);
  }
}

function restoreContainer(record: Stored): void {
  const container = readRecord(record.value);
  if (container !== null) engine.containers.add(container);
}

function restoreNetwork(record: Stored): void {
  const network = readNetwork(record.value);
  if (network !== null) engine.networks.add(network);
}

function restoreVolume(record: Stored): void {
  const volume = readVolume(record.value);
  if (volume !== null) engine.volumes.restore(volume);
}

/** The state of the container's last run; null if the host knows nothing of it. */
function findProcess(processes: FoundProcess[], container: Container): FoundProcess | null {
  for (let i = 0; i < processes.length; i++) {
    if (processes[i].container == container.id && processes[i].run == container.run) return processes[i];
  }
  return null;
}

/** What was frozen, or held still, when the engine ended goes on. */
function mendHeld(records: Stored[]): void {
  for (let i = 0; i < records.length; i++) {
    const key = records[i].key;
    if (key.startsWith(HELD_RECORDS)) mendHeldStill(key.slice(HELD_RECORDS.length), records[i].value);
  }
}

function mendContainer(container: Container, found: FoundProcess | null): void {
  switch (container.status) {
    case Status.Starting:
      return mendStarting(container, found);
    case Status.Running:
    case Status.Paused:
      return mendRunning(container, found);
    case Status.Unwinding:
    case Status.Releasing:
      return release(container, null);
    case Status.Recycling:
      scheduleRestart(container);
      return release(container, null);
    case Status.Restarting:
      return scheduleRestart(container);
    case Status.Removing:
      return resumeRemoval(container);
    default:
      return;
  }
}

/** Killed between the request and the answer: a process that came to life counts as started, else all is undone. */
function mendStarting(container: Container, found: FoundProcess | null): void {
  const state: ProcessState | null = found === null ? null : found.state;
  const lives = state !== null && (state.tag == ProcessStateTag.Running || state.tag == ProcessStateTag.Exited);
  if (lives) {
    container.advance(Cause.Started);
    container.everRan = true;
    container.startedAt = startOf(state!);
    return mendRunning(container, found);
  }
  container.advance(Cause.StartFailed);
  container.error = "the engine was stopped while the container was being started";
  container.exitCode = <i32>UNKNOWN_CODE;
  release(container, null);
}

/** When it was started; of one that has ended nobody knows, but not later than that. */
function startOf(state: ProcessState): i64 {
  if (state.tag == ProcessStateTag.Running) return (<ProcessStateRunning>state).value.at;
  return min(engine.now.wall, (<ProcessStateExited>state).value.at);
}

function mendRunning(container: Container, found: FoundProcess | null): void {
  const state: ProcessState | null = found === null ? null : found.state;
  if (state === null || state.tag == ProcessStateTag.Unstarted) {
    return exitedByItself(container, new Exit(UNKNOWN_CODE, false, false, engine.now.wall));
  }
  if (state.tag == ProcessStateTag.Running) {
    const launched = (<ProcessStateRunning>state).value;
    // What is as the record says is not written again: an engine must come up on a full disk, too.
    if (container.pid == launched.pid && container.startedAt == launched.at) return;
    container.pid = launched.pid;
    container.startedAt = launched.at;
    return container.touch();
  }
  if (state.tag == ProcessStateTag.Exited) return exitedByItself(container, (<ProcessStateExited>state).value);
  exitedByItself(container, new Exit(SUPERVISOR_LOST_CODE, false, true, engine.now.wall));
}

/** What the host found and no record speaks of is cleared away. */
function sweep(inventory: Inventory): void {
  for (let i = 0; i < inventory.processes.length; i++) sweepProcess(inventory.processes[i]);
  for (let i = 0; i < inventory.joins.length; i++) sweepJoin(inventory.joins[i]);
  for (let i = 0; i < inventory.mounts.length; i++) {
    if (!mayUse(inventory.mounts[i]) || isRemoving(inventory.mounts[i])) {
      askContent(new Ignored(), 0, new ContentCommandUnmount(inventory.mounts[i]));
    }
  }
  for (let i = 0; i < inventory.containers.length; i++) {
    if (engine.containers.find(inventory.containers[i]) === null) {
      askContent(new Ignored(), 0, new ContentCommandDropContainer(inventory.containers[i]));
    }
  }
  for (let i = 0; i < inventory.networks.length; i++) {
    if (engine.networks.find(inventory.networks[i]) !== null) continue;
    askNetworks(new Ignored(), 0, new NetworkCommandDrop(inventory.networks[i]));
  }
  for (let i = 0; i < inventory.volumes.length; i++) {
    if (engine.volumes.find(inventory.volumes[i]) !== null) continue;
    askVolumes(new Ignored(), 0, new VolumeCommandDrop(inventory.volumes[i]));
  }
}

/** A volume's record is older than the volume. */
function makeMissingVolumes(found: string[]): void {
  const volumes = engine.volumes.all();
  for (let i = 0; i < volumes.length; i++) {
    if (!found.includes(volumes[i].name)) askVolumes(new Ignored(), 0, new VolumeCommandMake(volumes[i].name));
  }
}

function sweepProcess(found: FoundProcess): void {
  const container = engine.containers.find(found.container);
  if (container !== null && container.run == found.run && mayUse(found.container)) return;
  askProcesses(new Ignored(), 0, new ProcessCommandReap(new Subject(found.container, found.run)));
}

function sweepJoin(found: FoundJoin): void {
  if (!mayUse(found.container)) {
    askNetworks(new Ignored(), 0, new NetworkCommandLeave(new Leave(found.container, found.network)));
  }
}

/** Clients may have been reading its files: they were mounted for that. */
function isRemoving(id: string): bool {
  const container = engine.containers.find(id);
  return container !== null && container.status == Status.Removing;
}

/** Whether the container's status lets it have a mount, a network, a process. */
function mayUse(id: string): bool {
  const container = engine.containers.find(id);
  return container !== null && (container.running || container.between || container.status == Status.Removing);
}
