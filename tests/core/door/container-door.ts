// Door to the parsing and checking of a create body.

import { CONFIG } from "../../../core/assembly/container/create/config";
import { readCreate } from "../../../core/assembly/container/create/create-body";
import { DefaultFacts, fillHostConfig, fillHostname } from "../../../core/assembly/container/create/defaults";
import { HOST_CONFIG } from "../../../core/assembly/container/create/host-config";
import { readDefaults } from "../../../core/assembly/container/create/image-defaults";
import { commandOf, mergeImageConfig } from "../../../core/assembly/container/create/merge";
import { MountList } from "../../../core/assembly/container/mounts/mount-list";
import { MountPoint, mountPointFields } from "../../../core/assembly/container/mounts/mount-point";
import { ValidationFacts, refuseContainer } from "../../../core/assembly/container/create/validate";
import { KernelFacts, dropUnsupported } from "../../../core/assembly/container/create/unsupported-limits";
import { NETWORKING_CONFIG } from "../../../core/assembly/container/endpoint/networking-config-table";
import { isZero } from "../../../core/assembly/json/asked";
import { parseJson } from "../../../core/assembly/json/reader";
import { asI64 } from "../../../core/assembly/json/json";
import { normalise, schemaError } from "../../../core/assembly/json/schema";
import { Effect, FieldType, Table } from "../../../core/assembly/json/table";
import { Refusal, statusOf } from "../../../core/assembly/refusal";
import { answer, answerText, argument, text } from "./exchange";
import { FieldWriter } from "../../../core/assembly/records/field-writer";
import { Json } from "./json";

export { allocate, collect, outputLength, outputStart } from "./exchange";

/** Body, version → `{"config", "hostConfig", "endpoints"}`, or `[status, message]`. */
export function create(): void {
  const body = readCreate(argument(0), versionOf(1));
  const refusal = body.refusal;
  if (refusal !== null) return answer(refused(refusal));
  const result = Json.object();
  result.set("config", body.config);
  result.set("hostConfig", body.hostConfig);
  result.set("endpoints", body.endpoints);
  answer(result);
}

/** The same for `Config` or `HostConfig` alone: value, which → normalized, or the error. */
export function table(): void {
  const value = normalise(argument(0), text(1) == "Config" ? CONFIG : HOST_CONFIG);
  if (value === null) return answerText(schemaError());
  answer(value);
}

/** Request's config, image's config → the merged one, or the error. */
export function merge(): void {
  const own = normalise(argument(0), CONFIG);
  if (own === null) return answerText(schemaError());
  const merged = mergeImageConfig(own, readDefaults(argument(1)));
  if (merged.error.length > 0) return answerText(merged.error);
  merged.config.set("command", Json.strings(commandOf(merged.config)));
  answer(merged.config);
}

/** HostConfig, version, cgroup version → with defaults. */
export function defaults(): void {
  const host = normalise(argument(0), HOST_CONFIG);
  if (host === null) return answerText(schemaError());
  const facts = new DefaultFacts();
  facts.version = versionOf(1);
  facts.cgroupVersion = text(2);
  facts.defaultRuntime = "crun";
  fillHostConfig(host, facts);
  answer(host);
}

/** Hostname, network mode → the resulting hostname. */
export function hostname(): void {
  const config = Json.object();
  config.set("Hostname", argument(0));
  const host = Json.object();
  host.set("NetworkMode", argument(1));
  fillHostname(config, host, "0123456789ab", "machine");
  answerText(config.stringOf("Hostname"));
}

/** Config, HostConfig, version → all mounts as in a record, without empty fields; or `[status, message]`. */
export function mounts(): void {
  const config = normalise(argument(0), CONFIG);
  const version = versionOf(2);
  const host = normalise(argument(1), HOST_CONFIG, "", version);
  if (config === null || host === null) return answerText(schemaError());
  const list = new MountList(config, host, version);
  const refusal = list.refusal;
  if (refusal !== null) return answer(refused(refusal));
  const result = Json.array();
  for (let i = 0; i < list.points.length; i++) result.push(mountOf(list.points[i]));
  answer(result);
}

/** The fields of a mount that are not the default, by name. */
function mountOf(point: MountPoint): Json {
  const fields = new FieldWriter(512);
  mountPointFields(fields, point);
  const whole = parseJson(fields.take())!;
  const result = Json.object();
  for (let i = 0; i < whole.keys.length; i++) {
    if (!isZero(whole.items[i])) result.set(whole.keys[i], whole.items[i]);
  }
  return result;
}

/** HostConfig, features that the kernel lacks → `[HostConfig, warnings]`. */
export function drop(): void {
  const host = normalise(argument(0), HOST_CONFIG);
  if (host === null) return answerText(schemaError());
  const lacking = argument(1).strings();
  const kernel = new KernelFacts();
  kernel.memoryLimit = !lacking.includes("memoryLimit");
  kernel.swapLimit = !lacking.includes("swapLimit");
  kernel.memoryReservation = !lacking.includes("memoryReservation");
  kernel.swappiness = !lacking.includes("swappiness");
  kernel.oomKillDisable = !lacking.includes("oomKillDisable");
  kernel.pidsLimit = !lacking.includes("pidsLimit");
  kernel.cpuShares = !lacking.includes("cpuShares");
  kernel.cpuCfs = !lacking.includes("cpuCfs");
  kernel.cpuset = !lacking.includes("cpuset");
  kernel.blkioWeight = !lacking.includes("blkioWeight");
  kernel.blkioRates = !lacking.includes("blkioRates");
  const result = Json.array();
  const warnings = dropUnsupported(host, kernel);
  result.push(host);
  result.push(Json.strings(warnings));
  answer(result);
}

/** Config, HostConfig → null, or `[status, message]`. Two processors; crun and runc. */
export function validate(): void {
  const config = normalise(argument(0), CONFIG);
  const host = normalise(argument(1), HOST_CONFIG);
  if (config === null || host === null) return answerText("malformed");
  const facts = new ValidationFacts();
  facts.cpus = 2;
  facts.runtimes = ["crun", "runc"];
  const refusal = refuseContainer(config, host, facts);
  answer(refusal === null ? Json.null() : refused(refusal));
}

/** All fields: `{object: [[path, effect, values without meaning, note, first version, last version], …]}`. */
export function fields(): void {
  const result = Json.object();
  result.set("Config", fieldsOf(CONFIG));
  result.set("HostConfig", fieldsOf(HOST_CONFIG));
  result.set("NetworkingConfig", fieldsOf(NETWORKING_CONFIG));
  answer(result);
}

function fieldsOf(table: Table): Json {
  const rows = Json.array();
  addFields(rows, table, "", Effect.Built);
  return rows;
}

// Fields of a refused struct are refused with it.
function addFields(rows: Json, table: Table, path: string, outer: Effect): void {
  for (let i = 0; i < table.fields.length; i++) {
    const field = table.fields[i];
    const name = path + field.name;
    const effect = outer == Effect.Built ? field.effect : outer;
    const row = Json.strings([name]);
    row.push(Json.i64(effect));
    row.push(Json.strings(field.neutral));
    row.push(Json.string(field.note));
    row.push(Json.i64(field.since));
    row.push(Json.i64(field.until));
    rows.push(row);
    const inner = field.table;
    if (inner !== null) addFields(rows, inner, name + (field.type == FieldType.StructMap ? ".*." : "."), effect);
  }
}

function refused(refusal: Refusal): Json {
  const result = Json.array();
  result.push(Json.i64(statusOf(refusal.kind)));
  result.push(Json.string(refusal.message));
  return result;
}

function versionOf(index: i32): i32 {
  const value = argument(index);
  return value.isNull ? 55 : <i32>asI64(value);
}
