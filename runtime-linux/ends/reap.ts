// Clears a run away: whatever of it was made, whatever still runs. Its log stays.

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { forgetGroup } from "../cgroups/chosen-groups.js";
import { namesIn, removeAll, removeEmpty } from "../directories.js";
import { killRun } from "./kill-run.js";
import { callRuntime } from "../launch/launch.js";
import type { Surroundings } from "../launch/surroundings.js";
import { unmount, unmountOwn } from "../mounts/own-mounts.js";
import { parseUnfinished } from "../paths.js";
import type { Run, RunNote } from "./run.js";
import { ownTurn } from "../launch/turns.js";

/** A supervisor whose process was killed has that long to write its exit code before it is killed too. */
const SUPERVISOR_LIMIT_MS = 2000;

/** `ended`: resolves when the run's supervisor is gone, if that is known. */
export async function reap(run: Run, ended: Promise<void> | undefined, at: Surroundings): Promise<void> {
  await ownTurn();
  const isLast = run.isLast();
  const note = run.note();
  // One that has ended by itself has left nothing behind, as a rule.
  const isGone = isLast && run.exit() !== undefined && (await at.cgroups.removeEmpty(run.container));
  if (isLast && !isGone) await at.cgroups.kill(run.container);
  const wasKilled = existsSync(run.directory) && (await settle(run, ended, at));
  if (note) await removeState(run, note, at);
  if (isLast && !isGone) await at.cgroups.remove(run.container);
  await removeExit(run, wasKilled, at);
  unmountOwn(run, at.kernel);
  await removeAll(run.directory);
  await removeEmpty(dirname(run.directory));
  if (isLast) forgetGroup(at.paths, run.container);
  await removeEmpty(at.paths.liveContainer(run.container));
}

/** Sees to it that nobody works on the run any more; whether by killing. */
async function settle(run: Run, ended: Promise<void> | undefined, at: Surroundings): Promise<boolean> {
  if (ended) {
    const limit = new Promise<"late">((resolve) => setTimeout(resolve, SUPERVISOR_LIMIT_MS, "late").unref());
    if ((await Promise.race([ended, limit])) !== "late" && run.exit()) return false;
  } else if (run.exit()) return false;
  await killRun(run, at);
  return true;
}

/** A supervisor that is killed while it writes the code leaves that beside its file, under a name of its own. */
async function removeExit(run: Run, wasKilled: boolean, { paths }: Surroundings): Promise<void> {
  const exits = paths.exits();
  const unfinished = wasKilled ? namesIn(exits).filter((name) => parseUnfinished(name) === run.name) : [];
  for (const name of [run.name, ...unfinished]) await rm(join(exits, name), { force: true });
}

/** Of crun and runc it is known that a directory and the cgroups are all they keep; others are asked to clear up. */
async function removeState(run: Run, note: RunNote, at: Surroundings): Promise<void> {
  if (note.runtime.kind === "other" || note.hooks)
    // It may know nothing of a run that it could not make.
    await callRuntime(note.runtime, at, ["delete", "--force", run.name]).catch(() => {});
  const state = run.state(note.runtime);
  // runc mounts its own program there for a moment, to make it unwritable: one that was killed then has left it mounted.
  for (const name of namesIn(state)) if (name.startsWith("runc.")) unmount(join(state, name), at.kernel);
  await removeAll(state);
}
