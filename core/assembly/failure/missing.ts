// Tells which thing does not exist. Commands use this where it is not a failure that the thing has meanwhile gone. A
// missing file of the machine (`call`, ENOENT) does not count.

import { Failure, FailureCall, FailureNoSuch, FailureTag, Noun } from "../../../build/bindings/types";

/** The run or process that the command referred to has ended: its exit is on the way. */
export function hasEnded(failure: Failure): bool {
  return lacks(failure, Noun.Run) || lacks(failure, Noun.Process);
}

/** The thing does not exist. */
export function lacks(failure: Failure, what: Noun): bool {
  return failure.tag == FailureTag.NoSuch && (<FailureNoSuch>failure).value.what == what;
}

/** A path from a client does not exist in its container. */
export function lacksPath(failure: Failure): bool {
  if (failure.tag != FailureTag.Call) return lacks(failure, Noun.Member);
  const refused = (<FailureCall>failure).value;
  return refused.inside && refused.error == "ENOENT";
}
