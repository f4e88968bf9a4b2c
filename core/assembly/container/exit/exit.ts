// The end of a run: everyone who waits for it is told at once, then its resources are released.

import { Exit } from "../../../../build/bindings/types";
import { containerEvent, emitContainer, emitNetworks, emitUnmounts } from "../../event/emit";
import { eventRing } from "../../event/ring";
import { endExecs } from "../../exec/ended";
import { acting, OUT_OF_MEMORY } from "../../origin";
import { NO_TIME } from "../../text/time";
import { Container } from "../container";
import { Cause } from "../lifecycle";
import { holdNoMore } from "../pause/held-still";
import { scheduleRestart } from "../restart/backoff";
import { isFollowed } from "../restart/restart-policy";
import { endAttached } from "./end-attached";
import { release } from "./release";
import { answerWaiters } from "./wait";
import { Condition } from "./waiter";

/** `lasted`: nanoseconds. */
export function exitedByItself(container: Container, exit: Exit, lasted: i64): void {
  if (!container.running) return;
  endedBy(container, exit);
  const followed = isFollowed(container, <i32>exit.code, lasted);
  recordExit(container, exit, followed ? Cause.Recycle : Cause.Exit);
  holdNoMore(container);
  endExecs(container);
  if (exit.outOfMemory && container.memoryKills == 0) ranOutOfMemory(container, 1);
  emitDie(container, exit, lasted);
  emitNetworks(container, "disconnect");
  emitUnmounts(container);
  endAttached(container);
  answerWaiters(container, Condition.NextExit);
  const ends = container.runEnds;
  container.runEnds = [];
  for (let i = 0; i < ends.length; i++) ends[i].runEnded(container);
  if (followed) scheduleRestart(container);
  release(container, null);
}

/** The origin of the exit is whoever asked for it, or else its cause. */
function endedBy(container: Container, exit: Exit): void {
  const ender = container.ender;
  container.ender = null;
  if (ender !== null) acting.origin = ender;
  else if (exit.outOfMemory) acting.alone(OUT_OF_MEMORY);
}

/**
 * `kills`: OOM kills in this run so far. The record holds how many
 * were reported: after a restart the engine reports the rest.
 */
export function ranOutOfMemory(container: Container, kills: u32): void {
  if (kills <= container.memoryKills) return;
  container.memoryKills = kills;
  container.outOfMemory = true;
  container.touch();
  emitContainer(container, "oom");
}

function recordExit(container: Container, exit: Exit, cause: Cause): void {
  container.advance(cause);
  container.exitCode = <i32>exit.code;
  container.finishedAt = exit.at;
  container.begunAt = NO_TIME;
  if (exit.lost) container.error = "the container's supervisor was killed, and its exit code is not known";
}

/** `execDuration` counts whole seconds of the run. */
function emitDie(container: Container, exit: Exit, lasted: i64): void {
  eventRing.emit(
    containerEvent(container, "die")
      .with("execDuration", (lasted / 1_000_000_000).toString())
      .with("exitCode", exit.code.toString()),
  );
}
