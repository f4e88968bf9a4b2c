// `outputs` of POST /build (surface §2.22). The output of the classic builder is an image in the engine. What else a client
// of BuildKit may ask for is refused, with what to do instead.

import { parseFlag } from "../api/parameters";
import { Json } from "../json/json";
import { jsonError, parseJson } from "../json/reader";
import { badParameter, internal, notSupported, Refusal } from "../refusal";
import { quoteText } from "../text/go-quote";
import { encodeUtf8 } from "../text/utf8";

/** BuildKit's types for an image in the engine. */
const IMAGES: string[] = ["docker", "image", "moby"];
/** An image that is pushed. */
const PUSHED: string = "registry";
/** Files, for the client. */
const FILES: string[] = ["local", "oci", "tar"];

/** What the outputs ask for. */
export class Outputs {
  constructor(
    /** Names of the image. */
    readonly names: string[],
    readonly refusal: Refusal | null,
  ) {}
}

/** `text`: a JSON list of `{"Type", "Attrs"}`; nothing and `null` are an empty one. */
export function readOutputs(text: string): Outputs {
  const names: string[] = [];
  if (text.length == 0) return new Outputs(names, null);
  const outputs = parseJson(encodeUtf8(text));
  if (outputs === null) return new Outputs(names, internal(jsonError()));
  if (outputs.isNull) return new Outputs(names, null);
  if (!outputs.isArray) return new Outputs(names, badParameter("error reading outputs: they must be a list"));
  let refusal: Refusal | null = null;
  for (let i = 0; i < outputs.length && refusal === null; i++) refusal = readOutput(outputs.items[i], names);
  return new Outputs(names, refusal);
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
    `an output of type ${quoteText(type)} is not built yet: only clients of BuildKit can take files from a build. Until then, ` +
      `build an image; docker save writes it to a file, and docker create with docker cp copies files out of it`,
  );
}

function pushUnbuilt(): Refusal {
  return notSupported("an output with push is not built yet: build with a tag, and then push that");
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
