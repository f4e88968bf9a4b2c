// POST /containers/{id}/exec (surface §2.9).

import { readObject } from "../api/json-body";
import { Call } from "../call";
import { Container } from "../container/container";
import { nulProblem } from "../container/create/validate";
import { linkProblem } from "../container/links/links-of-run";
import { parseDetachKeys } from "../container/output/detach-keys";
import { documentOf } from "../container/spec/launch";
import { containerStore } from "../container/store";
import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
import { badParameter, conflict, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { refuseInactive } from "./active";
import { Exec } from "./exec";
import { EXEC_CONFIG } from "./exec-config";
import { emitExec } from "./exec-event";
import { execStore } from "./store";
import { mustExist } from "./user";

export function createExec(call: Call): Refusal | null {
  const body = readObject(call, EXEC_CONFIG);
  const config = body.json;
  if (config === null) return body.refusal;
  if (config.stringsOf("Cmd").length == 0) return badParameter("No exec command specified");
  const nul = nulProblem(config);
  if (nul.length > 0) return badParameter(nul);
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.between) {
    container.queue.push(call);
    return null;
  }
  const problem = refuseInactive(container, call.name);
  if (problem.length > 0) return conflict(problem);
  // The exec's environment would differ from the container's.
  const unlinked = linkProblem(container);
  if (unlinked !== null) return unlinked.refusal;
  const keys = config.stringOf("DetachKeys");
  if (keys.length > 0 && parseDetachKeys(keys) === null) return badParameter(`Invalid escape keys (${keys}) provided`);

  const exec = newExec(container, config);
  execStore.add(exec);
  emitExec(exec, `exec_create: ${exec.line}`);
  const json = new JsonWriter();
  json.beginObject();
  json.stringField("Id", exec.id);
  json.endObject();
  sendJson(call, 201, line(json));
  return null;
}

function newExec(container: Container, config: Json): Exec {
  const exec = new Exec(engine.ids.next(), container, container.run);
  const command = config.stringsOf("Cmd");
  exec.path = command[0];
  exec.args = command.slice(1);
  exec.tty = config.boolOf("Tty");
  exec.openStdin = config.boolOf("AttachStdin");
  exec.openStdout = config.boolOf("AttachStdout");
  exec.openStderr = config.boolOf("AttachStderr");
  exec.privileged = config.boolOf("Privileged");
  const user = config.stringOf("User");
  exec.asksForUser = mustExist(user);
  exec.user = user.length > 0 ? user : documentOf(container.config).stringOf("User");
  exec.environment = config.stringsOf("Env");
  exec.directory = config.stringOf("WorkingDir");
  const keys = config.stringOf("DetachKeys");
  if (keys.length > 0) exec.detachKeys = parseDetachKeys(keys)!;
  takeConsoleSize(exec, config);
  return exec;
}

/** `[height, width]`; ignored without a terminal. */
export function takeConsoleSize(exec: Exec, config: Json): void {
  const size = config.entry("ConsoleSize");
  if (size === null || size.items.length < 2 || !exec.tty) return;
  exec.rows = <u32>parseInt(size.items[0].text, 10);
  exec.columns = <u32>parseInt(size.items[1].text, 10);
}
