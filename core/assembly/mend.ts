// The restart: what was durable is compared with what the host found, and the two are brought together.

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
import { resumeRemoval } from "./container/remove/remove";
import { scheduleRestart } from "./container/restart/backoff";
import { resumeRestart } from "./container/restart/restart";
import { startWithEngine } from "./container/start/start-with-engine";
import { containerStore } from "./container/store";
import { mendLimits } from "./container/update/limiting";
import { containerSizes } from "./container/usage/sizes";
import { emitStart } from "./event/emit";
import { dropUnbegun, mendExecs } from "./exec/mend";
import { imageStore } from "./image/store";
import { keepEndpoint } from "./network/join";
import { makeBridges } from "./network/make-bridges";
import { networkStore } from "./network/store";
import { acting, ENGINE_START, OUT_OF_MEMORY } from "./origin";
import { tellAdopted, tellMended } from "./records/found";
import { HELD_RECORDS } from "./records/kinds";
import { restore } from "./records/restore";
import { setAside } from "./records/set-aside";
import { engine } from "./state";
import { findLostNetworks, strayNetworks, sweep } from "./sweep";
import { beginMaking, restoreOwners } from "./volume/untold";

/** Docker's code for a container whose end nobody saw. */
const UNKNOWN_CODE: u32 = 255;
/** The supervisor was killed, and with it what it watched. */
const SUPERVISOR_LOST_CODE: u32 = 137;

export function mend(records: Stored[], inventory: Inventory): void {
  restore(records);
  findLostNetworks(inventory.networks);
  networkStore.ensurePredefined();
  const containers = containerStore.all();
  // Before anything is swept: what is mounted for their making belongs to nobody any more.
  const halfMade = takeHalfMade(containers);
  sweep(inventory);
  for (let i = 0; i < halfMade.length; i++) beginMaking(halfMade[i]);
  restoreOwners(containers);
  for (let i = 0; i < containers.length; i++) keepEndpoint(containers[i]);
  for (let i = 0; i < containers.length; i++) tieLinks(containers[i]);
  acting.alone(ENGINE_START);
  mendExecs(records, inventory.execs);
  for (let i = 0; i < containers.length; i++) {
    mendContainer(containers[i], findProcess(inventory.processes, containers[i]));
  }
  acting.alone(ENGINE_START);
  for (let i = 0; i < containers.length; i++) if (containers[i].limiting) mendLimits(containers[i]);
  imageStore.mend(inventory.chains);
  mendLinked();
  dropUnbegun();
  mendHeld(records);
  setAside.end();
  for (let i = 0; i < containers.length; i++) if (containers[i].startsAgain) resumeRestart(containers[i]);
  for (let i = 0; i < halfMade.length; i++) resumeCreation(halfMade[i]);
  startWithEngine(containers);
  makeBridges(strayNetworks(inventory.networks));
  // Runs have gone on without the engine, and counts were cut off with it.
  containerSizes.refresh();
}

function takeHalfMade(containers: Container[]): Container[] {
  const taken = containers.filter((container: Container) => container.creating);
  for (let i = 0; i < taken.length; i++) taken[i].creating = false;
  return taken;
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
  acting.alone(ENGINE_START);
  switch (container.status) {
    case Status.Starting:
      return mendStarting(container, found);
    case Status.Running:
    case Status.Paused:
      return mendRunning(container, found);
    case Status.Unwinding:
    case Status.Releasing:
      tellMended(runOf(container), "what it used is given back");
      return release(container, null);
    case Status.Recycling:
      tellMended(runOf(container), "what it used is given back, and another run follows");
      scheduleRestart(container);
      return release(container, null);
    case Status.Restarting:
      tellMended(`container ${container.id}`, "its policy lets another run follow");
      return scheduleRestart(container);
    case Status.Removing:
      tellMended(`container ${container.id}`, "its removal goes on");
      acting.origin = originOf(container.lastChange);
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
    tellAdopted(runOf(container), "it came to life, though nobody was told");
    container.advance(Cause.Started);
    volumesFilled(container);
    container.everRan = true;
    container.startedAt = startOf(state!);
    container.exitCode = 0;
    // The run that a restart was to begin is this one.
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

/** When it was started; of one that has ended nobody knows, but not later than that. */
function startOf(state: ProcessState): i64 {
  if (state.tag == ProcessStateTag.Running) return (<ProcessStateRunning>state).value.at;
  return min(engine.now.wall, (<ProcessStateExited>state).value.at);
}

function mendRunning(container: Container, found: FoundProcess | null): void {
  if (found !== null) killedMeanwhile(container, found.memoryKills);
  const state: ProcessState | null = found === null ? null : found.state;
  if (state === null || state.tag == ProcessStateTag.Unstarted) {
    const exit = new Exit(UNKNOWN_CODE, false, false, engine.now.wall);
    return endedMeanwhile(container, exit, "nothing is left of its process", stampedLength(container, exit.at));
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

/** What the kernel has killed for memory while nobody was there to tell it. */
function killedMeanwhile(container: Container, kills: u32): void {
  acting.alone(OUT_OF_MEMORY);
  ranOutOfMemory(container, kills);
  acting.alone(ENGINE_START);
}

function goesOn(container: Container, launched: Launched): void {
  // Pausing has ended its health checks already: thawed, it stays what that has made of it until the next one.
  if (container.status == Status.Paused && container.health !== null) container.healthRun = container.run;
  // What is as the record says is not written again: an engine must come up on a full disk, too.
  if (container.pid != launched.pid || container.startedAt != launched.at) takeOver(container, launched);
  adoptRun(container);
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
