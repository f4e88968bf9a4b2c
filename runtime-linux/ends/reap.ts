// Cleans up a run: removes everything that was made for it and kills whatever still runs. Its log stays.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { forgetGroup } from "../cgroups/chosen-groups.js";
import { namesIn, removeAll, removeEmpty, removeFile } from "../directories.js";
import { killRun } from "./kill-run.js";
import { callRuntime } from "../launch/launch.js";
import type { Surroundings } from "../launch/surroundings.js";
import { unmount, unmountOwn } from "../mounts/own-mounts.js";
import { dropFromMemory } from "../mounts/run-memory.js";
import { parseUnfinished } from "../paths.js";
import type { Run, RunNote } from "./run.js";
import { ownTurn } from "../launch/turns.js";

/** How long a supervisor has, after its process was killed, to write the exit code. Then it is killed, too. */
const SUPERVISOR_LIMIT_MS = 2000;

/** `ended` resolves when the run's supervisor is gone. Undefined if the engine does not watch it. */
export async function reap(run: Run, ended: Promise<void> | undefined, at: Surroundings): Promise<void> {
  await ownTurn();
  const isLast = run.isLast();
  const note = run.note();
  // A run that ended by itself usually has nothing left.
  const isGone = isLast && run.hasExit && (await at.cgroups.removeEmpty(run.container));
  if (isLast && !isGone) await at.cgroups.kill(run.container);
  const wasKilled = existsSync(run.directory) && (await settle(run, ended, at));
  if (note) await removeState(run, note, at);
  if (isLast && !isGone) await at.cgroups.remove(run.container);
  await removeExit(run, wasKilled, at);
  unmountOwn(run, at.kernel);
  await dropFromMemory(run, at.kernel);
  await removeAll(run.directory);
  await removeEmpty(dirname(run.directory));
  if (isLast) forgetGroup(at.paths, run.container);
  await removeEmpty(at.paths.liveContainer(run.container));
}

/** Makes sure that no program manages the run any more. True: it had to kill. */
async function settle(run: Run, ended: Promise<void> | undefined, at: Surroundings): Promise<boolean> {
  if (ended) {
    const limit = new Promise<"late">((resolve) => setTimeout(resolve, SUPERVISOR_LIMIT_MS, "late").unref());
    if ((await Promise.race([ended, limit])) !== "late" && run.hasExit) return false;
  } else if (run.hasExit) return false;
  await killRun(run, at);
  return true;
}

/** A supervisor that was killed while it wrote the code leaves a temporary file beside it. */
async function removeExit(run: Run, wasKilled: boolean, { paths }: Surroundings): Promise<void> {
  const exits = paths.exits();
  const unfinished = wasKilled ? namesIn(exits).filter((name) => parseUnfinished(name) === run.name) : [];
  for (const name of [run.name, ...unfinished]) await removeFile(join(exits, name));
}

/** crun and runc are known to keep only a directory and the cgroups. Other runtimes are asked to clean up. */
async function removeState(run: Run, note: RunNote, at: Surroundings): Promise<void> {
  if (note.runtime.kind === "other" || note.hooks)
    // The runtime may know nothing of a run that it failed to make.
    await callRuntime(note.runtime, at, ["delete", "--force", run.name], run.root(note.runtime)).catch(() => {});
  const state = run.state(note.runtime);
  // runc briefly mounts its own program there to make it read-only. If it was killed then, the mount is still there.
  for (const name of namesIn(state)) if (name.startsWith("runc.")) unmount(join(state, name), at.kernel);
  await removeAll(state);
}
