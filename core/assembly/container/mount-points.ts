// `Mounts` of a container: binds as requested, then volumes (surface §6.5).

import { Members } from "../json/members";
import { JsonWriter } from "../json/writer";
import { engine } from "../state";
import { readBind } from "./binds";
import { Container } from "./container";

export function writeMountPoints(json: JsonWriter, container: Container): void {
  const found = new Members(container.hostConfig).tree("Binds");
  const binds: string[] = found === null ? [] : found.strings();
  json.beginArray();
  for (let i = 0; i < binds.length; i++) writeBind(json, binds[i]);
  for (let i = 0; i < container.volumes.length; i++) {
    const volume = container.volumes[i];
    json.beginObject();
    json.stringField("Type", "volume");
    json.stringField("Name", volume.name);
    json.stringField("Source", `${engine.options.dataRoot}/volumes/${volume.name}/_data`);
    json.stringField("Destination", volume.destination);
    json.stringField("Driver", "local");
    json.stringField("Mode", "");
    json.boolField("RW", true);
    json.stringField("Propagation", "");
    json.endObject();
  }
  json.endArray();
}

function writeBind(json: JsonWriter, text: string): void {
  const bind = readBind(text);
  json.beginObject();
  json.stringField("Type", "bind");
  json.stringField("Source", bind.source);
  json.stringField("Destination", bind.destination);
  json.stringField("Mode", bind.mode);
  json.boolField("RW", !bind.readOnly);
  json.stringField("Propagation", bind.propagation.length > 0 ? bind.propagation : "rprivate");
  json.endObject();
}
