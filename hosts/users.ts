// Who a container's process runs as: `name|uid[:group|gid]` by the container's own passwd and group, Docker's rules.

import { HostFailure } from "./failure.js";

export interface Identity {
  uid: number;
  gid: number;
  /** All groups, `gid` first. */
  groups: number[];
  home: string;
}

const ID_MAX = 2147483647;

/** `passwd` and `group`: text of the files, empty when missing. `more`: groups to add, names or ids. */
export function identify(user: string, more: readonly string[], passwd: string, group: string): Identity {
  const [wanted = "", wantedGroup = ""] = split(user);
  const account = findAccount(wanted, passwd);
  const groups = parse(group).map(([name = "", , gid, members]) => ({ name, gid: Number(gid), members }));
  const find = (key: string) => groups.find(({ name, gid }) => name === key || String(gid) === key)?.gid;

  const gid = wantedGroup === "" ? account.gid : (find(wantedGroup) ?? numeric(wantedGroup));
  if (gid === undefined) throw missing("group", wantedGroup);
  // A group given by hand takes the place of those the user is a member of.
  const isMember = (members = "") => account.name !== "" && members.split(",").includes(account.name);
  const memberOf =
    wantedGroup === "" ? groups.filter(({ members }) => isMember(members)).map((found) => found.gid) : [];
  const added = more.map((key) => {
    const found = find(key) ?? numeric(key);
    if (found === undefined)
      throw new HostFailure("invalid", `Unable to find group ${key}: no matching entries in group file`);
    return found;
  });
  return { uid: account.uid, gid, groups: [...new Set([gid, ...memberOf, ...added])], home: account.home };
}

function findAccount(wanted: string, passwd: string): { name: string; uid: number; gid: number; home: string } {
  for (const [name = "", , uid, gid, , home = ""] of parse(passwd))
    if (name === wanted || uid === (wanted || "0"))
      return { name, uid: Number(uid), gid: Number(gid), home: home || "/" };
  const uid = wanted === "" ? 0 : numeric(wanted);
  if (uid === undefined) throw missing("user", wanted);
  return { name: "", uid, gid: 0, home: "/" };
}

function missing(what: "user" | "group", name: string): HostFailure {
  const file = what === "user" ? "passwd" : "group";
  return new HostFailure("invalid", `unable to find ${what} ${name}: no matching entries in ${file} file`);
}

function numeric(text: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const id = Number(text);
  if (id < 0 || id > ID_MAX) throw new HostFailure("invalid", `uids and gids must be in range 0-${ID_MAX}`);
  return id;
}

function split(user: string): string[] {
  const colon = user.indexOf(":");
  return colon < 0 ? [user] : [user.slice(0, colon), user.slice(colon + 1)];
}

/** Lines of passwd(5) or group(5); those whose third field is no number are left out. */
function parse(text: string): string[][] {
  const lines = text.split("\n").map((line) => line.trim().split(":"));
  return lines.filter((fields) => /^[0-9]+$/.test(fields[2] ?? ""));
}
