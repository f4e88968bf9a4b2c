// Which thing is not there: what a command asks where a thing that has gone meanwhile is no failure. A file of the
// machine that is missing (`call`, ENOENT) says nothing of that.

import { Failure, FailureCall, FailureNoSuch, FailureTag, Noun } from "../../../build/bindings/types";

/** The run, or the process, that a command was for has ended: word of its end is on its way. */
export function hasEnded(failure: Failure): bool {
  return lacks(failure, Noun.Run) || lacks(failure, Noun.Process);
}

/** There is no such thing. */
export function lacks(failure: Failure, what: Noun): bool {
  return failure.tag == FailureTag.NoSuch && (<FailureNoSuch>failure).value.what == what;
}

/** A path that a client named is not in its container. */
export function lacksPath(failure: Failure): bool {
  if (failure.tag != FailureTag.Call) return lacks(failure, Noun.Member);
  const refused = (<FailureCall>failure).value;
  return refused.inside && refused.error == "ENOENT";
}
