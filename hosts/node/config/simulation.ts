// The configuration of `coracle daemon --simulated`, and its default socket.

import { accessSync, constants, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pace } from "../../simulated/index.js";
import { ConfigError } from "./options.js";
import type { Values } from "./options.js";

export interface Simulation {
  pace: Pace;
  seed: number;
}

/** Null if containers are really to run. Throws `ConfigError`. */
export function simulation(flags: Values): Simulation | null {
  if (flags.get("simulated") === true) return { pace: paceOf(flags.get("pace")), seed: seedOf(flags.get("seed")) };
  const vain = ["pace", "seed"].find((flag) => flags.has(flag));
  if (vain !== undefined) throw new ConfigError(`--${vain} means nothing without --simulated`);
  return null;
}

/**
 * A socket that the user can create wherever they may write: in their session's runtime directory (XDG Base Directory
 * specification), in the system's for root, or in a directory of their own among temporary files.
 */
export function simulatedSocket(): string {
  const session = process.env["XDG_RUNTIME_DIR"];
  const places = [session, process.getuid?.() === 0 ? "/run" : undefined];
  const place = places.find((directory) => directory !== undefined && directory !== "" && isWritable(directory));
  return join(place === undefined ? ownTemporary() : join(place, "coracle"), "simulated.sock");
}

function paceOf(value: unknown): Pace {
  if (value === undefined || value === "real") return { times: 1 };
  if (value === "fast") return "fast";
  const times = Number(value);
  if (value !== "" && times > 0 && Number.isFinite(times)) return { times };
  throw new ConfigError(`invalid pace ${JSON.stringify(value)}: it must be real, fast, or a number above 0`);
}

function seedOf(value: unknown): number {
  const seed = Number(value ?? 0);
  if (value !== "" && Number.isSafeInteger(seed)) return seed;
  throw new ConfigError(`invalid seed ${JSON.stringify(value)}: it must be a whole number`);
}

/** Must belong to this user alone, because everybody may make directories among temporary files. */
function ownTemporary(): string {
  const uid = process.getuid?.();
  const directory = join(tmpdir(), uid === undefined ? "coracle" : `coracle-${uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  if (found.isDirectory() && (uid === undefined || found.uid === uid)) return directory;
  throw new ConfigError(`${directory} belongs to another user: choose a socket with --host`);
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
