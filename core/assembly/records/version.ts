// Which version all records are of: one number for the whole store, in a record of its own. Records speak of each other
// (containers of layers, images of configs), so that a new form of one kind may need those of another; and one number is
// looked at before anything else, so that an older engine touches nothing that it might misread. It is raised when a
// record no longer means to an older engine what it says; a member that an older one can do without needs no new number.

import { Stored } from "../../../build/bindings/types";
import { decodeUtf8, encodeUtf8 } from "../text/utf8";
import { VERSION_RECORD } from "./kinds";

export const VERSION: i32 = 1;
/** What makes no sense as a version. */
export const NO_VERSION: i32 = -1;

const MOST_DIGITS: i32 = 9;

export function versionRecord(): Uint8Array {
  return encodeUtf8(VERSION.toString());
}

/** Of all records, or of those below `engine/`. It may be among those that are lost. */
export function versionOf(records: Stored[]): i32 {
  let hasLost = false;
  for (let i = 0; i < records.length; i++) {
    if (records[i].key == VERSION_RECORD) return parseVersion(decodeUtf8(records[i].value));
    if (records[i].key.length == 0) hasLost = true;
  }
  if (hasLost) return NO_VERSION;
  return records.length == 0 ? VERSION : 0;
}

/** Why they cannot be opened; empty if they can. A damaged number is no newer one. */
export function versionProblem(records: Stored[]): string {
  const version = versionOf(records);
  if (version <= VERSION) return "";
  return `records of version ${version.toString()}: this engine reads up to ${VERSION.toString()}`;
}

function parseVersion(text: string): i32 {
  if (text.length == 0 || text.length > MOST_DIGITS) return NO_VERSION;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return NO_VERSION;
  }
  return <i32>parseInt(text, 10);
}
