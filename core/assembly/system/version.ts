// GET /version (surface §2.1, §6.5).

import { MIN_VERSION_TEXT, versionText } from "../api/versions";
import { Call } from "../call";
import { JsonWriter } from "../json/writer";
import { Refusal } from "../refusal";
import { headersOf, line, sendStateless } from "../reply";
import { engine } from "../state";

export function systemVersion(call: Call): Refusal | null {
  const options = engine.options;
  const json = new JsonWriter();
  json.beginObject();
  json.key("Platform");
  json.beginObject();
  json.stringField("Name", "Coracle Engine");
  json.endObject();
  json.key("Components");
  writeComponents(json, call.newest);
  json.stringField("Version", options.version);
  json.stringField("ApiVersion", versionText(call.newest));
  json.stringField("MinAPIVersion", MIN_VERSION_TEXT);
  json.stringField("GitCommit", options.commit);
  // Docker's clients print this line; here it names what runs the engine.
  json.stringField("GoVersion", options.platform);
  json.stringField("Os", options.machine.os);
  json.stringField("Arch", options.machine.architecture);
  json.stringField("KernelVersion", options.machine.kernelVersion);
  json.stringField("BuildTime", options.built);
  json.endObject();
  sendStateless(call, headersOf(call).json, line(json));
  return null;
}

function writeComponents(json: JsonWriter, newest: i32): void {
  const options = engine.options;
  json.beginArray();
  json.beginObject();
  json.stringField("Name", "Engine");
  json.stringField("Version", options.version);
  json.key("Details");
  json.beginObject();
  json.stringField("ApiVersion", versionText(newest));
  json.stringField("Arch", options.machine.architecture);
  json.stringField("BuildTime", options.built);
  json.stringField("Experimental", "false");
  json.stringField("GitCommit", options.commit);
  json.stringField("GoVersion", options.platform);
  json.stringField("KernelVersion", options.machine.kernelVersion);
  json.stringField("MinAPIVersion", MIN_VERSION_TEXT);
  json.stringField("Os", options.machine.os);
  json.endObject();
  json.endObject();
  for (let i = 0; i < options.runtimes.length; i++) {
    writeComponent(json, options.runtimes[i].name, options.runtimes[i].version, options.runtimes[i].commit);
  }
  const init = options.machine.init;
  if (init !== null) writeComponent(json, "docker-init", init.version, init.commit);
  json.endArray();
}

function writeComponent(json: JsonWriter, name: string, version: string, commit: string): void {
  json.beginObject();
  json.stringField("Name", name);
  json.stringField("Version", version);
  json.key("Details");
  json.beginObject();
  json.stringField("GitCommit", commit);
  json.endObject();
  json.endObject();
}
