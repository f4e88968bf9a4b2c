// Finds the OCI runtimes on this machine, asks what they are, and chooses the default.

import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { environment } from "./own-environment.js";

/** An OCI runtime that has answered. */
export interface Runtime {
  /** As in `HostConfig.Runtime`. */
  name: string;
  /** Absolute. */
  path: string;
  version: string;
  /** Commit that it was built from, or empty. */
  commit: string;
  /** JSON output of its command `features`, in one line; empty if it has none. */
  features: string;
  /** The name that it reports. For crun and runc we know what they leave behind, so cleaning up needs no call. */
  kind: "crun" | "runc" | "other";
}

/** Programs to look for, the fastest first. The first that works is the default. */
export const KNOWN: readonly string[] = ["crun", "runc"];

/** Where distributions install them. A service's PATH may lack some of these. */
const PLACES = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/usr/libexec/podman", "/usr/lib/podman"];

/**
 * Asks all runtimes for their version, concurrently. `added`: names and paths from `--add-runtime`; they replace a
 * known one of the same name. A runtime that does not answer is left out.
 */
export async function detectRuntimes(added: ReadonlyMap<string, string> = new Map()): Promise<Runtime[]> {
  const named = new Map<string, string>(KNOWN.map((name) => [name, name]));
  for (const [name, path] of added) named.set(name, path);
  const asked = [...named].map(([name, path]) => ask(name, path));
  return (await Promise.all(asked)).filter((runtime) => runtime !== undefined);
}

/** Looks for a program in PATH and in the system directories; undefined if it is in none. */
export function findProgram(name: string): string | undefined {
  if (isAbsolute(name)) return isExecutable(name) ? name : undefined;
  const places = [...(process.env["PATH"] ?? "").split(delimiter), ...PLACES];
  return places
    .filter(isAbsolute)
    .map((place) => join(place, name))
    .find(isExecutable);
}

async function ask(name: string, program: string): Promise<Runtime | undefined> {
  const path = findProgram(program);
  if (!path) return undefined;
  try {
    const [version, features] = await Promise.all([say(path, "--version"), featuresOf(path)]);
    return { name, path, ...parseVersion(version), features };
  } catch {
    return undefined;
  }
}

async function say(path: string, word: string): Promise<string> {
  return (await promisify(execFile)(path, [word], { env: environment(), timeout: 10_000 })).stdout;
}

/** OCI runtime-spec, features.md. Many runtimes are older than this command. */
async function featuresOf(path: string): Promise<string> {
  try {
    return JSON.stringify(JSON.parse(await say(path, "features")));
  } catch {
    return "";
  }
}

/** `crun version 1.8.1\ncommit: …`; runc's is similar. */
export function parseVersion(text: string): Pick<Runtime, "version" | "commit" | "kind"> {
  const [program, version] = /^(\S+)\s+version\s+(\S+)/m.exec(text)?.slice(1) ?? [];
  const commit = /^commit:\s*(\S+)/m.exec(text)?.[1] ?? "";
  const kind = program === "crun" || program === "runc" ? program : "other";
  return { version: version ?? text.trim().split("\n")[0] ?? "", commit, kind };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
