// What there is to build with: Control.ListWorkers and Control.Info (moby/buildkit, control.proto and worker.proto).

import { Call } from "../../call";
import { hostGateways } from "../../container/endpoint/hosts-file";
import { hostPlatform } from "../../image/host-platform";
import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { builderSettings } from "../settings/builder-settings";
import { answer } from "./grpc-reply";

/** The only worker: the engine itself, by the name that Docker's has. */
const WORKER = "moby";
const LABELS = "org.mobyproject.buildkit.worker.";
/** Steps run from OCI bundles. */
const EXECUTOR = "oci";

export function listWorkers(call: Call): void {
  const json = new JsonWriter().beginObject();
  json.key("record").beginArray();
  writeWorker(json);
  answer(call, json.endArray().endObject());
}

export function info(call: Call): void {
  const json = new JsonWriter().beginObject();
  json.key("buildkitVersion");
  writeVersion(json);
  answer(call, json.endObject());
}

export function writeWorker(json: JsonWriter): void {
  json.beginObject().stringField("ID", WORKER);
  json.key("Labels");
  writeLabels(json);
  json.key("platforms").beginArray();
  writePlatform(json);
  json.endArray().key("GCPolicy").beginArray();
  const rules = builderSettings().rules;
  for (let i = 0; i < rules.length; i++) rules[i].write(json);
  json.endArray();
  json.key("BuildkitVersion");
  writeVersion(json);
  json.endObject();
}

/** Clients replace `host-gateway` in `--add-host` by the address that they find here (docker/buildx). */
function writeLabels(json: JsonWriter): void {
  json.beginObject();
  json.stringField(`${LABELS}executor`, EXECUTOR);
  json.stringField(`${LABELS}hostname`, engine.options.machine.name);
  const gateways = hostGateways();
  if (gateways.length > 0) json.stringField(`${LABELS}moby.host-gateway-ip`, gateways[0]);
  json.endObject();
}

function writePlatform(json: JsonWriter): void {
  const platform = hostPlatform();
  json.beginObject().stringField("Architecture", platform.architecture).stringField("OS", platform.os);
  if (platform.variant.length > 0) json.stringField("Variant", platform.variant);
  json.endObject();
}

function writeVersion(json: JsonWriter): void {
  json.beginObject().stringField("package", "coracle-engine").stringField("version", engine.options.version);
  json.stringField("revision", engine.options.commit).endObject();
}
