// The API versions that are served, and the refusals of others
// (surface §2.1). A version is represented by its minor number: 41 for 1.41.

import { decimalOf } from "../text/decimal";
import { quoteText } from "../text/go-quote";

export const MIN_VERSION: i32 = 24;
export const MAX_VERSION: i32 = 55;
export const MIN_VERSION_TEXT: string = "1.24";
const MAX_VERSION_TEXT: string = "1.55";

/** A requested version. */
export class RequestedVersion {
  /** Why the version is not served, in Docker's words; empty if it is. */
  refusal: string = "";

  constructor(
    /** Minor number, for a version that is served, or too old but 1.x. */
    public minor: i32,
  ) {}
}

/** Reads the text between `/v` and the next slash. `newest`: the newest version that the client is served. */
export function requestedVersion(text: string, newest: i32): RequestedVersion {
  const requested = new RequestedVersion(newest);
  if (compareVersions(text, MIN_VERSION_TEXT) < 0) {
    requested.minor = compareVersions(text, "1") < 0 ? 0 : componentOf(text.split("."), 1);
    requested.refusal =
      `client version ${text} is too old. Minimum supported API version is ${MIN_VERSION_TEXT}, ` +
      "please upgrade your client to a newer version";
  } else if (compareVersions(text, versionText(newest)) > 0) {
    requested.refusal = `client version ${text} is too new. Maximum supported API version is ${versionText(newest)}`;
  } else {
    requested.minor = componentOf(text.split("."), 1);
  }
  return requested;
}

/** The minor number of a version that is served; -1 for any other text. */
export function servedVersion(text: string): i32 {
  const components = text.split(".");
  if (components.length != 2 || components[0] != "1") return -1;
  const minor = decimalOf(components[1], MAX_VERSION);
  return minor >= MIN_VERSION && text == versionText(minor) ? minor : -1;
}

/** Why a text is no newest version that could be served; empty if it is one. */
export function newestVersionProblem(text: string): string {
  if (servedVersion(text) >= 0) return "";
  return `invalid API version ${quoteText(text)}: it must be from ${MIN_VERSION_TEXT} to ${MAX_VERSION_TEXT}`;
}

/** Whether the first segment of a path is a version: `v` followed by digits and dots. */
export function isVersionSegment(segment: string): bool {
  if (segment.length < 2 || segment.charCodeAt(0) != 0x76) return false;
  for (let i = 1; i < segment.length; i++) {
    const unit = segment.charCodeAt(i);
    if (unit != 0x2e && (unit < 0x30 || unit > 0x39)) return false;
  }
  return true;
}

/** The refusal of an endpoint that is newer than the requested version. */
export function tooNewEndpoint(method: string, path: string, minor: i32): string {
  return `${method} ${path} requires minimum API version ${versionText(minor)}`;
}

/** `1.41` for 41. */
export function versionText(minor: i32): string {
  return "1." + minor.toString();
}

/** Negative, 0 or positive. Numbers are compared component by component; a missing one counts as 0. */
export function compareVersions(left: string, right: string): i32 {
  const first = left.split(".");
  const second = right.split(".");
  for (let i = 0; i < max(first.length, second.length); i++) {
    const difference = componentOf(first, i) - componentOf(second, i);
    if (difference != 0) return difference;
  }
  return 0;
}

const LARGE: i32 = 1_000_000;

function componentOf(components: string[], index: i32): i32 {
  if (index >= components.length) return 0;
  let value = 0;
  for (let i = 0; i < components[index].length; i++) {
    const digit = components[index].charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return 0;
    value = min(value * 10 + digit, LARGE);
  }
  return value;
}
