// Names of users and groups, from the container's passwd(5) and group(5), and the programs id, whoami, groups.

import type { FileSystem } from "../../files/file-system.js";
import { command, complain } from "../command.js";
import { parseOptions } from "../options.js";

export class Accounts {
  readonly #users: readonly string[][];
  readonly #groups: readonly string[][];

  constructor(files: FileSystem) {
    this.#users = table(files, "/etc/passwd");
    this.#groups = table(files, "/etc/group");
  }

  /** Empty if there is none. */
  userName(uid: number): string {
    return this.#users.find(([, , id]) => Number(id) === uid)?.[0] ?? "";
  }

  groupName(gid: number): string {
    return this.#groups.find(([, , id]) => Number(id) === gid)?.[0] ?? "";
  }

  user(name: string): { uid: number; gid: number; groups: number[] } | undefined {
    const found = this.#users.find(([known]) => known === name);
    if (!found) return undefined;
    const more = this.#groups.filter(([, , , members = ""]) => members.split(",").includes(name));
    const gid = Number(found[3]);
    return { uid: Number(found[2]), gid, groups: [gid, ...more.map(([, , id]) => Number(id))] };
  }

  group(name: string): number | undefined {
    const found = this.#groups.find(([known]) => known === name);
    return found && Number(found[2]);
  }
}

function table(files: FileSystem, path: string): string[][] {
  try {
    const text = new TextDecoder().decode(files.read(path));
    return text
      .split("\n")
      .filter((line) => line.includes(":"))
      .map((line) => line.split(":"));
  } catch {
    return [];
  }
}

export const id = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "ugGnr");
  const accounts = new Accounts(process.files);
  const [name] = words;
  const other = name === undefined ? undefined : accounts.user(name);
  if (name !== undefined && !other) return complain(process, `unknown user ${name}`);
  const { uid, gid, groups } = other ?? process;
  const all = [...new Set([gid, ...groups])];
  const shown = (number: number, named: string): string => (flags.has("n") ? named || String(number) : String(number));
  const both = (number: number, named: string): string => (named ? `${number}(${named})` : String(number));
  const groupOf = (number: number): string => accounts.groupName(number);
  let text: string;
  if (flags.has("u")) text = shown(uid, accounts.userName(uid));
  else if (flags.has("g")) text = shown(gid, groupOf(gid));
  else if (flags.has("G")) text = all.map((group) => shown(group, groupOf(group))).join(" ");
  else {
    const list = (other ? all : [...new Set(groups.length > 0 ? groups : [gid])]).map((group) =>
      both(group, groupOf(group)),
    );
    text = `uid=${both(uid, accounts.userName(uid))} gid=${both(gid, groupOf(gid))} groups=${list.join(",")}`;
  }
  await process.stdout.write(`${text}\n`);
  return 0;
});

export const whoami = command(async (process) => {
  const name = new Accounts(process.files).userName(process.uid);
  if (name === "") return complain(process, `unknown uid ${process.uid}`);
  await process.stdout.write(`${name}\n`);
  return 0;
});

export const groups = command(async (process) => {
  const accounts = new Accounts(process.files);
  const all = [...new Set([process.gid, ...process.groups])].map((group) => accounts.groupName(group) || String(group));
  await process.stdout.write(`${all.join(" ")}\n`);
  return 0;
});
