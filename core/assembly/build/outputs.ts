// `outputs` of POST /build (surface §2.22). The output of the classic builder is an image in the engine. BuildKit
// (`version=2`) may also send one output to the client, by its session, or push the image. What else a client may ask for is
// refused, with what to do instead.

import { parseFlag } from "../api/parameters";
import { Json } from "../json/json";
import { jsonError, parseJson } from "../json/reader";
import { badParameter, internal, notSupported, Refusal } from "../refusal";
import { quoteText } from "../text/go-quote";
import { encodeUtf8 } from "../text/utf8";
import { objectIn } from "./buildkit/grpc-reply";
import { Output } from "./buildkit/outputs/output";

/** BuildKit's types for an image in the engine. */
const IMAGES: string[] = ["docker", "image", "moby"];
/** An image that is pushed. */
const PUSHED: string = "registry";
/** Files, for the client. */
const FILES: string[] = ["local", "oci", "tar"];

/** Who can get outputs. */
export enum Reach {
  /** Nobody but the engine's store. */
  Store,
  /** Registries, too. */
  Registries,
  /** The client, too: it has a session. */
  Client,
}

/** What the outputs ask for. */
export class Outputs {
  /** What BuildKit does with the result; null for an image in the store. */
  output: Output | null = null;

  constructor(
    /** Names of the image. */
    readonly names: string[],
    readonly refusal: Refusal | null,
  ) {}
}

/** `text`: a JSON list of `{"Type", "Attrs"}`; nothing and `null` are an empty one. */
export function readOutputs(text: string, reach: Reach): Outputs {
  const names: string[] = [];
  if (text.length == 0) return new Outputs(names, null);
  const outputs = parseJson(encodeUtf8(text));
  if (outputs === null) return new Outputs(names, internal(jsonError()));
  if (outputs.isNull) return new Outputs(names, null);
  if (!outputs.isArray) return new Outputs(names, badParameter("error reading outputs: they must be a list"));
  if (outputs.length == 1 && goesOut(outputs.items[0], reach)) return readOutgoing(outputs.items[0], names);
  let refusal: Refusal | null = null;
  for (let i = 0; i < outputs.length && refusal === null; i++) refusal = readOutput(outputs.items[i], names);
  return new Outputs(names, refusal);
}

/** Whether it leaves the store, and can. */
function goesOut(output: Json, reach: Reach): bool {
  if (!output.isObject || reach == Reach.Store) return false;
  const type = output.stringOf("Type");
  const attributes = objectIn(output, "Attrs");
  const isImage = IMAGES.includes(type);
  if (type == PUSHED || (isImage && attributes.find("push") !== null)) return true;
  return reach == Reach.Client && (FILES.includes(type) || (isImage && attributes.stringOf("dest").length > 0));
}

function readOutgoing(given: Json, names: string[]): Outputs {
  const attributes = objectIn(given, "Attrs");
  const problem = attributesProblem(attributes);
  if (problem !== null) return new Outputs(names, problem);
  const output = new Output(given.stringOf("Type"), attributes);
  const name = attributes.stringOf("name");
  if (name.length > 0) addNames(names, name);
  const outputs = new Outputs(names, refusalOf(output));
  outputs.output = output;
  return outputs;
}

function refusalOf(output: Output): Refusal | null {
  if (output.problem.length > 0) return badParameter(`error reading outputs: ${output.problem}`);
  return output.unbuilt.length > 0 ? notSupported(`${output.unbuilt} is not built yet`) : null;
}

function readOutput(output: Json, names: string[]): Refusal | null {
  if (!output.isObject) return badParameter("error reading outputs: each of them must be an object");
  const type = output.stringOf("Type");
  const found = output.find("Attrs");
  const attributes = found === null || found.isNull ? Json.object() : found;
  const problem = attributesProblem(attributes);
  if (problem !== null) return problem;
  const isImage = IMAGES.includes(type);
  if (FILES.includes(type) || (isImage && attributes.stringOf("dest").length > 0)) return filesUnbuilt(type);
  if (type == PUSHED) return pushUnbuilt();
  if (!isImage) return badParameter(`unknown output ${quoteText(type)}: the output of a build is an image`);
  return readAttributes(attributes, names);
}

/** They are a map of strings. */
function attributesProblem(attributes: Json): Refusal | null {
  if (!attributes.isObject) return badParameter("error reading outputs: Attrs must be an object");
  for (let i = 0; i < attributes.length; i++) {
    if (attributes.items[i].isString) continue;
    return badParameter(`error reading outputs: ${quoteText(attributes.keys[i])} in Attrs must be a string`);
  }
  return null;
}

function filesUnbuilt(type: string): Refusal {
  return notSupported(
    `an output of type ${quoteText(type)} needs a client that takes one output of a build by BuildKit in a session, such as ` +
      `docker buildx. Without it, build an image; docker save writes it to a file, and docker create with docker cp copies ` +
      `files out of it`,
  );
}

function pushUnbuilt(): Refusal {
  return notSupported(
    "an output with push needs version=2 and no other output: or build with a tag, and then push that",
  );
}

function readAttributes(attributes: Json, names: string[]): Refusal | null {
  for (let i = 0; i < attributes.keys.length; i++) {
    const key = attributes.keys[i];
    const value = attributes.items[i].text;
    if (key == "name") addNames(names, value);
    else if (key == "push") {
      const refusal = pushProblem(value);
      if (refusal !== null) return refusal;
    } else if (key != "dest") return notSupported(`an output with ${quoteText(key)} is not built yet`);
  }
  return null;
}

/** `value`: a boolean as in Go; an empty one is true. */
function pushProblem(value: string): Refusal | null {
  if (value.length == 0) return pushUnbuilt();
  const flag = parseFlag(value);
  if (flag.error.length > 0) return badParameter(`error reading outputs: push: ${flag.error}`);
  return flag.value ? pushUnbuilt() : null;
}

function addNames(names: string[], list: string): void {
  const parts = list.split(",");
  for (let i = 0; i < parts.length; i++) names.push(parts[i]);
}
