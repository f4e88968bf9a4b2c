// GET /distribution/{name}/json (surface §1.8, §2.21): what a registry has under a name, and for which platforms. Local
// images are neither asked nor changed.

import {
  ContentCommandBlob,
  ContentCommandResolve,
  Credentials,
  Endpoint,
  Failure,
  Outcome,
  OutcomeBytes,
  OutcomeResolved,
  RegistryBlob,
  Repository,
  Resolve,
  Resolved,
} from "../../../../build/bindings/types";
import { registryAuthOf } from "../../api/registry-auth";
import { Call } from "../../call";
import { Json } from "../../json/json";
import { parseJson } from "../../json/reader";
import { JsonWriter } from "../../json/writer";
import { badParameter, internal, notFound, Refusal } from "../../refusal";
import { line, sendJson, sendRefusal } from "../../reply";
import { documentLimit } from "../limits";
import { ACCEPTED, Manifest, parseAnyManifest } from "../manifest";
import { credentialsFor, credentialsOf, inspectedEndpointOf } from "../pull/registry";
import { isIdentifier, parseReference, Reference, referenceError } from "../reference";
import { RegistryQuestion } from "./registry-question";
import { registryRefusal } from "./registry-refusal";

const ALGORITHM = "sha256:";

export function inspectDistribution(call: Call): Refusal | null {
  const name = call.name;
  if (isIdentifier(name.startsWith(ALGORITHM) ? name.slice(ALGORITHM.length) : name)) {
    return internal("no manifest found for full image ID");
  }
  const reference = parseReference(name);
  if (reference === null) return badParameter(referenceError());

  const tagged = reference.withDefaultTag();
  const endpoint = inspectedEndpointOf(tagged);
  if (endpoint === null) return notFound("no resolve hosts: not found");

  // Accepted from here on: it is cancelled if the client disconnects.
  const credentials = credentialsOf(registryAuthOf(call.request.headers));
  new Inspection(call, tagged, endpoint, credentials).begin();
  return null;
}

enum Step {
  Manifest,
  Config,
}

class Inspection extends RegistryQuestion {
  /** SECRET. */
  private readonly credentials: Credentials | null;
  private resolved: Resolved | null = null;
  private manifest: Manifest | null = null;

  constructor(
    call: Call,
    private readonly reference: Reference,
    private readonly endpoint: Endpoint,
    /** SECRET. */
    credentials: Credentials | null,
  ) {
    super(call);
    this.credentials = credentialsFor(endpoint, reference, credentials);
  }

  begin(): void {
    const reference = this.reference;
    const wanted = reference.tagOrDigest;
    const command = new Resolve(this.endpoint, reference.path, wanted, ACCEPTED, documentLimit(), this.credentials);
    this.ask(Step.Manifest, new ContentCommandResolve(command));
  }

  /** Without its config, a manifest's platform is unknown: that is no failure. */
  protected answered(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (step == Step.Config) {
      return this.send(outcome === null ? null : parseJson((<OutcomeBytes>outcome).value));
    }
    if (failure !== null) return sendRefusal(this.call, registryRefusal(failure));
    this.takeManifest((<OutcomeResolved>outcome!).value);
  }

  private takeManifest(resolved: Resolved): void {
    const parsed = parseAnyManifest(resolved.bytes, resolved.mediaType);
    const manifest = parsed.manifest;
    if (manifest === null) return sendRefusal(this.call, parsed.refusal!);
    this.resolved = resolved;
    this.manifest = manifest;
    const config = manifest.config;
    if (config === null || config.size > documentLimit()) return this.send(null);
    const repository = new Repository(this.endpoint, this.reference.path, this.credentials);
    const blob = new RegistryBlob(repository, config.digest, config.size);
    this.ask(Step.Config, new ContentCommandBlob(blob));
  }

  /** `config`: of a manifest; null if it is not there, or not JSON. */
  private send(config: Json | null): void {
    const resolved = this.resolved!;
    const json = new JsonWriter();
    json.beginObject();
    json.key("Descriptor").beginObject();
    json.stringField("mediaType", this.manifest!.mediaType);
    json.stringField("digest", resolved.digest);
    json.i64Field("size", resolved.bytes.length);
    json.endObject();
    json.key("Platforms").beginArray();
    const entries = this.manifest!.entries;
    for (let i = 0; i < entries.length; i++) writePlatform(json, entries[i].platformDocument);
    if (config !== null && namesPlatform(config)) writePlatform(json, config);
    json.endArray();
    json.endObject();
    sendJson(this.call, 200, line(json));
  }
}

function namesPlatform(config: Json): bool {
  return config.stringOf("os").length > 0 || config.stringOf("architecture").length > 0;
}

/** From an index or an image's config: both name the members alike (OCI image spec, image-index.md and config.md). */
function writePlatform(json: JsonWriter, platform: Json | null): void {
  const from: Json = platform === null ? Json.object() : platform;
  json.beginObject();
  json.stringField("architecture", from.stringOf("architecture"));
  json.stringField("os", from.stringOf("os"));
  if (from.stringOf("os.version").length > 0) json.stringField("os.version", from.stringOf("os.version"));
  const features = from.stringsOf("os.features");
  if (features.length > 0) json.stringArrayField("os.features", features);
  if (from.stringOf("variant").length > 0) json.stringField("variant", from.stringOf("variant"));
  json.endObject();
}
