// POST /containers/{id}/attach (surface §2.6, §2.8): the connection becomes the container's stdio.

import { Closing, Framing, Head, Hijack, RunStdio, StdioRun } from "../../../../build/bindings/types";
import { headerOf } from "../../api/headers";
import { flagOf } from "../../api/parameters";
import { Call } from "../../call";
import { emitContainer } from "../../event/emit";
import { badParameter, conflict, notSupported, Refusal, statusOf } from "../../refusal";
import { endReply, hijack, refused, sendBare, textBody } from "../../reply";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { containerStore } from "../store";
import { parseDetachKeys } from "./detach-keys";
import { logDriverOf } from "./log-config";
import { StopFollowing, UNREADABLE } from "./logs";
import { streamType } from "./stream-type";

const RAW = "application/vnd.docker.raw-stream";

export function attachContainer(call: Call): Refusal | null {
  const refusal = attach(call);
  // Errors are plain text, and the connection is closed after them (surface §2.6).
  if (refusal !== null) {
    refused(call, refusal);
    sendBare(call, statusOf(refusal.kind), `Content-Type: ${RAW}`, textBody(refusal.message + "\r\n"));
  }
  return null;
}

function attach(call: Call): Refusal | null {
  const wanted = wantedAttachment(call);
  const container = wanted.container;
  if (container === null) return wanted.refusal;
  const query = call.query;
  const streams = new Streams(flagOf(query, "stdin"), flagOf(query, "stdout"), flagOf(query, "stderr"));
  const framing = container.tty ? Framing.Raw : Framing.Multiplexed;
  begin(call, container, stdioOf(call, container, headOf(call, container), streams, framing, wanted.keys));
  return null;
}

/** The container to attach to, or why the client is refused. */
export class WantedAttachment {
  constructor(
    readonly container: Container | null,
    readonly keys: Uint8Array,
    readonly refusal: Refusal | null,
  ) {}
}

export function wantedAttachment(call: Call): WantedAttachment {
  const text = call.query.first("detachKeys");
  const keys = parseDetachKeys(text);
  if (keys === null) return refusing(badParameter(`Invalid detach keys (${text}) provided`));
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return refusing(lookup.refusal!);
  if (container.status == Status.Paused) {
    return refusing(conflict(`container ${call.name} is paused, unpause the container before attach`));
  }
  if (container.restarting) {
    return refusing(conflict(`container ${call.name} is restarting, wait until the container is running`));
  }
  if (flagOf(call.query, "logs") && logDriverOf(container) == "none") return refusing(notSupported(UNREADABLE));
  return new WantedAttachment(container, keys, null);
}

function refusing(refusal: Refusal): WantedAttachment {
  return new WantedAttachment(null, new Uint8Array(0), refusal);
}

/** Binds the connection to the container's stdio. */
export function begin(call: Call, container: Container, stdio: Hijack): void {
  hijack(call, stdio, new Detachment(container));
  emitContainer(container, "attach");
  if (flagOf(call.query, "stream") && container.status != Status.Removing) container.attached.push(call);
  else endReply(call);
}

/** The streams that a client asks for. */
export class Streams {
  constructor(
    readonly stdin: bool,
    readonly stdout: bool,
    readonly stderr: bool,
  ) {}
}

/** Status 101 if there is an `Upgrade` header of any value, else 200 (surface §2.6). */
function headOf(call: Call, container: Container): Head {
  if (headerOf(call.request.headers, "Upgrade") === null) return new Head(200, `Content-Type: ${RAW}`);
  return new Head(101, `Content-Type: ${streamType(call, container.tty)}\nConnection: Upgrade\nUpgrade: tcp`);
}

export function stdioOf(
  call: Call,
  container: Container,
  head: Head,
  streams: Streams,
  framing: Framing,
  keys: Uint8Array,
): Hijack {
  const live = flagOf(call.query, "stream");
  const stdin = streams.stdin && container.openStdin;
  return new Hijack(
    head,
    new StdioRun(new RunStdio(container.id, runOf(container), flagOf(call.query, "logs"), !container.goesOn, live)),
    stdin && live,
    streams.stdout,
    streams.stderr && !container.tty,
    framing,
    !stdin || (container.stdinOnce && !container.tty),
    container.tty ? keys : new Uint8Array(0),
  );
}

/** Number of the current run, or of the next one. */
function runOf(container: Container): u32 {
  return container.goesOn ? container.run : container.run + 1;
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
