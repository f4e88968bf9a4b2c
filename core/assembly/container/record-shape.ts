// What a container's record must look like, and what of it must agree. What does not is damaged.

import { isDigest } from "../image/reference";
import { Json } from "../json/json";
import { Shape } from "../records/shape";
import { isFullId } from "../text/hex";
import { Status } from "./lifecycle";
import { isContainerName } from "./names";

const U16: i64 = 0xffff;
const U32: i64 = 0xffffffff;

const MOUNT: Shape = new Shape()
  .number("kind", 0, 2)
  .texts("destination source name subpath mode propagation")
  .bools("readOnly deeplyReadOnly alone makesSource anonymous populated")
  .textList("options");
const MOUNT_OPTIONAL: Shape = new Shape(true).bools("shared added");
const PORT: Shape = new Shape()
  .number("containerPort", 0, U16)
  .number("hostPort", 0, U16)
  .texts("protocol hostAddress");
const ENDPOINT: Shape = new Shape()
  .texts("networkId networkName endpointId gateway address mac sandboxId")
  .number("prefixLength", 0, 32)
  .list("ports", PORT);
const LINK: Shape = new Shape().texts("alias container name");
const HEALTH_RESULT: Shape = new Shape().numbers("start end exitCode").texts("output");
const HEALTH: Shape = new Shape().texts("status").numbers("streak").list("log", HEALTH_RESULT);

const PEER: Shape = new Shape(true).number("pid", 0, U32).number("uid", 0, U32).texts("agent");
const CHANGE: Shape = new Shape().numbers("at").texts("why");

const WISHES: Shape = new Shape()
  .texts("id name image imageId platform path networkMode")
  .number("sequence", 1, i64.MAX_VALUE)
  .numbers("created stopTimeout")
  .number("stopSignal", 0, U32)
  .textList("args")
  .bools("tty openStdin stdinOnce autoRemove")
  .list("mounts", MOUNT)
  .textMap("labels")
  .document("config")
  .document("hostConfig");
const OPTIONAL: Shape = new Shape(true)
  .texts("chain mac filesOf toldLinks")
  .bools("networkDisabled creating")
  .number("memoryKills", 0, U32)
  .numbers("begunAt")
  .document("settings")
  .list("links", LINK)
  .list("mounts", MOUNT_OPTIONAL)
  .part("endpoint", ENDPOINT)
  .part("health", HEALTH)
  .part("lastChange", CHANGE)
  .part("lastChange", PEER);

const STATE: Shape = new Shape()
  .number("status", 0, Status.Restarting)
  .number("run", 0, U32)
  .number("pid", 0, U32)
  .number("exitCode", i32.MIN_VALUE, i32.MAX_VALUE)
  .number("restartCount", 0, U32)
  .number("restartDelay", 0, i64.MAX_VALUE)
  .number("countedRun", 0, U32)
  .number("uncleanRun", 0, U32)
  .numbers("startedAt finishedAt written")
  .texts("error")
  .bools("everRan outOfMemory removeVolumes unclean limiting startsAgain manuallyStopped disarmed");

/** Why a document is no record of the container `id`; empty if it is one. */
export function containerProblem(json: Json, id: string): string {
  let problem = WISHES.problem(json);
  if (problem.length == 0) problem = STATE.problem(json);
  if (problem.length == 0) problem = OPTIONAL.problem(json);
  if (problem.length > 0) return problem;
  if (json.stringOf("id") != id || !isFullId(id)) return "it is another container's";
  if (!isContainerName(json.stringOf("name"))) return "its name is none";
  const chain = json.stringOf("chain");
  if (chain.length > 0 && !isDigest(chain)) return "its chain is none";
  return statusProblem(json);
}

/** Only what has been started can be in most statuses. */
function statusProblem(json: Json): string {
  switch (<Status>(<i32>json.i64Of("status"))) {
    case Status.Created:
    case Status.Removing:
    case Status.Dead:
      return "";
    case Status.Removed:
      return "it is one of a container that was removed";
    case Status.Starting:
    case Status.Unwinding:
      return json.i64Of("run") > 0 ? "" : "its status needs a run";
    default:
      return json.boolOf("everRan") && json.i64Of("run") > 0 ? "" : "its status needs a run";
  }
}
