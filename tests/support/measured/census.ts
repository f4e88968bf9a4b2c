// Counts from outside what one daemon uses on this machine: mounts, namespaces, links, firewall rules, cgroups,
// supervisors, open files and everything under its exec root. The counts before and after a test must be equal.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { must, run } from "../commands.js";
import type { DaemonProcess } from "../daemon-process.js";
import { kindOf, openFiles } from "./open-files.js";
import { commandLineOf, findProcesses } from "../processes.js";

export interface Census {
  readonly mounts: readonly string[];
  readonly links: readonly string[];
  readonly firewall: readonly string[];
  readonly cgroups: readonly string[];
  /** Command lines of processes that name the daemon's directories, except the daemon's own. */
  readonly processes: readonly string[];
  /** The daemon's open files, without numbers of sockets and the like. */
  readonly openFiles: readonly string[];
  readonly execRoot: readonly string[];
}

/** Takes the counts. `ids` are the containers whose cgroups are counted. */
export async function takeCensus(daemon: DaemonProcess, ids: readonly string[]): Promise<Census> {
  const { netns, directories } = daemon;
  const inside = (command: readonly string[]): Promise<string> => must(netns.inside(command));
  return {
    mounts: mountsBelow(directories.root, ["self", String(daemon.pid())]),
    links: linesOf(await inside(["ip", "-o", "link"])).map(
      (line) => (line.split(":")[1] ?? "").trim().split("@")[0] ?? "",
    ),
    firewall: linesOf(await firewallOf(netns.inside)),
    cgroups: cgroupsOf(ids),
    processes: processesOf(directories.root, daemon.pid()),
    openFiles: openFilesOf(daemon.pid()),
    execRoot: filesBelow(directories.execRoot),
  };
}

/** Keys of the durable records of a real daemon. */
export function recordsOf({ directories }: DaemonProcess): string[] {
  const database = open({ path: join(directories.dataRoot, "records"), readOnly: true, encoding: "binary" });
  try {
    return [...database.getKeys()].map(String);
  } finally {
    void database.close();
  }
}

async function firewallOf(inside: (command: readonly string[]) => string[]): Promise<string> {
  const saved = await run(inside(["iptables-save"]));
  const listed = await run(inside(["nft", "list", "ruleset"]));
  const all = `${saved.stdout}\n${listed.stdout}`;
  return all
    .replace(/^#.*$/gm, "")
    .replace(/\[\d+:\d+\]/g, "")
    .replace(/counter packets \d+ bytes \d+/g, "counter");
}

/** Mount points below a directory, in any of the mount namespaces of these processes. */
function mountsBelow(root: string, processes: readonly string[]): string[] {
  const found = processes.flatMap((pid) =>
    linesOf(readFileSync(`/proc/${pid}/mountinfo`, "utf8"))
      .map((line) => line.split(" ")[4] ?? "")
      .filter((path) => path.startsWith(`${root}/`)),
  );
  return [...new Set(found)].sort();
}

function cgroupsOf(ids: readonly string[]): string[] {
  const found: string[] = [];
  const visit = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const path = join(directory, entry.name);
      if (ids.some((id) => entry.name.includes(id))) found.push(path);
      try {
        visit(path);
      } catch {
        // Gone meanwhile, so it belongs to another test.
      }
    }
  };
  visit("/sys/fs/cgroup");
  return found.sort();
}

function processesOf(root: string, daemon: number): string[] {
  return findProcesses(root)
    .filter((pid) => pid !== daemon)
    .map(commandLineOf)
    .sort();
}

/** The open files of a process, without numbers of sockets and the like. */
export function openFilesOf(pid: number): string[] {
  const kinds = openFiles(pid).map(kindOf).sort();
  // The first running container adds one inotify watch, which stays.
  const watch = kinds.indexOf("anon_inode:inotify");
  return watch < 0 ? kinds : kinds.toSpliced(watch, 1);
}

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
