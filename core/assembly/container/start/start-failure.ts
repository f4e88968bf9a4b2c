// Translates a failed start into the message, the exit code and the HTTP status (surface §2.3, §6.2).

import {
  Failure,
  FailureCall,
  FailureDirectory,
  FailureMisplaced,
  FailurePort,
  FailureTag,
} from "../../../../build/bindings/types";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";
import { inTheWayText, isInTheWay } from "../../failure/program";
import { refusedLaunch } from "../../failure/runtime";
import { failureText } from "../../failure/text";
import { Members } from "../../json/members";
import { notConnected } from "../../network/endpoint/publish";
import { badParameter, internal } from "../../refusal";
import { Container } from "../container";
import { misplaced } from "../mounts/closed-place-problem";
import { volumeProblem } from "../mounts/volume-problem";
import { sharesProblem } from "../spec/cpu-shares";
import { CheckedProfile } from "../spec/seccomp-profile";
import { OTHER_CODE, StartError } from "./start-error";
import { StartStep } from "./start-step";

const SAID_BY_RUNC = "runc create failed: unable to start container process: ";
const PREFIX = `failed to create task for container: failed to create shim task: OCI runtime create failed: ${SAID_BY_RUNC}`;
const MISTAKEN_MOUNT =
  "Are you trying to mount a directory onto a file (or vice-versa)? " +
  "Check if the specified host path exists and is the expected type";
/** Precedes what is wrong with ports. */
export const NETWORKING: string = "failed to set up container networking: ";
const NOT_FOUND_CODE = 127;
const NOT_EXECUTABLE_CODE = 126;

/** Why the kernel does not support a container's CPU shares; null if it does. */
export function sharesStartProblem(container: Container): StartError | null {
  const shares = new Members(container.hostConfig).tree("CpuShares");
  const problem = shares === null ? "" : sharesProblem(I64.parseInt(shares.text, 10));
  if (problem.length == 0) return null;
  const during = "error during container init: error setting cgroup config for procHooks process: ";
  return other(`${PREFIX}${during}${problem}: unknown`);
}

/** Why no seccomp filter can be made of a container's own profile; null if one can. */
export function seccompStartProblem(profile: CheckedProfile): StartError | null {
  return profile.problem.length == 0 ? null : other(profile.problem);
}

export function startErrorOf(container: Container, failure: Failure, step: i32): StartError {
  if (failure.tag == FailureTag.Port) return portError(container, <FailurePort>failure);
  if (failure.tag == FailureTag.Misplaced) {
    return other(`${PREFIX}${misplaced(container, (<FailureMisplaced>failure).value)}: unknown`);
  }
  return step == StartStep.Launch ? launchError(container, refusedLaunch(failure)) : other(volumeProblem(failure));
}

function portError(container: Container, failure: FailurePort): StartError {
  return other(NETWORKING + notConnected(container, failure.value.address, failureText(failure)));
}

function launchError(container: Container, failure: Failure): StartError {
  const kind = kindOf(failure);
  const text = failureText(failure);
  if (failure.tag == FailureTag.Directory) {
    const directory = (<FailureDirectory>failure).value;
    return other(isInTheWay(directory) ? inTheWayText(directory.path) : text);
  }
  // Runtimes treat an empty name as the current directory; Docker reports a program that does not exist.
  if (kind == FailureKind.CommandNotExecutable && container.path.length == 0) {
    return bad('exec: "": executable file not found in $PATH', NOT_FOUND_CODE);
  }
  // This includes a program's path: Docker only compares these words (surface §2.3).
  if (isOfRuntime(failure) && text.endsWith(": not a directory")) {
    return bad(text.replace(SAID_BY_RUNC, ""), NOT_FOUND_CODE, `: ${MISTAKEN_MOUNT}`);
  }
  if (kind == FailureKind.CommandNotFound) return bad(text, NOT_FOUND_CODE);
  if (kind == FailureKind.CommandNotExecutable) return bad(text, NOT_EXECUTABLE_CODE);
  return other(text);
}

/** Errors that a runtime reports, or would report. */
function isOfRuntime(failure: Failure): bool {
  if (failure.tag == FailureTag.Call) {
    const refused = (<FailureCall>failure).value;
    return refused.inside && refused.call == "mount";
  }
  return failure.tag == FailureTag.Runtime || failure.tag == FailureTag.Program;
}

/** The client's settings are at fault: 400 with the runtime's own text, which clients parse. */
function bad(message: string, exitCode: i32, hint: string = ""): StartError {
  const text = `${PREFIX}${message}: unknown${hint}`;
  return new StartError(text, exitCode, badParameter(text));
}

function other(message: string): StartError {
  return new StartError(message, OTHER_CODE, internal(message));
}
