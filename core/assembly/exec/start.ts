// POST /exec/{id}/start (surface §2.9). An attached exec uses the connection as its stdio; the answer for a detached
// exec says whether it is running.

import { Closing, Framing, Head, Hijack, StdioExec } from "../../../build/bindings/types";
import { headerOf } from "../api/headers";
import { readObject } from "../api/json-body";
import { Call, Follower } from "../call";
import { parseDetachKeys } from "../container/output/detach-keys";
import { streamType } from "../container/output/stream-type";
import { openCalls } from "../open-calls";
import { conflict, Refusal } from "../refusal";
import { endReply, headersOf, hijack, refused, sendEmpty, sendRefusal } from "../reply";
import { engine } from "../state";
import { takeConsoleSize } from "./create";
import { Exec, Stage } from "./exec";
import { EXEC_START } from "./exec-config";
import { emitExec } from "./exec-event";
import { Launching } from "./launching";
import { execStore } from "./store";
import { tell } from "./tell";

export function startExec(call: Call): Refusal | null {
  const body = readObject(call, EXEC_START);
  const config = body.json;
  if (config === null) return body.refusal;
  const lookup = execStore.lookUpActive(call.name);
  const exec = lookup.exec;
  if (exec === null) return lookup.refusal;
  // In a frozen container the exec would never start, so this waits until the freeze or thaw is complete.
  if (exec.container.turning) {
    listen(call);
    exec.container.queue.push(call);
    return null;
  }

  const again = refuseAgain(exec);
  if (config.boolOf("Detach")) {
    if (again !== null) return again;
    new DetachedStart(exec, call).begin(true, 0);
    return null;
  }
  // From here on, errors are sent in the stream (surface §2.3).
  const tty = config.boolOf("Tty");
  if (again !== null) return refuseAttached(call, exec, again, tty);
  if (tty) takeConsoleSize(exec, config);
  new AttachedStart(exec, call, tty).begin(false, 0);
  return null;
}

function refuseAgain(exec: Exec): Refusal | null {
  if (exec.stage == Stage.Created) return null;
  if (exec.stage == Stage.Ended) return conflict(`exec command ${exec.id} has already run`);
  return conflict(`exec command ${exec.id} is already running`);
}

/** Hijacks the connection first, then sends the error. */
function refuseAttached(call: Call, exec: Exec, refusal: Refusal, tty: bool): Refusal | null {
  refused(call, refusal);
  const none = new Uint8Array(0);
  hijack(
    call,
    new Hijack(headOf(call, tty), new StdioExec(exec.id), false, false, false, Framing.Raw, true, none),
    null,
  );
  tell(call, refusal.message, !tty);
  endReply(call);
  return null;
}

/** `Tty` of the start decides whether the stream is framed; `Tty` of create whether the exec has a terminal. */
function attach(call: Call, exec: Exec, tty: bool): void {
  exec.attached = call;
  exec.framed = !tty;
  const stdio = new Hijack(
    headOf(call, tty),
    new StdioExec(exec.id),
    exec.openStdin,
    exec.openStdout,
    exec.openStderr && !tty,
    tty ? Framing.Raw : Framing.Multiplexed,
    true,
    exec.tty ? keysOf(exec) : new Uint8Array(0),
  );
  hijack(call, stdio, new Detachment(exec));
}

function keysOf(exec: Exec): Uint8Array {
  return exec.detachKeys.length > 0 ? exec.detachKeys : parseDetachKeys("")!;
}

/** The three header lines of attach, or its single one, followed here by the engine's common headers (surface §2.6). */
function headOf(call: Call, tty: bool): Head {
  const all = headersOf(call).all;
  if (headerOf(call.request.headers, "Upgrade") === null) {
    return new Head(200, `Content-Type: application/vnd.docker.raw-stream\n${all}`);
  }
  return new Head(101, `Content-Type: ${streamType(call, tty)}\nConnection: Upgrade\nUpgrade: tcp\n${all}`);
}

/** The exec continues when its client disconnects. */
class Detachment extends Follower {
  constructor(private readonly exec: Exec) {
    super();
  }

  closed(_call: Call, why: Closing): void {
    this.exec.attached = null;
    if (why == Closing.Detached) emitExec(this.exec, "exec_detach");
  }
}

/** The engine must know if the client disconnects before it is answered. */
function listen(call: Call): void {
  if (!call.gone) openCalls.add(call);
}

abstract class ClientStart extends Launching {
  constructor(
    exec: Exec,
    protected readonly call: Call,
  ) {
    super(exec);
    listen(call);
  }

  /** The request is handled again from the beginning. */
  protected heldUp(): void {
    this.call.again(this.call);
  }
}

class DetachedStart extends ClientStart {
  launched(): void {
    sendEmpty(this.call, 200);
  }

  refused(refusal: Refusal): void {
    sendRefusal(this.call, refusal);
  }
}

class AttachedStart extends ClientStart {
  constructor(
    exec: Exec,
    call: Call,
    private readonly tty: bool,
  ) {
    super(exec, call);
  }

  protected opens(): void {
    if (!this.call.gone) attach(this.call, this.exec, this.tty);
  }

  protected get alone(): bool {
    return this.call.gone;
  }

  /** A client that is attached to no stream has nothing to wait for. */
  launched(): void {
    const exec = this.exec;
    if (!exec.openStdin && !exec.openStdout && !exec.openStderr) this.letGo();
  }

  refused(refusal: Refusal): void {
    const call = this.exec.attached;
    if (call !== null) {
      refused(call, refusal);
      tell(call, refusal.message, this.exec.framed);
    }
    this.letGo();
  }

  private letGo(): void {
    const call = this.exec.attached;
    this.exec.attached = null;
    if (call !== null) endReply(call);
  }
}
