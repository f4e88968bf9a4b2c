// What a start that failed means: the sentence, the exit code and the status (surface §2.3, §6.2).

import { Failure, FailureKind } from "../../../build/bindings/types";
import { notConnected, portTaken } from "../network/connect";
import { badParameter, internal, notFound, Refusal } from "../refusal";
import { Container } from "./container";

const PREFIX =
  "failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: ";
const NOT_FOUND_CODE = 127;
const NOT_EXECUTABLE_CODE = 126;
export const OTHER_CODE = 128;

export class StartError {
  constructor(
    readonly text: string,
    readonly exitCode: i32,
    readonly refusal: Refusal,
  ) {}
}

/** 404, and the container stays as it was, or goes if it is to remove itself. */
export function noSuchNetwork(name: string): StartError {
  const text = `network ${name} not found`;
  return new StartError(text, OTHER_CODE, notFound(text));
}

export function startErrorOf(container: Container, failure: Failure, joining: bool): StartError {
  if (joining && failure.kind == FailureKind.Busy) return other(portTaken(container, failure.message));
  // An address that the machine does not have.
  if (joining && failure.kind == FailureKind.Invalid) return other(notConnected(container, failure.message));
  // Runtimes take an empty name for the current directory; to Docker it is a program that is not there.
  if (failure.kind == FailureKind.CommandNotExecutable && container.path.length == 0) {
    return bad('exec: "": executable file not found in $PATH', NOT_FOUND_CODE);
  }
  if (failure.kind == FailureKind.CommandNotFound) return bad(failure.message, NOT_FOUND_CODE);
  if (failure.kind == FailureKind.CommandNotExecutable) return bad(failure.message, NOT_EXECUTABLE_CODE);
  return other(failure.message);
}

/** The client's words were at fault: 400, and the runtime's own text, which clients look into. */
function bad(message: string, exitCode: i32): StartError {
  const text = `${PREFIX}unable to start container process: ${message}: unknown`;
  return new StartError(text, exitCode, badParameter(text));
}

function other(message: string): StartError {
  return new StartError(message, OTHER_CODE, internal(message));
}
