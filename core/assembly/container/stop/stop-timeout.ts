// How a run is ended: a signal, a timeout, then SIGKILL (surface §2.16).

import { Failure, Outcome } from "../../../../build/bindings/types";
import { ParsedInteger } from "../../api/parameters";
import { Call } from "../../call";
import { failureText } from "../../failure/text";
import { Container, NO_TIMEOUT } from "../container";
import { disarm } from "../restart/restart-policy";
import { KILL_STEP, Killing } from "./kill-timeout";
import { isRefused } from "./refused-signal";
import { sendSignal, thaw } from "./send-signal";
import { parseSignal, SIGKILL, SIGTERM } from "./signals";

/** Docker's default timeout, in seconds. */
const DEFAULT_TIMEOUT = 10;
/** The version that has the parameter `signal`. */
const WITH_SIGNAL = 42;
/** Step of the first signal, and of the timeout after it. */
const SIGNAL_STEP: i32 = 0;
/** Seconds to wait if the signal could not be sent. */
const AFTER_FAILED_SIGNAL: i64 = 2;
/** A longer timeout counts as unlimited. */
const LONGEST_TIMEOUT: i64 = 1 << 32;

/** The signal that the client asks for, or the container's own, or SIGTERM; 0 for an invalid one. */
export function signalOf(container: Container, call: Call): u32 {
  const wanted = call.version >= WITH_SIGNAL ? call.query.first("signal") : "";
  return wanted.length > 0 ? parseSignal(wanted) : ownSignalOf(container);
}

export function ownSignalOf(container: Container): u32 {
  return container.stopSignal > 0 ? container.stopSignal : SIGTERM;
}

/** Seconds; negative for no timeout. */
export function timeoutOf(container: Container, given: ParsedInteger): i64 {
  if (given.given) return given.value;
  return container.stopTimeout == NO_TIMEOUT ? DEFAULT_TIMEOUT : container.stopTimeout;
}

export abstract class Ending extends Killing {
  constructor(
    container: Container,
    private readonly signal: u32,
    /** Negative for no timeout. */
    private readonly seconds: i64,
  ) {
    super(container);
  }

  begin(): void {
    disarm(this.container);
    this.container.runEnds.push(this);
    if (this.signal != SIGKILL) {
      sendSignal(this, SIGNAL_STEP, this.container, this.signal);
      thaw(this.container);
    }
    if (this.signal == SIGKILL || this.seconds == 0) this.kill();
    else if (this.seconds > 0 && this.seconds <= LONGEST_TIMEOUT) this.wake(SIGNAL_STEP, this.seconds);
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (!isRefused(failure) || !this.waits) return;
    if (step == KILL_STEP) this.giveUp(failureText(failure!));
    else if (this.seconds != 0) this.wake(SIGNAL_STEP, AFTER_FAILED_SIGNAL);
  }
}
