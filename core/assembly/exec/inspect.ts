// GET /exec/{id}/json (surface §2.9, §6.5).

import { Call } from "../call";
import { Container } from "../container/container";
import { JsonWriter } from "../json/writer";
import { Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { encodeBase64 } from "../text/base64";
import { Exec, Stage } from "./exec";
import { execStore } from "./store";

export function inspectExec(call: Call): Refusal | null {
  const lookup = execStore.lookUp(call.name);
  const exec = lookup.exec;
  if (exec === null) return lookup.refusal;
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("ID", exec.id);
  json.boolField("Running", exec.stage == Stage.Starting || exec.stage == Stage.Running);
  if (exec.stage == Stage.Ended) json.i64Field("ExitCode", exec.exitCode);
  else json.nullField("ExitCode");
  json.key("ProcessConfig");
  writeProcess(json, exec);
  json.boolField("OpenStdin", exec.openStdin);
  json.boolField("OpenStderr", exec.openStderr);
  json.boolField("OpenStdout", exec.openStdout);
  json.boolField("CanRemove", exec.aged);
  json.stringField("ContainerID", exec.container.id);
  json.stringField("DetachKeys", encodeBase64(exec.detachKeys));
  json.i64Field("Pid", exec.pid);
  json.endObject();
  sendJson(call, 200, line(json));
  return null;
}

function writeProcess(json: JsonWriter, exec: Exec): void {
  json.beginObject();
  json.boolField("tty", exec.tty);
  json.stringField("entrypoint", exec.path);
  json.stringArrayField("arguments", exec.args);
  json.boolField("privileged", exec.privileged);
  if (exec.user.length > 0) json.stringField("user", exec.user);
  json.endObject();
}

/** `ExecIDs` in inspect of a container: execs that are running or may still be started; null if there are none. */
export function writeExecIds(json: JsonWriter, container: Container): void {
  const ids: string[] = [];
  const execs = execStore.of(container);
  for (let i = 0; i < execs.length; i++) if (execs[i].live) ids.push(execs[i].id);
  if (ids.length == 0) json.nullField("ExecIDs");
  else json.stringArrayField("ExecIDs", ids);
}
