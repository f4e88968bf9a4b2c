// The version of the records: one number for the whole store, in a record of its own. Records refer to each other
// (containers to layers, images to configs), so a new form of one kind may depend on another kind. The number is read
// before anything else, so that an older engine does not touch records that it might misread. Raise it when an older
// engine would misunderstand a record; a new member that an older engine can ignore needs no new version.

import { Stored } from "../../../build/bindings/types";
import { decodeUtf8, encodeUtf8 } from "../text/utf8";
import { VERSION_RECORD } from "./kinds";

export const VERSION: i32 = 4;
/** Stands for an invalid version. */
export const NO_VERSION: i32 = -1;

const MOST_DIGITS: i32 = 9;

export function versionRecord(): Uint8Array {
  return encodeUtf8(VERSION.toString());
}

/** The version of all given records, or of those below `engine/`. The version record may be among the lost ones. */
export function versionOf(records: Stored[]): i32 {
  let hasLost = false;
  for (let i = 0; i < records.length; i++) {
    if (records[i].key == VERSION_RECORD) return parseVersion(decodeUtf8(records[i].value));
    if (records[i].key.length == 0) hasLost = true;
  }
  if (hasLost) return NO_VERSION;
  return records.length == 0 ? VERSION : 0;
}

/** Why the records cannot be opened; empty if they can. A damaged number does not count as a newer version. */
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
