// Checks the config of an image from outside: it decides what runs, and is stored unchanged. Types and error texts
// follow Docker's decoder (surface §2.2).

import { CONFIG } from "../container/create/config";
import { Json } from "../json/json";
import { normalise, schemaError } from "../json/schema";
import { Field, FieldType, Table } from "../json/table";
import { quoteText } from "../text/go-quote";
import { isFullTime } from "../text/time";
import { isDigest } from "./reference";

const RUN: Table = new Table("Config", CONFIG.fields, "container.Config");

const ROOTFS: Table = new Table("RootFS", [
  new Field("type", FieldType.String, null),
  new Field("diff_ids", FieldType.Strings, null).typed("[]layer.DiffID"),
]);

const HISTORY: Table = new Table("History", [
  new Field("created", FieldType.Raw, null).pointed(),
  new Field("author", FieldType.String, null),
  new Field("created_by", FieldType.String, null),
  new Field("comment", FieldType.String, null),
  new Field("empty_layer", FieldType.Bool, null),
]);

const IMAGE: Table = new Table(
  "Image",
  [
    new Field("id", FieldType.String, null),
    new Field("parent", FieldType.String, null).typed("image.ID"),
    new Field("comment", FieldType.String, null),
    new Field("created", FieldType.Raw, null).pointed(),
    new Field("container", FieldType.String, null),
    new Field("container_config", FieldType.Struct, null).typed("container.Config").of(RUN),
    new Field("docker_version", FieldType.String, null),
    new Field("author", FieldType.String, null),
    new Field("config", FieldType.Struct, null).typed("container.Config").of(RUN),
    new Field("architecture", FieldType.String, null),
    new Field("variant", FieldType.String, null),
    new Field("os", FieldType.String, null),
    new Field("Size", FieldType.Int, null),
    new Field("rootfs", FieldType.Struct, null).typed("image.RootFS").of(ROOTFS).pointed(),
    new Field("history", FieldType.Structs, null).typed("image.History").of(HISTORY),
    new Field("os.version", FieldType.String, null),
    new Field("os.features", FieldType.Strings, null),
  ],
  "image.Image",
);

/** Empty if the config is valid. `withoutLayers`: the error for a config without `rootfs`. */
export function configProblem(document: Json, withoutLayers: string): string {
  const image = normalise(document, IMAGE);
  if (image === null) return schemaError();
  const rootfs = image.find("rootfs");
  if (rootfs === null) return withoutLayers;
  const ids = rootfs.stringsOf("diff_ids");
  for (let i = 0; i < ids.length; i++) {
    if (!isDigest(ids[i])) return `invalid diffID for layer ${i.toString()}: ${quoteText(ids[i])} is no digest`;
    // Layers are known by this algorithm, as in Docker.
    if (!ids[i].startsWith("sha256:"))
      return `unsupported digest algorithm: diffID for layer ${i.toString()} is ${quoteText(ids[i])}: only sha256 is supported`;
  }
  const problem = timeProblem(image.find("created"));
  return problem.length > 0 ? problem : historyProblem(image.find("history"), ids.length);
}

/** Each history entry that made a layer needs a layer. */
function historyProblem(history: Json | null, layers: i32): string {
  let steps = 0;
  for (let i = 0; history !== null && i < history.length; i++) {
    const step = history.items[i];
    const problem = timeProblem(step.find("created"));
    if (problem.length > 0) return problem;
    if (!step.boolOf("empty_layer")) steps += 1;
  }
  return steps > layers ? "too many non-empty layers in History section" : "";
}

function timeProblem(time: Json | null): string {
  if (time === null || time.isNull) return "";
  if (!time.isString) return "Time.UnmarshalJSON: input is not a JSON string";
  if (isFullTime(time.text)) return "";
  return `parsing time ${quoteText(time.text)} as "2006-01-02T15:04:05Z07:00": it is none`;
}
