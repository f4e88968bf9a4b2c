// The image that a step of a build makes: that of the step before, with another config and perhaps one more layer (OCI
// image spec, config.md; surface §4.5).

import { Image, newImage, ParsedImage } from "../../image/image";
import { documentLimit } from "../../image/limits";
import { Platform } from "../../image/platform";
import { imageStore } from "../../image/store";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { formatTime } from "../../text/time";
import { StepLimits } from "./step-limits";

/** What a step adds. */
export class StepResult {
  /** DiffID of its layer; empty for none. */
  diffId: string = "";
  /** Id of the container that ran it; empty for none. */
  container: string = "";
  /** The platform of an image without a base; null for the machine's. */
  wanted: Platform | null = null;
  /** Its entry of the history, if another engine made it; null for a new one. */
  entry: Json | null = null;
  /** A new image is only the builder's cache. */
  onlyCaches: bool = false;

  constructor(
    /** `Config` of the new image. */
    readonly config: Json,
    /** The step as Docker writes it into the history; also what the cache compares. */
    readonly createdBy: string,
    readonly author: string,
  ) {}
}

/** Makes the image and puts it into the store, as the child of its base; or tells why it cannot be. */
export function makeStepImage(base: Image | null, result: StepResult, limits: StepLimits): ParsedImage {
  const config = writeStepConfig(base, result);
  // As a pulled image's: every engine must be able to read it.
  if (<u32>config.length > documentLimit()) {
    return new ParsedImage(
      null,
      `the config of the image is larger than ${documentLimit().toString()} bytes, as max-document-size allows`,
    );
  }
  const problem = limits.addConfig(config.length);
  if (problem.length > 0) return new ParsedImage(null, problem);
  const parsed = newImage(config);
  const made = parsed.image;
  if (made === null) return parsed;
  const image = imageStore.add(made);
  if (image === made) image.onlyCache = result.onlyCaches;
  // What another engine made is only trusted while a client names it.
  if (result.entry === null) image.built = true;
  if (base !== null && image.id != base.id && imageStore.find(base.id) !== null) image.parent = base.id;
  imageStore.putImage(image);
  return new ParsedImage(image, "");
}

/** The platform of what a step makes of `base`. */
export function stepPlatform(base: Image | null, step: StepResult): Platform {
  const wanted = step.wanted;
  if (base === null && wanted !== null) return wanted;
  const machine = engine.options.machine;
  return new Platform(
    base !== null && base.os != "" ? base.os : machine.os,
    base !== null && base.architecture != "" ? base.architecture : machine.architecture,
    base !== null ? base.variant : "",
  );
}

function writeStepConfig(base: Image | null, result: StepResult): Uint8Array {
  const platform = stepPlatform(base, result);
  const entry = result.entry;
  const created = entry === null ? formatTime(engine.now.wall) : entry.stringOf("created");
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("architecture", platform.architecture);
  if (result.author.length > 0) json.stringField("author", result.author);
  json.jsonField("config", result.config);
  if (result.container.length > 0) json.stringField("container", result.container);
  json.stringField("created", created);
  json.stringField("docker_version", engine.options.version);
  writeHistory(json, base, result, created);
  json.stringField("os", platform.os);
  writeRootfs(json, base, result.diffId);
  if (platform.variant.length > 0) json.stringField("variant", platform.variant);
  json.endObject();
  return json.finish();
}

function writeHistory(json: JsonWriter, base: Image | null, result: StepResult, created: string): void {
  json.key("history").beginArray();
  const former = formerHistory(base);
  for (let i = 0; i < former.length; i++) json.json(former[i]);
  writeEntry(json, result, created);
  json.endArray();
}

/** The history of an image, as its config has it. */
export function formerHistory(image: Image | null): Json[] {
  const history: Json | null = image === null ? null : image.document().find("history");
  return history !== null && history.isArray ? history.items : [];
}

function writeEntry(json: JsonWriter, result: StepResult, created: string): void {
  const entry = result.entry;
  if (entry !== null) {
    json.json(entry);
    return;
  }
  json.beginObject();
  json.stringField("created", created);
  if (result.author.length > 0) json.stringField("author", result.author);
  json.stringField("created_by", result.createdBy);
  if (result.diffId.length == 0) json.boolField("empty_layer", true);
  json.endObject();
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
