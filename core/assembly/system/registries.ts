// `RegistryConfig` and `IndexServerAddress` of /info.

import { JsonWriter } from "../json/writer";
import { engine } from "../state";

const HUB = "docker.io";
const HUB_INDEX_URL = "https://index.docker.io/v1/";

export function writeRegistries(json: JsonWriter, version: i32): void {
  const insecure = engine.options.insecureRegistries;
  json.stringField("IndexServerAddress", HUB_INDEX_URL);
  json.key("RegistryConfig");
  json.beginObject();
  if (version < 47) {
    json.nullField("AllowNondistributableArtifactsCIDRs");
    json.nullField("AllowNondistributableArtifactsHostnames");
  }
  json.key("InsecureRegistryCIDRs");
  json.beginArray();
  // Loopback addresses are always allowed without TLS (surface §4.3).
  const blocks = each(insecure.filter((entry: string) => isBlock(entry)).concat(["127.0.0.0/8"]));
  for (let i = 0; i < blocks.length; i++) json.string(blocks[i]);
  json.endArray();
  json.key("IndexConfigs");
  json.beginObject();
  writeIndex(json, HUB, true, true);
  const hosts = each(insecure.filter((entry: string) => !isBlock(entry)));
  for (let i = 0; i < hosts.length; i++) writeIndex(json, hosts[i], false, false);
  json.endObject();
  json.stringArrayField("Mirrors", shownMirrors());
  json.endObject();
}

/** Docker ends each with a slash. */
function shownMirrors(): string[] {
  return engine.options.registryMirrors.map<string>((mirror) => (mirror.endsWith("/") ? mirror : mirror + "/"));
}

/** Removes duplicates. */
function each(entries: string[]): string[] {
  const known = new Set<string>();
  for (let i = 0; i < entries.length; i++) known.add(entries[i]);
  return known.values();
}

function isBlock(entry: string): bool {
  return entry.indexOf("/") > 0;
}

function writeIndex(json: JsonWriter, name: string, secure: bool, official: bool): void {
  json.key(name);
  json.beginObject();
  json.stringField("Name", name);
  const mirrors: string[] = official ? shownMirrors() : [];
  json.stringArrayField("Mirrors", mirrors);
  json.boolField("Secure", secure);
  json.boolField("Official", official);
  json.endObject();
}
