// Reads a request's JSON body (surface §2.2).

import { BodyTag, BodyWhole, Request } from "../../../build/bindings/types";
import { Call } from "../call";
import { Json } from "../json/json";
import { jsonError, parseJson } from "../json/reader";
import { normalise, schemaError } from "../json/schema";
import { Table } from "../json/table";
import { badParameter, Refusal } from "../refusal";
import { jsonTypeRefusal } from "./headers";

export class JsonBody {
  constructor(
    /** Null if there was no body, or an empty one. */
    readonly json: Json | null,
    readonly refusal: Refusal | null,
  ) {}
}

/** Length of the body in bytes. */
export function bodyLength(request: Request): i32 {
  const body = request.body;
  return body.tag == BodyTag.Whole ? (<BodyWhole>body).value.length : 0;
}

/** `bearsEmpty`: a chunked body without content counts as no body, or the caller handles it. */
export function readJsonBody(request: Request, bearsEmpty: bool = false): JsonBody {
  const body = request.body;
  const problem = jsonTypeRefusal(request.headers, body.tag != BodyTag.None);
  if (problem !== null) return new JsonBody(null, badParameter(problem));
  if (body.tag == BodyTag.None) return new JsonBody(null, null);
  if (body.tag != BodyTag.Whole) return new JsonBody(null, badParameter("invalid JSON: unexpected EOF"));
  const bytes = (<BodyWhole>body).value;
  if (bytes.length == 0) {
    const empty = "invalid JSON: got EOF while reading request body";
    return new JsonBody(null, bearsEmpty ? null : badParameter(empty));
  }
  const json = parseJson(bytes);
  if (json === null) return new JsonBody(null, badParameter(`invalid JSON: ${jsonError()}`));
  return new JsonBody(json, null);
}

/** The body as an object of a table; without a body, an empty object. */
export function readObject(call: Call, table: Table): JsonBody {
  const body = readJsonBody(call.request);
  if (body.refusal !== null) return body;
  const given = body.json;
  const read = normalise(given === null ? Json.object() : given, table, "", call.version);
  return new JsonBody(read, read === null ? badParameter(`invalid JSON: ${schemaError()}`) : null);
}
