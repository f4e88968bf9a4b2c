// Makes the daemon's sockets with mode 0660 and the group that may use them. Replaces what a killed daemon left.

import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, unlinkSync } from "node:fs";
import { connect } from "node:net";
import type { Server } from "node:net";
import { dirname } from "node:path";
import { ConfigError } from "../config/options.js";

const DEFAULT_GROUP = "docker";

/**
 * Id of the group, by name or number; null for no group, which an empty name means. Throws `ConfigError` if the named
 * group does not exist.
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

/** Throws if another daemon answers there, or if the path is not a socket. */
export async function clearSocket(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`cannot listen on ${path}: it exists and is not a socket`);
  if (await answers(path)) throw new Error(`cannot listen on ${path}: another daemon answers there`);
  unlinkSync(path);
}

/** Only the owner can connect before the group is set. */
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

/** A daemon that accepts nobody at the moment (EAGAIN: the queue is full) is still there. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(true));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "EAGAIN"));
    socket.once("connect", () => socket.destroy());
  });
}
