// The config of an image that was made from a container (surface §4.5).

import { Container } from "../../container/container";
import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { formatTime } from "../../text/time";
import { Image } from "../image";
import { layerStore } from "../layers/layer-store";
import { imageStore } from "../store";

export class Authorship {
  constructor(
    readonly author: string,
    readonly comment: string,
  ) {}
}

/** `diffId`: DiffID of the new layer; empty if the container changed nothing. */
export function writeCommittedConfig(
  container: Container,
  config: Json,
  authorship: Authorship,
  created: i64,
  diffId: string,
): Uint8Array {
  const base = imageStore.find(container.imageId);
  const machine = engine.options.machine;
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("architecture", base !== null && base.architecture != "" ? base.architecture : machine.architecture);
  if (authorship.author.length > 0) json.stringField("author", authorship.author);
  if (authorship.comment.length > 0) json.stringField("comment", authorship.comment);
  json.jsonField("config", config);
  json.stringField("container", container.id);
  json.rawField("container_config", container.config);
  json.stringField("created", formatTime(created));
  json.stringField("docker_version", engine.options.version);
  writeHistory(json, base, container, authorship, created, diffId.length == 0);
  json.stringField("os", base !== null && base.os != "" ? base.os : machine.os);
  writeRootfs(json, container.chain, diffId);
  if (base !== null && base.variant.length > 0) json.stringField("variant", base.variant);
  json.endObject();
  return json.finish();
}

/** The history of the container's image, and one new entry. */
function writeHistory(
  json: JsonWriter,
  base: Image | null,
  container: Container,
  authorship: Authorship,
  created: i64,
  empty: bool,
): void {
  json.key("history").beginArray();
  const former: Json | null = base === null ? null : base.document().find("history");
  if (former !== null && former.isArray) {
    for (let i = 0; i < former.length; i++) json.json(former.items[i]);
  }
  json.beginObject();
  json.stringField("created", formatTime(created));
  if (authorship.author.length > 0) json.stringField("author", authorship.author);
  const command = commandOf(container);
  if (command.length > 0) json.stringField("created_by", command);
  if (authorship.comment.length > 0) json.stringField("comment", authorship.comment);
  if (empty) json.boolField("empty_layer", true);
  json.endObject();
  json.endArray();
}

function commandOf(container: Container): string {
  const config = parseKept(container.config);
  return config === null ? "" : config.stringsOf("Cmd").join(" ");
}

/** The container's layers are found by its chain, since its image may have been removed. */
function writeRootfs(json: JsonWriter, chain: string | null, diffId: string): void {
  const diffIds: string[] = [];
  if (diffId.length > 0) diffIds.push(diffId);
  let at = chain;
  while (at !== null) {
    const layer = layerStore.find(at);
    if (layer === null) break;
    diffIds.push(layer.diffId);
    at = layer.parent;
  }
  json.key("rootfs").beginObject();
  json.stringField("type", "layers");
  json.stringArrayField("diff_ids", diffIds.reverse());
  json.endObject();
}
