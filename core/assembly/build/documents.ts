// Parameters of a build that are JSON documents, read as Go does (surface §2.2): other shapes are refused in its words.

import { Json, JsonKind } from "../json/json";
import { jsonError, parseJson } from "../json/reader";
import { kindWord } from "../json/schema";
import { badParameter, Refusal } from "../refusal";
import { encodeUtf8 } from "../text/utf8";

export class Document {
  constructor(
    /** Null JSON if the parameter is empty or `null`. */
    readonly json: Json,
    readonly refusal: Refusal | null,
  ) {}
}

/** Texts, or nulls: a list of them for a `goType` such as `[]string`, and an object for a map. */
export function textsIn(text: string, what: string, goType: string): Document {
  return documentIn(text, what, goType, JsonKind.String, "string");
}

/** A list of objects, or nulls. */
export function objectsIn(text: string, what: string, goType: string): Document {
  return documentIn(text, what, goType, JsonKind.Object, goType.slice("[]*".length));
}

function documentIn(text: string, what: string, goType: string, item: JsonKind, goItem: string): Document {
  if (text.length == 0) return new Document(Json.null(), null);
  const json = parseJson(encodeUtf8(text));
  if (json === null) return refused(what, jsonError());
  if (json.isNull) return new Document(json, null);
  const isList = goType.startsWith("[]");
  if (json.kind != (isList ? JsonKind.Array : JsonKind.Object)) return refused(what, mismatch(json, goType));
  for (let i = 0; i < json.items.length; i++) {
    const value = json.items[i];
    if (value.kind != item && !value.isNull) return refused(what, mismatch(value, goItem));
  }
  return new Document(json, null);
}

function refused(what: string, why: string): Document {
  return new Document(Json.null(), badParameter(`${what}: ${why}`));
}

function mismatch(value: Json, goType: string): string {
  return `json: cannot unmarshal ${kindWord(value)} into Go value of type ${goType}`;
}
