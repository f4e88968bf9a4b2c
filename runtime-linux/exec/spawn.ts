// The two ways to start an exec. Attached: the OCI runtime itself is our child. Detached: under a supervisor, so that
// its exit code is kept if the engine dies.

import { setTimeout as sleep } from "node:timers/promises";
import { refusedByRuntime, startBroke } from "../../hosts/shared/index.js";
import type { ProcessSpec } from "../../hosts/shared/index.js";
import { missingProgram, saidBy, startChild, type Child, type Command } from "../launch/child.js";
import type { Surroundings } from "../launch/surroundings.js";
import type { RunNote } from "../ends/run.js";
import { sealedProgram, sealedSupervisor } from "../launch/sealed-program.js";
import { supervisedRuntime } from "../launch/supervised-runtime.js";
import type { ExecPlace } from "./place.js";

/** How often to look whether the process is made. There is no notification. */
const LOOK_MS = 3;
/**
 * On a busy machine it takes so long that each look after the first few waits for this part of the time so far. The looks
 * would keep the machine busier still.
 */
const LOOK_AGAIN = 1 / 8;

export interface Spawned {
  child: Child;
  /** The runtime's reason why nothing was started. Call it when the child is gone. */
  errors: () => Promise<string>;
  /** To be called once the runtime has started. */
  release: () => void;
}

/** `files`: the process's files. `terminal`: path of the socket that receives its terminal. */
export function spawnDirect(
  place: ExecPlace,
  runtime: RunNote["runtime"],
  at: Surroundings,
  files: Command["files"],
  terminal?: string,
): Spawned {
  const args = [
    ...[`--root=${place.run.root(runtime)}`, `--log=${place.log}`, "--log-format=json"],
    ...["exec", "--process", place.spec, "--pid-file", place.pidFile],
    ...(terminal === undefined ? [] : ["--console-socket", terminal]),
    place.run.name,
  ];
  const child = born({ program: sealedProgram(runtime, at.kernel), args, files }, runtime, at);
  return { child, errors: async () => place.errors(), release: () => {} };
}

export function spawnSupervised(
  place: ExecPlace,
  runtime: RunNote["runtime"],
  at: Surroundings,
  tty: boolean,
): Spawned {
  const { name } = place.run;
  // If a process with a terminal cannot be made, the supervisor does not pass on the reason. So the runtime writes a
  // log.
  const words = [`--root=${place.run.root(runtime)}`, `--log=${place.log}`, "--log-format=json"];
  const supervised = supervisedRuntime(at.kernel, runtime, words, { stdin: false, stdout: !tty });
  const args = [
    ...["--sync", "--cid", name, "--cuuid", place.exec, "--name", name],
    ...supervised.args,
    ...["--bundle", place.directory, "--full-attach", "--persist-dir", place.directory],
    ...["--container-pidfile", place.pidFile, "--log-path", "none", "--no-sync-log", "--log-level", "error"],
    ...["--exec", "--exec-process-spec", place.spec, ...(tty ? ["--terminal"] : [])],
  ];
  const files = ["ignore", "ignore", "ignore", "pipe"] as const;
  const variables = { _OCI_SYNCPIPE: "3" };
  const program = sealedSupervisor(at.conmon, at.paths.supervisor(), at.kernel);
  const conmon = { program, args, variables, directory: place.directory, makesSession: true, files };
  const { release } = supervised;
  const child = born(conmon, runtime, at, release);
  const said = saidBy(child, 3);
  return { child, errors: async () => place.errors() || messageOf(await said), release };
}

function born(command: Command, runtime: RunNote["runtime"], at: Surroundings, failed = () => {}): Child {
  try {
    return at.born(runtime, () => startChild(at.kernel, command));
  } catch (error) {
    failed();
    throw missingProgram(error, command.program);
  }
}

/** Resolves with the process's id once it is made and its program was found. Rejects with the reason if it was not. */
export async function started(spawned: Spawned, place: ExecPlace, process: ProcessSpec): Promise<number> {
  const pid = await made(spawned, place).finally(spawned.release);
  if (pid === undefined) throw refusedByRuntime(await spawned.errors(), process);
  return pid;
}

async function made({ child }: Spawned, place: ExecPlace): Promise<number | undefined> {
  const ended = child.gone.then(() => "gone" as const);
  const begun = performance.now();
  for (;;) {
    const pause = Math.max(LOOK_MS, (performance.now() - begun) * LOOK_AGAIN);
    const waited = await Promise.race([ended, sleep(pause, undefined, { ref: false })]);
    const pid = place.pid();
    if (pid !== undefined || waited === "gone") return pid;
  }
}

/** The supervisor's report is one line of JSON. */
function messageOf(said: string): string {
  try {
    return (JSON.parse(said.split("\n")[0] ?? "") as { message?: string }).message?.trim() ?? "";
  } catch {
    throw startBroke("supervisor-ended");
  }
}
