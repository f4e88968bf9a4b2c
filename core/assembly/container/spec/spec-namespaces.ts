// `linux.namespaces` of a container's config.json: the container's own, and
// those of another container, which the host looks up by id at the launch.

import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { Container } from "../container";
import { otherIn } from "./namespaces";

export function writeNamespaces(json: JsonWriter, container: Container, hostConfig: Json): void {
  json.beginArray();
  writeNamespace(json, "mount", "");
  writeMode(json, "pid", hostConfig.stringOf("PidMode"));
  writeMode(json, "ipc", hostConfig.stringOf("IpcMode"));
  if (hostConfig.stringOf("UTSMode") != "host") writeNamespace(json, "uts", "");
  writeNetwork(json, container);
  if (cgroupNamespace(hostConfig)) writeNamespace(json, "cgroup", "");
  json.endArray();
}

/** The machine's, another container's, the one that was made for this container's networks, or an empty one. */
function writeNetwork(json: JsonWriter, container: Container): void {
  if (container.networkMode == "host" && !container.networkDisabled) return;
  const other = otherIn(container.networkMode);
  const isOwn = container.networkDisabled || (other.length == 0 && container.sandbox === null);
  writeNamespace(json, "network", isOwn ? "" : `network:${other}`);
}

function writeMode(json: JsonWriter, type: string, mode: string): void {
  if (mode == "host") return;
  const other = otherIn(mode);
  writeNamespace(json, type, other.length > 0 ? `${type}:${other}` : "");
}

/** With cgroup v2 the default is a private namespace (surface §2.14). */
function cgroupNamespace(hostConfig: Json): bool {
  const mode = hostConfig.stringOf("CgroupnsMode");
  return mode.length > 0 ? mode == "private" : engine.options.machine.cgroupVersion == "2";
}

function writeNamespace(json: JsonWriter, type: string, path: string): void {
  json.beginObject();
  json.stringField("type", type);
  if (path.length > 0) json.stringField("path", path);
  json.endObject();
}
