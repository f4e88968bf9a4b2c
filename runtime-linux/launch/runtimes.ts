// Finds the OCI runtimes on this machine, asks what they are, and chooses the default.

import { answerOf } from "./answer.js";
import { findProgram } from "./find-program.js";

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

async function ask(name: string, program: string): Promise<Runtime | undefined> {
  const path = findProgram(program);
  if (!path) return undefined;
  try {
    const [version, features] = await Promise.all([answerOf(path, "--version"), featuresOf(path)]);
    return { name, path, ...parseVersion(version), features };
  } catch {
    return undefined;
  }
}

/** OCI runtime-spec, features.md. Many runtimes are older than this command. */
async function featuresOf(path: string): Promise<string> {
  try {
    return JSON.stringify(JSON.parse(await answerOf(path, "features")));
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
