// Sends answers: statuses, headers and JSON bodies, each kind in one place (surface §2.1, §6.1).

import { release } from "../../build/bindings/heap";
import { perform } from "../../build/bindings/replies";
import {
  Head,
  Hijack,
  LogSource,
  ReplyCommand,
  ReplyCommandBare,
  ReplyCommandBeside,
  ReplyCommandChunk,
  ReplyCommandDrain,
  ReplyCommandHijack,
  ReplyCommandInsert,
  ReplyCommandOpen,
  ReplyCommandSplice,
  ReplyCommandTag,
  ReplyCommandWhole,
  Source,
  SourceLogs,
  Whole,
} from "../../build/bindings/types";
import { MIN_VERSION, versionText } from "./api/versions";
import { Call, Follower } from "./call";
import { JsonWriter } from "./json/writer";
import { openCalls } from "./open-calls";
import { reasons } from "./reason";
import { Refusal, RefusalKind, Refused, statusOf } from "./refusal";
import { engine } from "./state";
import { encodeUtf8 } from "./text/utf8";

const NO_BODY = new Uint8Array(0);

/** Headers of every routed answer; the version check comes before `Docker-Experimental` (surface §2.1). */
class CommonHeaders {
  readonly unchecked: string;
  readonly all: string;
  readonly json: string;

  constructor(newest: string) {
    const os = engine.options.machine.os;
    const server = `Server: Docker/${engine.options.version} (${os})`;
    this.unchecked = `Api-Version: ${newest}\nOstype: ${os}\n${server}`;
    const all = `Api-Version: ${newest}\nDocker-Experimental: false\nOstype: ${os}\n${server}`;
    this.all = all;
    this.json = `${all}\nContent-Type: application/json`;
  }
}

/** By the newest version that they name. */
const commonHeaders: Map<i32, CommonHeaders> = new Map<i32, CommonHeaders>();

export function headersOf(call: Call): CommonHeaders {
  const newest = call.newest;
  if (!commonHeaders.has(newest)) commonHeaders.set(newest, new CommonHeaders(versionText(newest)));
  return commonHeaders.get(newest);
}

export function sendWhole(call: Call, status: u16, headers: string, body: Uint8Array): void {
  openCalls.remove(call.id);
  perform(call.id, new ReplyCommandWhole(new Whole(new Head(status, headers), body, false)));
}

/**
 * A 200 that does not depend on the state: it is sent without waiting for records to be flushed, and a host may give it
 * again (`stateless` in replies.wit).
 */
export function sendStateless(call: Call, headers: string, body: Uint8Array): void {
  openCalls.remove(call.id);
  perform(call.id, new ReplyCommandWhole(new Whole(new Head(200, headers), body, true)));
}

export function sendJson(call: Call, status: u16, body: Uint8Array): void {
  sendWhole(call, status, headersOf(call).json, body);
}

/**
 * A 200 with what was written, and a final newline. Nothing may be written afterwards. Lists are long, and garbage of
 * their size would have a collection begin after every few.
 */
export function sendWritten(call: Call, json: JsonWriter): void {
  const body = line(json);
  sendJson(call, 200, body);
  release(body);
}

/**
 * The last answer to a client that asked for a hijack: no header is added, and the connection is closed (surface §2.6).
 */
export function sendBare(call: Call, status: u16, headers: string, body: Uint8Array): void {
  openCalls.remove(call.id);
  perform(call.id, new ReplyCommandBare(new Whole(new Head(status, headers), body, false)));
}

/** A 204, or a 200 or 201 from an endpoint without a body. */
export function sendEmpty(call: Call, status: u16): void {
  sendWhole(call, status, headersOf(call).all, NO_BODY);
}

export function sendRefusal(call: Call, refusal: Refusal): void {
  refused(call, refusal);
  if (refusal.kind == RefusalKind.NotModified) return sendEmpty(call, 304);
  const form = new ErrorForm(call);
  sendWhole(call, statusOf(refusal.kind), `${headersOf(call).all}\n${form.headers}`, form.body(refusal.message));
}

/** The form of an error: JSON, or plain text below the first version that all endpoints serve (surface §2.1). */
export class ErrorForm {
  private readonly plain: bool;

  constructor(call: Call) {
    this.plain = call.version < MIN_VERSION;
  }

  /** Headers of the error's body. */
  get headers(): string {
    if (!this.plain) return "Content-Type: application/json";
    return "Content-Type: text/plain; charset=utf-8\nX-Content-Type-Options: nosniff";
  }

  body(message: string): Uint8Array {
    return this.plain ? textBody(message + "\n") : messageBody(message);
  }
}

/** Records a refusal whose answer has another form. */
export function refused(call: Call, refusal: Refusal): void {
  reasons.push(new Refused(call.id, refusal));
}

/** Docker's body of every error: `{"message": …}`. */
export function messageBody(message: string): Uint8Array {
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("message", message);
  json.endObject();
  return line(json);
}

/** Begins a streamed answer: its headers are sent now. */
export function openReply(call: Call, status: u16, headers: string, follower: Follower | null): void {
  call.follower = follower;
  openCalls.add(call);
  perform(call.id, new ReplyCommandOpen(new Head(status, headers)));
}

export function sendChunk(call: Call, bytes: Uint8Array): void {
  perform(call.id, new ReplyCommandChunk(bytes));
}

/** A log as a part of the body: what is sent next follows its end. */
export function insertLog(call: Call, source: LogSource): void {
  perform(call.id, new ReplyCommandInsert(source));
}

/** The log of a run that goes on, between what else is sent. */
export function besideLog(call: Call, source: LogSource): void {
  perform(call.id, new ReplyCommandBeside(source));
}

/** That run is over: what is sent next follows the end of its log. */
export function drainLog(call: Call, container: string): void {
  perform(call.id, new ReplyCommandDrain(container));
}

export function spliceLogs(call: Call, source: LogSource): void {
  splice(call, new SourceLogs(source));
}

/** The host sends the body from the source. */
export function splice(call: Call, source: Source): void {
  perform(call.id, new ReplyCommandSplice(source));
}

export function hijack(call: Call, stdio: Hijack, follower: Follower | null): void {
  call.follower = follower;
  openCalls.add(call);
  perform(call.id, new ReplyCommandHijack(stdio));
}

export function endReply(call: Call): void {
  openCalls.remove(call.id);
  perform(call.id, new ReplyCommand(ReplyCommandTag.End));
}

/** A JSON text with a final newline, as Docker sends it. Nothing may be written afterwards. */
export function line(json: JsonWriter): Uint8Array {
  return json.line().take();
}

/** A body of plain text. */
export function textBody(text: string): Uint8Array {
  return encodeUtf8(text);
}
