// A container's `config.json` (OCI runtime spec 1.0.2). The host
// replaces the names in it by paths: see `processes.launch`.

import { Json } from "../../json/json";
import { MembersByName } from "../../json/members-by-name";
import { JsonWriter } from "../../json/writer";
import { cleanPath } from "../../text/path";
import { Container } from "../container";
import { addInterfaceSysctls } from "../endpoint/endpoint-settings";
import { allCapabilities, capabilitiesOf } from "./capabilities";
import { environmentOf } from "./environment";
import { hasInit, INIT_PATH } from "./init";
import { otherIn } from "./namespaces";
import { securityOf } from "./security-options";
import { rootPropagation, writeMounts } from "./spec-mounts";
import { writeNamespaces } from "./spec-namespaces";
import { writeResources } from "./spec-resources";

export function writeSpec(container: Container, config: Json, hostConfig: Json): Uint8Array {
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("ociVersion", "1.0.2");
  json.key("process");
  writeProcess(json, container, config, hostConfig);
  json.key("root");
  json.beginObject();
  json.stringField("path", "");
  json.boolField("readonly", hostConfig.boolOf("ReadonlyRootfs"));
  json.endObject();
  if (hostConfig.stringOf("UTSMode") != "host") {
    json.stringField("hostname", config.stringOf("Hostname"));
    const domain = config.stringOf("Domainname");
    if (domain.length > 0) json.stringField("domainname", domain);
  }
  json.key("mounts");
  writeMounts(json, container, hostConfig);
  json.key("linux");
  writeLinux(json, container, hostConfig);
  const annotations = hostConfig.find("Annotations");
  if (annotations !== null && annotations.length > 0) json.key("annotations").json(annotations);
  json.endObject();
  return json.finish();
}

function writeProcess(json: JsonWriter, container: Container, config: Json, hostConfig: Json): void {
  const directory = config.stringOf("WorkingDir");
  json.beginObject();
  json.boolField("terminal", container.tty);
  json.key("args");
  json.beginArray();
  if (hasInit(hostConfig)) {
    json.string(INIT_PATH);
    json.string("--");
  }
  json.string(container.path);
  for (let i = 0; i < container.args.length; i++) json.string(container.args[i]);
  json.endArray();
  json.stringArrayField("env", environmentOf(container, config));
  json.stringField("cwd", directory.length > 0 ? directory : "/");
  writeCapabilities(json, hostConfig);
  writeLimits(json, hostConfig.find("Ulimits"));
  json.boolField("noNewPrivileges", securityOf(hostConfig).noNewPrivileges);
  const oomScore = hostConfig.i64Of("OomScoreAdj");
  json.i64Field("oomScoreAdj", oomScore);
  json.endObject();
}

export function writeCapabilities(json: JsonWriter, hostConfig: Json): void {
  const names = hostConfig.boolOf("Privileged")
    ? allCapabilities()
    : capabilitiesOf(hostConfig.stringsOf("CapAdd"), hostConfig.stringsOf("CapDrop"));
  json.key("capabilities");
  json.beginObject();
  json.stringArrayField("bounding", names);
  json.stringArrayField("effective", names);
  json.stringArrayField("permitted", names);
  json.endObject();
}

export function writeLimits(json: JsonWriter, limits: Json | null): void {
  if (limits === null || limits.items.length == 0) return;
  json.key("rlimits");
  json.beginArray();
  for (let i = 0; i < limits.items.length; i++) {
    const limit = limits.items[i];
    json.beginObject();
    json.stringField("type", "RLIMIT_" + limit.stringOf("Name").toUpperCase());
    // -1 means "unlimited": the spec has unsigned numbers.
    json.key("soft").u64(<u64>limit.i64Of("Soft"));
    json.key("hard").u64(<u64>limit.i64Of("Hard"));
    json.endObject();
  }
  json.endArray();
}

function writeLinux(json: JsonWriter, container: Container, hostConfig: Json): void {
  json.beginObject();
  json.stringField("cgroupsPath", groupOf(container, hostConfig));
  json.key("namespaces");
  writeNamespaces(json, container, hostConfig);
  json.key("resources");
  writeResources(json, hostConfig);
  const propagation = rootPropagation(container);
  if (propagation.length > 0) json.stringField("rootfsPropagation", propagation);
  json.key("sysctl");
  writeSysctls(json, container, hostConfig.find("Sysctls"));
  if (!securityOf(hostConfig).unmasked && !hostConfig.boolOf("Privileged")) {
    json.stringArrayField("maskedPaths", hostConfig.stringsOf("MaskedPaths"));
    json.stringArrayField("readonlyPaths", hostConfig.stringsOf("ReadonlyPaths"));
  }
  json.endObject();
}

/** Path below the cgroup that the client chose, or below the host's parent of all containers. */
function groupOf(container: Container, hostConfig: Json): string {
  const parent = hostConfig.stringOf("CgroupParent");
  return parent.length > 0 ? cleanPath(`/${parent}/${container.id}`) : container.id;
}

/**
 * In a network namespace of its own any user may bind low ports
 * and ping, as in Docker. The client's settings take precedence.
 */
function writeSysctls(json: JsonWriter, container: Container, given: Json | null): void {
  const sysctls = new MembersByName(Json.object());
  const joined = otherIn(container.networkMode);
  if (container.networkMode != "host" && joined.length == 0) {
    sysctls.set("net.ipv4.ip_unprivileged_port_start", Json.string("0"));
    sysctls.set("net.ipv4.ping_group_range", Json.string("0 2147483647"));
  }
  addInterfaceSysctls(sysctls, container);
  if (given !== null) for (let i = 0; i < given.keys.length; i++) sysctls.set(given.keys[i], given.items[i]);
  json.json(sysctls.object);
}
