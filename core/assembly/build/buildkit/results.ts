// The result of a build as the context of another one: how `docker buildx bake` builds a target from another target
// (`contexts = { base = "target:other" }`). The client gets a result with a definition, and hands that back as an input of
// the next build. So the definition only has to tell which image it is (moby/buildkit, solver/pb/ops.proto).

import { imageStore } from "../../image/store";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { encodeBase64 } from "../../text/base64";
import { digestOf } from "../../text/sha256";
import { objectIn } from "./grpc-reply";
import { ProtoWriter } from "./progress/proto-writer";

/** In front of an image's id. No other frontend makes such a source. */
const SCHEME = "coracle-result://";
/** Fields of `Op`. */
const INPUTS: u64 = 1;
const SOURCE: u64 = 3;

/** A result: `id`, by which the client returns it, and what it is made of. */
export function writeResult(json: JsonWriter, id: string, image: string): void {
  const from = source(`${SCHEME}${image}`);
  const end = output(digestOf(from));
  json.key("ref").beginObject().stringField("id", id);
  json.key("def").beginObject();
  json.stringArrayField("def", [encodeBase64(from), encodeBase64(end)]);
  // Clients take no step without such an entry.
  json.key("metadata").beginObject();
  json.key(digestOf(from)).beginObject().endObject();
  json.key(digestOf(end)).beginObject().endObject();
  json.endObject().endObject().endObject();
}

/** The image that an input of a build is; empty if it is none that is here. */
export function imageOfInput(inputs: Json, name: string): string {
  const steps = objectIn(inputs, name).find("def");
  // A source, and that this is all. Whatever a client has made of a result itself has more of them.
  if (steps === null || steps.length != 2) return "";
  const identifier = objectIn(steps.items[0], "source").stringOf("identifier");
  if (!identifier.startsWith(SCHEME)) return "";
  const id = identifier.slice(SCHEME.length);
  return imageStore.find(id) === null ? "" : id;
}

function source(identifier: string): Uint8Array {
  const named = new ProtoWriter();
  named.text(1, identifier);
  const step = new ProtoWriter();
  step.message(SOURCE, named);
  return step.take();
}

/** The end of a definition: the step with this digest is its result. */
function output(digest: string): Uint8Array {
  const input = new ProtoWriter();
  input.text(1, digest);
  const step = new ProtoWriter();
  step.message(INPUTS, input);
  return step.take();
}
