// Builds the command `processes.exec`: `process` of the OCI runtime
// spec, from the container's settings and the client's changes.

import { Exec as ExecCommand, Subject } from "../../../build/bindings/types";
import { environmentOf } from "../container/spec/environment";
import { documentOf } from "../container/spec/launch";
import { securityOf } from "../container/spec/security-options";
import { writeCapabilities, writeLimits } from "../container/spec/spec";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { overridden } from "../text/variables";
import { Exec } from "./exec";

/**
 * `detached`: nothing will be connected to its stdio. `capture`: number of bytes of its output to return at its end.
 */
export function execCommandOf(exec: Exec, detached: bool, capture: u32): ExecCommand {
  const config = documentOf(exec.container.config);
  const hostConfig = documentOf(exec.container.hostConfig);
  return new ExecCommand(
    exec.id,
    new Subject(exec.container.id, exec.run),
    writeProcess(exec, config, hostConfig),
    exec.user,
    hostConfig.stringsOf("GroupAdd"),
    exec.tty,
    exec.rows,
    exec.columns,
    exec.openStdin && !detached,
    detached,
    capture,
  );
}

function writeProcess(exec: Exec, config: Json, hostConfig: Json): Uint8Array {
  const json = new JsonWriter();
  json.beginObject();
  json.boolField("terminal", exec.tty);
  json.stringArrayField("args", [exec.path].concat(exec.args));
  json.stringArrayField("env", environment(exec, config));
  json.stringField("cwd", directoryOf(exec, config));
  writeCapabilities(json, exec.privileged ? allCapabilities() : hostConfig);
  writeLimits(json, hostConfig.find("Ulimits"));
  json.boolField("noNewPrivileges", securityOf(hostConfig).noNewPrivileges);
  json.i64Field("oomScoreAdj", hostConfig.i64Of("OomScoreAdj"));
  json.endObject();
  return json.finish();
}

/** The capabilities in the form of a HostConfig. */
function allCapabilities(): Json {
  const all = Json.object();
  all.set("CapAdd", Json.strings(["ALL"]));
  return all;
}

function environment(exec: Exec, config: Json): string[] {
  return overridden(environmentOf(exec.container, config, exec.tty), exec.environment);
}

function directoryOf(exec: Exec, config: Json): string {
  if (exec.directory.length > 0) return exec.directory;
  const directory = config.stringOf("WorkingDir");
  return directory.length > 0 ? directory : "/";
}
