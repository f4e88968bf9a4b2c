// The steps of a launch: files, bundle, supervisor (which has the runtime make the container), stdin, start.

import { closeSync, constants, existsSync, openSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { refusedByRuntime, silent, startBroke } from "../../hosts/shared/index.js";
import type { processes, types } from "../../hosts/shared/index.js";
import { groupOf } from "../cgroups/chosen-groups.js";
import { writeBundle, type Spec } from "./bundle.js";
import { endOf, saidBy, startChild } from "./child.js";
import { makePrivate } from "../directories.js";
import { killRun } from "../ends/kill-run.js";
import { hasBfqWeights, setWeights } from "../cgroups/limits.js";
import { settle } from "../mounts/created.js";
import { MountPlaces } from "../mounts/places.js";
import { OwnMounts } from "../mounts/own-mounts.js";
import { keepInMemory } from "../mounts/run-memory.js";
import { grantRealtime } from "../cgroups/realtime.js";
import { yielding } from "./priority.js";
import { sealedSupervisor } from "./sealed-program.js";
import { checkPropagation, sightOf } from "../mounts/propagation.js";
import { processStat, type LogNote, type Run, type RunNote } from "../ends/run.js";
import type { Runtime } from "./runtimes.js";
import { supervise, type Supervisor } from "./supervisor.js";
import type { Surroundings } from "./surroundings.js";
import { setPropagation } from "../mounts/tmpfs-propagation.js";
import { ownTurn } from "./turns.js";
import { throwIfGivenUp, unlessGivenUp } from "../under-way.js";
import { within } from "../within.js";

/**
 * Launches a run. `connect` is called when the supervisor is there and the process is not started yet. After aborting
 * `signal`, the caller must kill the programs that work on the run.
 */
export async function launch(
  command: processes.Launch,
  run: Run,
  runtime: Runtime,
  at: Surroundings,
  connect: () => void,
  signal: AbortSignal,
): Promise<{ launched: types.Launched; supervisor: Supervisor }> {
  at.cgroups.expectMove();
  await ownTurn();
  const ownWeights = hasBfqWeights(at.cgroups);
  const spec = prepare(command, run, runtime, at, !ownWeights);
  allowRealtime(spec, run, at);
  checkPropagation(spec.mounts ?? []);
  const supervisor = supervise(
    {
      program: sealedSupervisor(at.conmon, at.paths.supervisor(), at.kernel),
      name: run.name,
      directory: run.directory,
      log: at.paths.log(run.container),
      logBytes: Number(command.log.fileBytes),
      exits: at.paths.exits(),
      runtime: { path: runtime.path, kind: runtime.kind, root: run.root(runtime) },
      hasMachineNull: new MountPlaces(spec.root?.path ?? "", spec.mounts).isBound("/dev/null"),
      tty: command.tty,
      openStdin: command.openStdin,
      stdinOnce: command.stdinOnce,
      process: spec.process ?? {},
      born: (spawn) => at.born(runtime, spawn, sightOf(spec.mounts ?? [], at.paths.roots)),
    },
    at.kernel,
  );
  const pid = await yielding(supervisor.pid, created(supervisor, run, at, signal), at.kernel);
  const { blockIO } = spec.linux?.resources ?? {};
  if (ownWeights && blockIO) await setWeights(at.cgroups, run.container, blockIO);
  if (runtime.kind !== "runc") settle(spec, command.closed, pid, runtime.kind === "crun", at.kernel);
  if (runtime.kind === "crun") setPropagation(spec.mounts ?? [], pid, at.kernel);
  connect();
  const startTicks = processStat(pid)?.startTicks;
  if (startTicks === undefined) throw startBroke("process-ended");
  const launched = { pid, at: BigInt(Date.now()) * 1_000_000n };
  run.writeProcess({ pid, startTicks, at: String(launched.at) });
  throwIfGivenUp(signal);
  await unlessGivenUp(signal, start(run, runtime, spec, at));
  return { launched, supervisor };
}

/** The record of how the log is kept. */
export function logNote({ fileBytes, files, compressed, passing }: processes.LogKeeping): LogNote {
  return { fileBytes: Number(fileBytes), files, compressed, passing };
}

function prepare(command: processes.Launch, run: Run, runtime: Runtime, at: Surroundings, weights: boolean): Spec {
  const { paths, kernel } = at;
  makePrivate(run.directory); // the spec contains the environment
  if (command.variables.length > 0) keepInMemory(run, kernel);
  makePrivate(paths.container(run.container));
  const { tty, openStdin, stdinOnce } = command;
  const { name, path, kind } = runtime;
  const log = logNote(command.log);
  const note: RunNote = { runtime: { name, path, kind }, hooks: false, tty, openStdin, stdinOnce, log };
  run.writeNote(note);
  const names = new OwnMounts(run, command.shmSize, paths, kernel);
  const spec = writeBundle(command, paths, runtime, kernel, weights, names);
  if (hasHooks(spec)) run.writeNote({ ...note, hooks: true });
  return spec;
}

function allowRealtime({ linux }: Spec, run: Run, { cgroups, paths }: Surroundings): void {
  const cpu = cgroups.controller("cpu");
  if (!linux?.resources?.cpu || !cpu || cpu.v2) return;
  grantRealtime(join(cpu.path, dirname(groupOf(paths, run.container))), run.container, linux.resources.cpu);
}

async function created(supervisor: Supervisor, run: Run, at: Surroundings, signal: AbortSignal): Promise<number> {
  const { createLimitMs } = at;
  try {
    const made = within(supervisor.created, createLimitMs, () => silent("oci-runtime", createLimitMs));
    return await unlessGivenUp(signal, made);
  } catch (error) {
    await killRun(run, at); // conmon may have died before its runtime
    await supervisor.ended;
    throw error;
  }
}

async function start(run: Run, runtime: Runtime, spec: Spec, at: Surroundings): Promise<void> {
  if (runtime.kind === "crun" && !hasHooks(spec) && existsSync(run.gate(runtime))) return openGate(run.gate(runtime));
  const said = await callRuntime(runtime, at, ["start", run.name], run.root(runtime));
  if (said !== undefined) throw refusedByRuntime(said, spec.process ?? {});
  run.markStarted();
}

/**
 * Does what `crun start` does, but without spawning a program: the created process holds a fifo open and waits for a
 * byte from it. If the engine is killed between the byte and the removal of the fifo, the next engine takes the process
 * for unstarted and kills it.
 */
function openGate(gate: string): void {
  let fifo: number;
  try {
    fifo = openSync(gate, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw startBroke("process-ended", "", (error as NodeJS.ErrnoException).code);
  }
  try {
    writeSync(fifo, "0");
    unlinkSync(gate);
  } finally {
    closeSync(fifo);
  }
}

/** Calls an OCI runtime and waits for its end. If it failed, returns what it wrote to stderr. `root`: of its state. */
export async function callRuntime(
  runtime: Pick<Runtime, "name" | "path" | "kind">,
  at: Surroundings,
  args: string[],
  root = at.paths.runtime(runtime.name),
): Promise<string | undefined> {
  const parameters = [`--root=${root}`, ...args];
  const files = ["ignore", "ignore", "pipe"] as const;
  const child = at.born(runtime, () => startChild(at.kernel, { program: runtime.path, args: parameters, files }));
  const [said, { code }] = await Promise.all([saidBy(child, 2), endOf(child, at.kernel, at.createLimitMs)]);
  return code === 0 ? undefined : said;
}

function hasHooks(spec: Spec): boolean {
  return Object.values(spec.hooks ?? {}).some((hooks) => hooks.length > 0);
}
