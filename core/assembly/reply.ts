// Sends answers: statuses, headers and JSON bodies, each kind in one place (surface §2.1, §6.1).

import { perform } from "../../build/bindings/replies";
import {
  Head,
  Hijack,
  LogSource,
  ReplyCommand,
  ReplyCommandBare,
  ReplyCommandChunk,
  ReplyCommandHijack,
  ReplyCommandOpen,
  ReplyCommandSplice,
  ReplyCommandTag,
  ReplyCommandWhole,
  Source,
  SourceLogs,
  Whole,
} from "../../build/bindings/types";
import { MAX_VERSION_TEXT, MIN_VERSION } from "./api/versions";
import { Call, Follower } from "./call";
import { JsonWriter } from "./json/writer";
import { openCalls } from "./open-calls";
import { reasons } from "./reason";
import { Refusal, RefusalKind, Refused, statusOf } from "./refusal";
import { encodeUtf8 } from "./text/utf8";

const NO_BODY = new Uint8Array(0);

/** Headers of every routed answer; the version check comes before `Docker-Experimental` (surface §2.1). */
export class CommonHeaders {
  unchecked: string = "";
  all: string = "";
  json: string = "";

  build(version: string, os: string): void {
    const server = `Server: Docker/${version} (${os})`;
    this.unchecked = `Api-Version: ${MAX_VERSION_TEXT}\nOstype: ${os}\n${server}`;
    this.all = `Api-Version: ${MAX_VERSION_TEXT}\nDocker-Experimental: false\nOstype: ${os}\n${server}`;
    this.json = `${this.all}\nContent-Type: application/json`;
  }
}

export const commonHeaders: CommonHeaders = new CommonHeaders();

export function sendWhole(call: Call, status: u16, headers: string, body: Uint8Array): void {
  openCalls.remove(call.id);
  perform(call.id, new ReplyCommandWhole(new Whole(new Head(status, headers), body, false)));
}

/** A 200 that does not depend on the state: it is sent without waiting for records to be flushed. */
export function sendStateless(call: Call, headers: string, body: Uint8Array): void {
  openCalls.remove(call.id);
  perform(call.id, new ReplyCommandWhole(new Whole(new Head(200, headers), body, true)));
}

export function sendJson(call: Call, status: u16, body: Uint8Array): void {
  sendWhole(call, status, commonHeaders.json, body);
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
  sendWhole(call, status, commonHeaders.all, NO_BODY);
}

export function sendRefusal(call: Call, refusal: Refusal): void {
  refused(call, refusal);
  if (refusal.kind == RefusalKind.NotModified) return sendEmpty(call, 304);
  const form = new ErrorForm(call);
  sendWhole(call, statusOf(refusal.kind), `${commonHeaders.all}\n${form.headers}`, form.body(refusal.message));
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

/** A JSON text with a final newline, as Docker sends it. */
export function line(json: JsonWriter): Uint8Array {
  return json.line().finish();
}

/** A body of plain text. */
export function textBody(text: string): Uint8Array {
  return encodeUtf8(text);
}
