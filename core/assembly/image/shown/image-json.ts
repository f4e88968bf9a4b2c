// Parts of an image's JSON that come from its config: labels, and `Config` by version (surface §3.2, §6.5).

import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { Image } from "../image";
import { WITHOUT_CONTAINER_FIELDS, WITHOUT_EMPTY_FIELDS } from "./versions";

enum Kind {
  Text,
  Flag,
  /** A list, which may also be a single string. */
  Command,
  /** Lists and maps: null if they are empty. */
  Other,
}

class Field {
  constructor(
    readonly name: string,
    readonly kind: Kind,
    /** Only in the `Config` of containers, not of images. */
    readonly ofContainers: bool,
    /** Left out if empty, in every version. */
    readonly optional: bool,
  ) {}
}

// In Docker's order.
// prettier-ignore
const FIELDS: Field[] = [
  new Field("Hostname",     Kind.Text,    true,  false),
  new Field("Domainname",   Kind.Text,    true,  false),
  new Field("User",         Kind.Text,    false, false),
  new Field("AttachStdin",  Kind.Flag,    true,  false),
  new Field("AttachStdout", Kind.Flag,    true,  false),
  new Field("AttachStderr", Kind.Flag,    true,  false),
  new Field("ExposedPorts", Kind.Other,   false, true),
  new Field("Tty",          Kind.Flag,    true,  false),
  new Field("OpenStdin",    Kind.Flag,    true,  false),
  new Field("StdinOnce",    Kind.Flag,    true,  false),
  new Field("Env",          Kind.Other,   false, false),
  new Field("Cmd",          Kind.Command, false, false),
  new Field("Healthcheck",  Kind.Other,   false, true),
  new Field("ArgsEscaped",  Kind.Flag,    false, true),
  new Field("Image",        Kind.Text,    true,  false),
  new Field("Volumes",      Kind.Other,   false, false),
  new Field("WorkingDir",   Kind.Text,    false, false),
  new Field("Entrypoint",   Kind.Command, false, false),
  new Field("OnBuild",      Kind.Other,   false, false),
  new Field("Labels",       Kind.Other,   false, false),
  new Field("StopSignal",   Kind.Text,    false, true),
  new Field("Shell",        Kind.Command, false, true),
];

export function writeLabels(json: JsonWriter, image: Image): void {
  if (image.labelKeys.length == 0) {
    json.null();
    return;
  }
  json.textMap(image.labelKeys, image.labelValues);
}

/** `Config` as the requested version shows it. */
export function writeImageConfig(json: JsonWriter, config: Json, version: i32): void {
  json.beginObject();
  for (let i = 0; i < FIELDS.length; i++) {
    const field = FIELDS[i];
    if (field.ofContainers && version >= WITHOUT_CONTAINER_FIELDS) continue;
    const value = config.find(field.name);
    const empty = isEmpty(value);
    if (empty && (field.optional || version >= WITHOUT_EMPTY_FIELDS)) continue;
    json.key(field.name);
    if (value === null || value.isNull) writeEmpty(json, field.kind);
    else if (field.kind == Kind.Command && value.isString) json.json(Json.strings([value.text]));
    else json.json(value);
  }
  json.endObject();
}

function isEmpty(value: Json | null): bool {
  if (value === null || value.isNull) return true;
  if (value.isString) return value.text.length == 0;
  return value.isArray || value.isObject ? value.length == 0 : !value.bool;
}

function writeEmpty(json: JsonWriter, kind: Kind): void {
  if (kind == Kind.Text) json.string("");
  else if (kind == Kind.Flag) json.bool(false);
  else json.null();
}
