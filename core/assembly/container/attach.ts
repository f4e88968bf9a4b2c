// POST /containers/{id}/attach (surface §2.6, §2.8): the connection becomes the container's stdio.

import { Closing, Framing, Head, Hijack, RunStdio, StdioRun } from "../../../build/bindings/types";
import { flagOf } from "../api/parameters";
import { headerOf } from "../api/headers";
import { Call } from "../call";
import { emitContainer } from "../event/emit";
import { badParameter, conflict, Refusal, statusOf } from "../refusal";
import { endReply, hijack, refused, sendBare, textBody } from "../reply";
import { engine } from "../state";
import { Container } from "./container";
import { parseDetachKeys } from "./detach-keys";
import { Status } from "./lifecycle";
import { StopFollowing } from "./logs";
import { streamType } from "./stream-type";

const RAW = "application/vnd.docker.raw-stream";

export function attachContainer(call: Call): Refusal | null {
  const refusal = attach(call);
  // Its errors are plain text, and the connection is closed after them (surface §2.6).
  if (refusal !== null) {
    refused(call, refusal);
    sendBare(call, statusOf(refusal.kind), `Content-Type: ${RAW}`, textBody(refusal.message + "\r\n"));
  }
  return null;
}

function attach(call: Call): Refusal | null {
  const keys = parseDetachKeys(call.query.first("detachKeys"));
  if (keys === null) return badParameter(`Invalid detach keys (${call.query.first("detachKeys")}) provided`);
  const lookup = engine.containers.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.status == Status.Paused) {
    return conflict(`container ${call.name} is paused, unpause the container before attach`);
  }

  const live = flagOf(call.query, "stream");
  hijack(call, stdioOf(call, container, live, keys), new Detachment(container));
  emitContainer(container, "attach");
  if (live && container.status != Status.Removing) container.attached.push(call);
  else endReply(call);
  return null;
}

/** With an `Upgrade` header of any value 101, else 200 (surface §2.6). */
function headOf(call: Call, container: Container): Head {
  if (headerOf(call.request.headers, "Upgrade") === null) return new Head(200, `Content-Type: ${RAW}`);
  return new Head(101, `Content-Type: ${streamType(call, container.tty)}\nConnection: Upgrade\nUpgrade: tcp`);
}

function stdioOf(call: Call, container: Container, live: bool, keys: Uint8Array): Hijack {
  const stdin = flagOf(call.query, "stdin") && container.openStdin;
  return new Hijack(
    headOf(call, container),
    new StdioRun(new RunStdio(container.id, runOf(container), flagOf(call.query, "logs"), live)),
    stdin && live,
    flagOf(call.query, "stdout"),
    flagOf(call.query, "stderr") && !container.tty,
    container.tty ? Framing.Raw : Framing.Multiplexed,
    !stdin || (container.stdinOnce && !container.tty),
    container.tty ? keys : new Uint8Array(0),
  );
}

/** The run that goes on, or the next one. */
function runOf(container: Container): u32 {
  const goesOn = container.running || container.status == Status.Starting;
  return goesOn ? container.run : container.run + 1;
}

class Detachment extends StopFollowing {
  constructor(private readonly detached: Container) {
    super(detached);
  }

  closed(call: Call, why: Closing): void {
    super.closed(call, why);
    if (why == Closing.Detached) emitContainer(this.detached, "detach");
  }
}
