// The restart: compares the records with what the host found, and makes the two agree.

import {
  Exit,
  FoundProcess,
  Inventory,
  Launched,
  ProcessState,
  ProcessStateExited,
  ProcessStateRunning,
  ProcessStateTag,
  Stored,
} from "../../build/bindings/types";
import { Container } from "./container/container";
import { resumeCreation } from "./container/create/creation";
import { exitedByItself, ranOutOfMemory } from "./container/exit/exit";
import { release } from "./container/exit/release";
import { adoptRun, lengthOfUnseen, stampedLength } from "./container/exit/run-length";
import { originOf } from "./container/last-change";
import { Cause, Status } from "./container/lifecycle";
import { tieLinks } from "./container/links/links";
import { mendLinked } from "./container/links/links-of-run";
import { volumesFilled } from "./container/mounts/own-volumes";
import { mendHeldStill } from "./container/pause/held-still";
import { removeLeftOver } from "./container/remove/left-over";
import { resumeRemoval } from "./container/remove/remove";
import { scheduleRestart } from "./container/restart/backoff";
import { resumeRestart } from "./container/restart/restart";
import { startWithEngine } from "./container/start/start-with-engine";
import { containerStore } from "./container/store";
import { mendLimits } from "./container/update/limiting";
import { containerSizes } from "./container/usage/sizes";
import { emitStart } from "./event/emit";
import { dropUnbegun, mendExecs } from "./exec/mend";
import { layerRests } from "./image/layers/layer-rests";
import { imageStore } from "./image/store";
import { keepEndpoints } from "./network/endpoint/join";
import { mendRewiring } from "./network/endpoint/rewiring";
import { makeBridges } from "./network/make-bridges";
import { tellNamesAgain } from "./network/names/tell-names";
import { resumeNetworkRemovals } from "./network/removal";
import { networkStore } from "./network/store";
import { acting, ENGINE_START, OUT_OF_MEMORY } from "./origin";
import { tellAdopted, tellMended } from "./records/found";
import { HELD_RECORDS } from "./records/kinds";
import { restore } from "./records/restore";
import { setAside } from "./records/set-aside";
import { engine } from "./state";
import { findLostNetworks, strayNetworks, sweep } from "./sweep";
import { resumeVolumeRemovals } from "./volume/removal";
import { sweepVolumeMounts } from "./volume/unmounting";
import { beginMaking, restoreOwners } from "./volume/untold";

/** Docker's exit code for a container whose end nobody observed. */
const UNKNOWN_CODE: u32 = 255;
/** Exit code when the supervisor was killed, and the container with it. */
const SUPERVISOR_LOST_CODE: u32 = 137;

export function mend(records: Stored[], inventory: Inventory): void {
  restore(records);
  findLostNetworks(inventory.networks);
  networkStore.ensurePredefined();
  const containers = containerStore.all();
  // This comes before the sweep: mounts that were made for interrupted creations are no longer needed.
  const halfMade = takeHalfMade(containers);
  for (let i = 0; i < containers.length; i++) forgetRewiring(containers[i]);
  sweep(inventory);
  for (let i = 0; i < halfMade.length; i++) beginMaking(halfMade[i]);
  restoreOwners(containers);
  for (let i = 0; i < containers.length; i++) keepEndpoints(containers[i]);
  for (let i = 0; i < containers.length; i++) tieLinks(containers[i]);
  acting.alone(ENGINE_START);
  mendExecs(records, inventory.execs);
  for (let i = 0; i < containers.length; i++) {
    mendContainer(containers[i], findProcess(inventory.processes, containers[i]));
  }
  acting.alone(ENGINE_START);
  for (let i = 0; i < containers.length; i++) if (containers[i].limiting) mendLimits(containers[i]);
  for (let i = 0; i < containers.length; i++) if (containers[i].rewiring) mendRewiring(containers[i]);
  imageStore.mend(inventory.chains);
  layerRests.found(inventory.rests);
  mendLinked();
  dropUnbegun();
  mendHeld(records);
  setAside.end();
  for (let i = 0; i < containers.length; i++) if (containers[i].startsAgain) resumeRestart(containers[i]);
  for (let i = 0; i < halfMade.length; i++) resumeCreation(halfMade[i]);
  for (let i = 0; i < containers.length; i++) if (containers[i].forBuild) removeAfterBuild(containers[i]);
  resumeVolumeRemovals();
  startWithEngine(containers);
  sweepVolumeMounts();
  makeBridges(strayNetworks(inventory.networks));
  resumeNetworkRemovals();
  // Containers ran on without the engine, and counting was interrupted.
  containerSizes.refresh();
}

/** A run that has ended has nothing left to connect. */
function forgetRewiring(container: Container): void {
  if (container.running || !container.rewiring) return;
  container.rewiring = false;
  container.touch();
}

function takeHalfMade(containers: Container[]): Container[] {
  const taken = containers.filter((container: Container) => container.creating);
  for (let i = 0; i < taken.length; i++) taken[i].creating = false;
  return taken;
}

/** Its build ended with the engine. A creation that goes on removes it by itself. */
function removeAfterBuild(container: Container): void {
  if (container.creating || container.status == Status.Removing) return;
  tellMended(`container ${container.id}`, "it is removed, since its build is over");
  removeLeftOver(container);
}

/** The state of the container's last run; null if the host knows nothing of it. */
function findProcess(processes: FoundProcess[], container: Container): FoundProcess | null {
  for (let i = 0; i < processes.length; i++) {
    if (processes[i].container == container.id && processes[i].run == container.run) return processes[i];
  }
  return null;
}

/** Thaws runs that were being frozen, or were kept frozen, when the engine ended. */
function mendHeld(records: Stored[]): void {
  for (let i = 0; i < records.length; i++) {
    const key = records[i].key;
    if (key.startsWith(HELD_RECORDS)) mendHeldStill(key.slice(HELD_RECORDS.length), records[i].value);
  }
}

function mendContainer(container: Container, found: FoundProcess | null): void {
  acting.alone(ENGINE_START);
  switch (container.status) {
    case Status.Starting:
      return mendStarting(container, found);
    case Status.Running:
    case Status.Paused:
      return mendRunning(container, found);
    case Status.Unwinding:
    case Status.Releasing:
      tellMended(runOf(container), "its resources are released");
      return release(container, null);
    case Status.Recycling:
      tellMended(runOf(container), "its resources are released, and another run follows");
      scheduleRestart(container);
      return release(container, null);
    case Status.Restarting:
      tellMended(`container ${container.id}`, "its restart policy starts another run");
      return scheduleRestart(container);
    case Status.Removing:
      tellMended(`container ${container.id}`, "its removal continues");
      acting.origin = originOf(container.lastChange);
      return resumeRemoval(container);
    default:
      return;
  }
}

/**
 * The engine was killed between the request and the answer. A process
 * that came up counts as started; otherwise the start is undone.
 */
function mendStarting(container: Container, found: FoundProcess | null): void {
  const state: ProcessState | null = found === null ? null : found.state;
  const lives = state !== null && (state.tag == ProcessStateTag.Running || state.tag == ProcessStateTag.Exited);
  if (lives) {
    tellAdopted(runOf(container), "its process was started, but no client was told");
    container.advance(Cause.Started);
    volumesFilled(container);
    container.everRan = true;
    container.startedAt = startOf(state!);
    container.exitCode = 0;
    // This is the run that the restart was to begin.
    container.startsAgain = false;
    emitStart(container);
    return mendRunning(container, found);
  }
  tellMended(runOf(container), "its start is undone");
  container.advance(Cause.StartFailed);
  container.error = "the engine was stopped while the container was being started";
  container.exitCode = <i32>UNKNOWN_CODE;
  release(container, null);
}

/** The start time. For a process that has ended it is unknown, but not later than the end. */
function startOf(state: ProcessState): i64 {
  if (state.tag == ProcessStateTag.Running) return (<ProcessStateRunning>state).value.at;
  return min(engine.now.wall, (<ProcessStateExited>state).value.at);
}

function mendRunning(container: Container, found: FoundProcess | null): void {
  if (found !== null) killedMeanwhile(container, found.memoryKills);
  const state: ProcessState | null = found === null ? null : found.state;
  if (state === null || state.tag == ProcessStateTag.Unstarted) {
    const exit = new Exit(UNKNOWN_CODE, false, false, engine.now.wall);
    return endedMeanwhile(container, exit, "its process is gone", stampedLength(container, exit.at));
  }
  if (state.tag == ProcessStateTag.Running) return goesOn(container, (<ProcessStateRunning>state).value);
  if (state.tag != ProcessStateTag.Exited) {
    const exit = new Exit(SUPERVISOR_LOST_CODE, false, true, engine.now.wall);
    return endedMeanwhile(container, exit, "its supervisor is gone", lengthOfUnseen(container, exit.at));
  }
  const exit = (<ProcessStateExited>state).value;
  const why = `it has ended with code ${exit.code.toString()}`;
  endedMeanwhile(container, exit, why, lengthOfUnseen(container, exit.at));
}

/** Reports OOM kills that happened while no engine ran. */
function killedMeanwhile(container: Container, kills: u32): void {
  acting.alone(OUT_OF_MEMORY);
  ranOutOfMemory(container, kills);
  acting.alone(ENGINE_START);
}

function goesOn(container: Container, launched: Launched): void {
  // Pausing ended the health checks. After a thaw the health state stays the same until the next check.
  if (container.status == Status.Paused && container.health !== null) container.healthRun = container.run;
  // Writes nothing if the record is still right: the engine must start on a full disk, too.
  if (container.pid != launched.pid || container.startedAt != launched.at) takeOver(container, launched);
  adoptRun(container);
  tellNamesAgain(container);
}

function takeOver(container: Container, launched: Launched): void {
  container.pid = launched.pid;
  container.startedAt = launched.at;
  container.touch();
}

function endedMeanwhile(container: Container, exit: Exit, why: string, lasted: i64): void {
  tellMended(runOf(container), why);
  exitedByItself(container, exit, lasted);
}

function runOf(container: Container): string {
  return `run ${container.run.toString()} of container ${container.id}`;
}
