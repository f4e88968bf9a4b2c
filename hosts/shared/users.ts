// Finds the ids that a container's process runs with: `name|uid[:group|gid]`, looked up in the container's own passwd
// and group files by Docker's rules.

import { idOutOfRange, noSuch } from "./failure.js";

export interface Identity {
  uid: number;
  gid: number;
  /** All groups, `gid` first. */
  groups: number[];
  home: string;
}

/** Bytes of a passwd or group file, which a host keeps in memory to read it. Larger ones count as missing. */
export const ACCOUNTS_BYTES_MAX = 4 * 1024 * 1024;

/** The largest id that Docker allows. The kernel has larger ones. */
const ID_MAX = 2147483647;

/** `passwd` and `group`: contents of the files, empty if missing. `more`: additional groups, names or ids. */
export function identify(user: string, more: readonly string[], passwd: string, group: string): Identity {
  const [wanted = "", wantedGroup = ""] = split(user);
  const account = findAccount(wanted, passwd);
  const { ids, memberOf } = findGroups([wantedGroup, ...more], account.name, group);
  const gid = wantedGroup === "" ? account.gid : (ids.get(wantedGroup) ?? numeric(wantedGroup));
  if (gid === undefined) throw noSuch("group", wantedGroup);
  const added = more.map((key) => {
    const found = ids.get(key) ?? numeric(key);
    if (found === undefined) throw noSuch("added-group", key);
    return found;
  });
  // An explicit group replaces the groups that the user is a member of.
  const all = [gid, ...(wantedGroup === "" ? memberOf : []), ...added];
  return { uid: account.uid, gid, groups: [...new Set(all)], home: account.home };
}

/** The requested groups by names or ids, without duplicates, and those that the user is a member of. */
function findGroups(
  keys: readonly string[],
  user: string,
  group: string,
): { ids: Map<string, number>; memberOf: number[] } {
  const ids = new Map<string, number>();
  const memberOf: number[] = [];
  for (const [name = "", , digits, members = ""] of parse(group)) {
    const gid = Number(digits);
    for (const key of keys) if (!ids.has(key) && (name === key || String(gid) === key)) ids.set(key, gid);
    if (user !== "" && members.split(",").includes(user)) memberOf.push(gid);
  }
  return { ids, memberOf };
}

function findAccount(wanted: string, passwd: string): { name: string; uid: number; gid: number; home: string } {
  for (const [name = "", , uid, gid, , home = ""] of parse(passwd))
    if (name === wanted || uid === (wanted || "0"))
      return { name, uid: Number(uid), gid: Number(gid), home: home || "/" };
  const uid = wanted === "" ? 0 : numeric(wanted);
  if (uid === undefined) throw noSuch("user", wanted);
  return { name: "", uid, gid: 0, home: "/" };
}

function numeric(text: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const id = Number(text);
  if (id < 0 || id > ID_MAX) throw idOutOfRange(ID_MAX);
  return id;
}

function split(user: string): string[] {
  const colon = user.indexOf(":");
  return colon < 0 ? [user] : [user.slice(0, colon), user.slice(colon + 1)];
}

/**
 * Fields of lines of passwd(5) or group(5). Lines whose third field is not a number are left out. A generator, because
 * a container decides how many lines there are.
 */
function* parse(text: string): Generator<string[]> {
  for (let [at, end] = [0, 0]; at < text.length; at = end + 1) {
    const colon = text.indexOf(":", at);
    const second = text.indexOf(":", colon + 1);
    if (colon < 0 || second < 0) return;
    // Skips lines with fewer than two colons at once.
    at = text.lastIndexOf("\n", second) + 1;
    end = text.indexOf("\n", second);
    if (end < 0) end = text.length;
    const fields = text.slice(at, end).trim().split(":", FIELDS);
    if (/^[0-9]+$/.test(fields[2] ?? "")) yield fields;
  }
}

const FIELDS = 7;
