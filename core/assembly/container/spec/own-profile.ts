// The seccomp profile that a client gave its container.

import { Members } from "../../json/members";
import { Container } from "../container";
import { CheckedProfile, checkProfile } from "./seccomp-profile";
import { isProfile, readOptions } from "./security-options";

/** Null if the client chose none of its own. Only these two members of HostConfig are read. */
export function ownProfile(container: Container): CheckedProfile | null {
  const members = new Members(container.hostConfig);
  const options = members.tree("SecurityOpt");
  if (options === null || options.length == 0) return null;
  const privileged = members.tree("Privileged");
  const seccomp = readOptions(privileged !== null && privileged.bool, options.strings()).seccomp;
  return isProfile(seccomp) ? checkProfile(seccomp) : null;
}
