// Makes the daemon's sockets: mode 0660, of the group that may use them; what a killed daemon left is replaced.

import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, unlinkSync } from "node:fs";
import { connect } from "node:net";
import type { Server } from "node:net";
import { dirname } from "node:path";
import { ConfigError } from "../config/options.js";

const DEFAULT_GROUP = "docker";

/**
 * Id of the group, by name or number; null for none, which an empty name asks for. Throws `ConfigError` if one was named
 * that does not exist.
 */
export function socketGroup(named: string | null, groups = "/etc/group"): number | null {
  if (named === "") return null;
  if (named !== null && /^\d+$/.test(named)) return Number(named);
  const wanted = named ?? DEFAULT_GROUP;
  const line = readFileSync(groups, "utf8")
    .split("\n")
    .find((line) => line.startsWith(`${wanted}:`));
  if (line !== undefined) return Number(line.split(":")[2]);
  if (named === null) return null;
  throw new ConfigError(`group ${named} not found`);
}

/** Throws when another daemon answers there, or something is there that is no socket. */
export async function clearSocket(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`cannot listen on ${path}: it exists and is no socket`);
  if (await answers(path)) throw new Error(`cannot listen on ${path}: another daemon answers there`);
  unlinkSync(path);
}

/** Nobody but its owner can connect before its group is set. */
export async function listen(server: Server, path: string, group: number | null): Promise<void> {
  const umask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path, backlog: 4096 }, resolve);
    });
  } finally {
    process.umask(umask);
  }
  if (group !== null) chownSync(path, process.getuid?.() ?? 0, group);
  chmodSync(path, 0o660);
}

/** One that takes nobody in for now (EAGAIN: too many wait) is there all the same. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(true));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "EAGAIN"));
    socket.once("connect", () => socket.destroy());
  });
}
