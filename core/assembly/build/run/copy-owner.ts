// What is wrong with the owner that a COPY or an ADD names, in Docker's sentences.

import { Failure, FailureNoSuch, Noun } from "../../../../build/bindings/types";
import { lacks } from "../../failure/missing";

const UNUSABLE: string = "unable to convert uid/gid chown string to host mapping: ";

/** `owner`: the user, and after a colon the group. Empty if it has that form. */
export function ownerProblem(owner: string): string {
  return owner.split(":").length > 2 ? `${UNUSABLE}invalid chown string format: ${owner}` : "";
}

/** Empty if the failure is another one. */
export function unknownOwner(failure: Failure): string {
  const isUser = lacks(failure, Noun.User);
  if (!isUser && !lacks(failure, Noun.Group)) return "";
  const name = (<FailureNoSuch>failure).value.name;
  if (isUser) return `${UNUSABLE}can't find uid for user ${name}: no such user: ${name}`;
  return `${UNUSABLE}can't find gid for group ${name}: no such group: ${name}`;
}
