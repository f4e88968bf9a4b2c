// Which namespaces a container has of its own, which it shares with the machine, and which with another container:
// `IpcMode`, `PidMode`, `UTSMode` (surface §2.14, §6.2).

import { Json } from "../../json/json";
import { Members } from "../../json/members";
import { badParameter, internal, Refusal } from "../../refusal";
import { Container } from "../container";
import { StartError } from "../start/start-error";
import { containerStore } from "../store";

const IPC_MODES: string[] = ["", "none", "private", "shareable", "host"];
const OTHERS: string = "container:";
/** Docker's exit code when a start failed for a reason other than its program. */
const CODE: i32 = 128;

/** What is invalid, in Docker's words; empty if nothing is. */
export function namespaceProblem(config: Json, host: Json): string {
  const ipc = host.stringOf("IpcMode");
  if (!IPC_MODES.includes(ipc) && otherIn(ipc).length == 0) return `invalid IPC mode: ${ipc}`;
  const pid = host.stringOf("PidMode");
  if (pid.length > 0 && pid != "host" && otherIn(pid).length == 0) return `invalid PID mode: ${pid}`;
  const uts = host.stringOf("UTSMode");
  if (uts.length > 0 && uts != "host") return `invalid UTS mode: ${uts}`;
  const named = config.stringOf("Hostname").length > 0;
  return named && uts == "host" ? "conflicting options: hostname and the UTS mode" : "";
}

/** Replaces names of other containers by their ids. */
export function nameOthersById(host: Json): Refusal | null {
  const fields = ["IpcMode", "PidMode"];
  for (let i = 0; i < fields.length; i++) {
    const name = otherIn(host.stringOf(fields[i]));
    if (name.length == 0) continue;
    const other = containerStore.lookUp(name).container;
    if (other === null) return badParameter(`No such container: ${name}`);
    host.set(fields[i], Json.string(OTHERS + other.id));
  }
  return null;
}

/**
 * Why the container cannot join another's namespaces; null if it can. `ended`: a container that is known to have ended
 * although its exit was not reported yet; or empty.
 */
export function refuseJoin(container: Container, ended: string = ""): StartError | null {
  const members = new Members(container.hostConfig);
  const ipc = memoryProblem(otherIn(modeOf(members, "IpcMode")), ended);
  if (ipc.length > 0) return refused(ipc);
  const pid = notRunning(otherIn(modeOf(members, "PidMode")), ended);
  return pid.length > 0 ? refused(pid) : null;
}

function memoryProblem(id: string, ended: string): string {
  if (id.length == 0) return "";
  const problem = notRunning(id, ended);
  const prefix = `can't join IPC of container ${id}: `;
  if (problem.length > 0) return prefix + problem;
  if (memoryOf(containerStore.find(id)!).length > 0) return "";
  return `${prefix}non-shareable IPC (hint: use IpcMode:shareable for the donor container)`;
}

/**
 * Source of the mount at /dev/shm: `shm:CONTAINER`, or a directory
 * of the machine. Empty if the shared memory is private.
 */
export function memoryOf(container: Container): string {
  const mode = modeOf(new Members(container.hostConfig), "IpcMode");
  if (mode == "host") return "/dev/shm";
  if (mode == "shareable") return `shm:${container.id}`;
  const other = containerStore.find(otherIn(mode));
  return other === null || other === container ? "" : memoryOf(other);
}

/** Name or id in `container:X`; empty for other modes. */
export function otherIn(mode: string): string {
  return mode.startsWith(OTHERS) ? mode.slice(OTHERS.length) : "";
}

function modeOf(members: Members, name: string): string {
  const value = members.tree(name);
  return value === null ? "" : value.text;
}

function notRunning(id: string, ended: string): string {
  if (id.length == 0) return "";
  const other = containerStore.find(id);
  if (other === null) return `No such container: ${id}`;
  return other.running && id != ended ? "" : `container ${id} is not running`;
}

function refused(text: string): StartError {
  return new StartError(text, CODE, internal(text));
}
