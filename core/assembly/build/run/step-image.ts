// The image that a step of a build makes: that of the step before, with another config and perhaps one more layer (OCI
// image spec, config.md; surface §4.5).

import { Image, parseImage, ParsedImage } from "../../image/image";
import { imageStore } from "../../image/store";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { formatTime } from "../../text/time";

/** What a step adds. */
export class StepResult {
  /** DiffID of its layer; empty for none. */
  diffId: string = "";
  /** Id of the container that ran it; empty for none. */
  container: string = "";

  constructor(
    /** `Config` of the new image. */
    readonly config: Json,
    /** The step as Docker writes it into the history; also what the cache compares. */
    readonly createdBy: string,
    readonly author: string,
  ) {}
}

/** Makes the image and puts it into the store, as the child of its base; or tells why it cannot be. */
export function makeStepImage(base: Image | null, result: StepResult): ParsedImage {
  const parsed = parseImage(writeStepConfig(base, result));
  const made = parsed.image;
  if (made === null) return parsed;
  const image = imageStore.add(made);
  if (base !== null && image.id != base.id && imageStore.find(base.id) !== null) {
    image.parent = base.id;
    imageStore.putImage(image);
  }
  return new ParsedImage(image, "");
}

function writeStepConfig(base: Image | null, result: StepResult): Uint8Array {
  const machine = engine.options.machine;
  const created = formatTime(engine.now.wall);
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("architecture", base !== null && base.architecture != "" ? base.architecture : machine.architecture);
  if (result.author.length > 0) json.stringField("author", result.author);
  json.jsonField("config", result.config);
  if (result.container.length > 0) json.stringField("container", result.container);
  json.stringField("created", created);
  json.stringField("docker_version", engine.options.version);
  writeHistory(json, base, result, created);
  json.stringField("os", base !== null && base.os != "" ? base.os : machine.os);
  writeRootfs(json, base, result.diffId);
  if (base !== null && base.variant.length > 0) json.stringField("variant", base.variant);
  json.endObject();
  return json.finish();
}

function writeHistory(json: JsonWriter, base: Image | null, result: StepResult, created: string): void {
  json.key("history").beginArray();
  const former: Json | null = base === null ? null : base.document().find("history");
  if (former !== null && former.isArray) {
    for (let i = 0; i < former.length; i++) json.json(former.items[i]);
  }
  json.beginObject();
  json.stringField("created", created);
  if (result.author.length > 0) json.stringField("author", result.author);
  json.stringField("created_by", result.createdBy);
  if (result.diffId.length == 0) json.boolField("empty_layer", true);
  json.endObject();
  json.endArray();
}

function writeRootfs(json: JsonWriter, base: Image | null, diffId: string): void {
  const diffIds: string[] = [];
  if (base !== null) for (let i = 0; i < base.layers.length; i++) diffIds.push(base.layers[i].diffId);
  if (diffId.length > 0) diffIds.push(diffId);
  json.key("rootfs").beginObject();
  json.stringField("type", "layers");
  json.stringArrayField("diff_ids", diffIds);
  json.endObject();
}
