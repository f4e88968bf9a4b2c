// The names that the driver `local` accepts for volumes (surface §2.25).

import { isContainerName } from "../container/names";

/** A volume is a directory with its name (mkdir(2): NAME_MAX). */
const LONGEST: i32 = 255;

/** Why a name is invalid, in Docker's words; empty if it is valid. */
export function volumeNameProblem(name: string): string {
  if (name.length > LONGEST) return `create ${name}: file name too long`;
  if (isContainerName(name)) return "";
  if (name.length == 1) {
    return `create ${name}: volume name is too short, names should be at least two alphanumeric characters`;
  }
  return (
    `create ${name}: "${name}" includes invalid characters for a local volume name, only ` +
    '"[a-zA-Z0-9][a-zA-Z0-9_.-]" are allowed. If you intended to pass a host directory, use absolute path'
  );
}
