// Calls of gRPC, as the host passes them on: requests with a message in JSON, answers in the same form.

import { BodyTag, BodyWhole } from "../../../../build/bindings/types";
import { Call } from "../../call";
import { asI64, Json } from "../../json/json";
import { parseJson } from "../../json/reader";
import { JsonWriter } from "../../json/writer";
import { Refusal, RefusalKind, statusOf } from "../../refusal";
import { headersOf, line, refused, sendWhole } from "../../reply";

/** Codes of gRPC (grpc, statuscodes.md) that the engine answers. */
export enum Code {
  Cancelled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  NotFound = 5,
  ResourceExhausted = 8,
  Unimplemented = 12,
}

/** Why a call fails: what BuildKit's clients read. */
export class CallError {
  /** Documents with more about it: `[{"type", "value"}]`. */
  details: Json = Json.array();

  constructor(
    readonly code: Code,
    readonly message: string,
  ) {}
}

export function unknownError(message: string): CallError {
  return new CallError(Code.Unknown, message);
}

export function notBuilt(what: string): CallError {
  return new CallError(Code.Unimplemented, `${what} is not built yet`);
}

/** What a frontend cannot be asked (moby/buildkit, solver/errdefs). */
export function unsupportedRequest(name: string): CallError {
  const error = new CallError(Code.Unimplemented, `unsupported request ${name}`);
  const value = Json.object();
  value.set("name", Json.string(name));
  const detail = Json.object();
  detail.set("type", Json.string("github.com/moby/buildkit/errdefs.Subrequest+json"));
  detail.set("value", value);
  error.details.push(detail);
  return error;
}

export function rawDefinition(): CallError {
  return new CallError(Code.Unimplemented, "builds of raw definitions (LLB) are not built yet");
}

/** There is no build with this ref, or no longer. */
export function noBuild(ref: string): CallError {
  return unknownError(`no such job ${ref}`);
}

/** The build has no result with this id. */
export function noResult(id: string): CallError {
  return unknownError(`no such ref: ${id}`);
}

/**
 * The message of a call; without fields if there is none. The body is erased: it may contain credentials
 * (`eraseSecrets`), and calls may stay open for as long as a build.
 */
export function messageOf(call: Call): Json {
  const body = call.request.body;
  if (body.tag != BodyTag.Whole) return Json.object();
  const bytes = (<BodyWhole>body).value;
  const json = parseJson(bytes);
  bytes.fill(0);
  return json !== null && json.isObject ? json : Json.object();
}

/** The member with this name if it is an object, or else an empty one. */
export function objectIn(message: Json, name: string): Json {
  const found = message.find(name);
  return found !== null && found.isObject ? found : Json.object();
}

/** The member with this name if it is an int64, or else 0. It is a text if a number of JSON might lose digits. */
export function int64In(message: Json, name: string): i64 {
  const found = message.find(name);
  if (found === null) return 0;
  return asI64(found.isString ? Json.number(found.text) : found);
}

export function answer(call: Call, message: JsonWriter): void {
  sendWhole(call, 200, headersOf(call).json, line(message));
}

export function answerNothing(call: Call): void {
  answer(call, new JsonWriter().beginObject().endObject());
}

export function answerError(call: Call, error: CallError): void {
  const message = shortened(error.message);
  const refusal = new Refusal(kindOf(error.code), message);
  refused(call, refusal);
  const json = new JsonWriter().beginObject();
  json.stringField("message", message);
  if (error.details.length > 0 && !isLarge(error.details)) json.jsonField("details", error.details);
  const code = (<i32>error.code).toString();
  sendWhole(call, statusOf(refusal.kind), `${headersOf(call).json}\nGrpc-Status: ${code}`, line(json.endObject()));
}

/** Errors are sent as header fields, in which few hosts and clients take more than 64 KiB. In UTF-16 units. */
const LONGEST_MESSAGE: i32 = 4096;
const LONGEST_END: i32 = 1024;
/** In bytes of JSON. They are sent in base64, with the message once more. */
const LARGEST_DETAILS: i32 = 36 * 1024;

/** Without its middle if it is long: at its beginning is what failed, and at its end why. */
export function shortened(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  return `${message.slice(0, LONGEST_MESSAGE - LONGEST_END)} … ${message.slice(message.length - LONGEST_END)}`;
}

function isLarge(details: Json): bool {
  return line(new JsonWriter().json(details)).length > LARGEST_DETAILS;
}

function kindOf(code: Code): RefusalKind {
  switch (code) {
    case Code.InvalidArgument:
      return RefusalKind.BadParameter;
    case Code.NotFound:
      return RefusalKind.NotFound;
    case Code.Unimplemented:
      return RefusalKind.NotBuilt;
    default:
      return RefusalKind.Internal;
  }
}
