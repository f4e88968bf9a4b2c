// POST /containers/{id}/stop (surface §2.16).

import { integerOf } from "../../api/parameters";
import { Call } from "../../call";
import { emitContainer } from "../../event/emit";
import { badParameter, internal, notModified, Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { endRestarting } from "../restart/backoff";
import { containerStore } from "../store";
import { Ending, signalOf, timeoutOf } from "./stop-timeout";

export function stopContainer(call: Call): Refusal | null {
  const timeout = integerOf(call.query, "t");
  if (timeout.error.length > 0) return badParameter(timeout.error);
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.status == Status.Starting || container.turning || container.comesBack) {
    container.queue.push(call);
    return null;
  }
  if (container.restarting) return stopRestarting(container, call);
  if (!container.running) return notModified();
  const signal = signalOf(container, call);
  if (signal == 0) return internal(`invalid signal: ${call.query.first("signal")}`);

  // Accepted from here on: the work continues even if the client disconnects.
  new Stop(container, call, signal, timeoutOf(container, timeout)).begin();
  return null;
}

function stopRestarting(container: Container, call: Call): Refusal | null {
  endRestarting(container);
  emitContainer(container, "stop");
  sendEmpty(call, 204);
  return null;
}

class Stop extends Ending {
  constructor(
    container: Container,
    private readonly call: Call,
    signal: u32,
    seconds: i64,
  ) {
    super(container, signal, seconds);
  }

  ranOut(): void {
    emitContainer(this.container, "stop");
    sendEmpty(this.call, 204);
  }

  failed(message: string): void {
    sendRefusal(this.call, internal(`cannot stop container: ${this.call.name}: ${message}`));
  }
}
