// conmon, the supervisor of one run: it holds the process's stdio, writes its log and its exit code, and lives on when
// the engine dies. It has the OCI runtime make the container; starting it is left to the caller.

import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { refusedByRuntime, startBroke, type ProcessSpec } from "../../hosts/shared/failure.js";
import { missingProgram, startChild, type Child } from "./child.js";
import type { Kernel } from "../kernel.js";
import { supervisedRuntime, type SupervisedRuntime } from "./supervised-runtime.js";

export interface Supervision {
  /** Absolute path of conmon. */
  program: string;
  /** What the run is called. */
  name: string;
  /** Its directory: bundle, sockets. */
  directory: string;
  /** Log file, appended to. */
  log: string;
  /** The engine has it begin a new log file at that length; 0: never. */
  logBytes: number;
  /** Directory for the exit code. */
  exits: string;
  /** The OCI runtime's program, and the directory of its state. */
  runtime: { path: string; root: string };
  /** The container's /dev/null is none of its own. */
  hasMachineNull: boolean;
  tty: boolean;
  openStdin: boolean;
  /** Stdin ends when a client's connection does. */
  stdinOnce: boolean;
  /** What the runtime is to start. */
  process: ProcessSpec;
  /** Runs `spawn` where the process should be born; see `Hybrid.hide`. */
  born: (spawn: () => Child) => Child;
}

export interface Supervisor {
  /** Of the supervisor itself. */
  pid: number;
  /** The container is made; its first process waits to be started. Process id of it. */
  created: Promise<number>;
  /** The supervisor is gone: all output is in the log, and the exit code in its file, if there is going to be one. */
  ended: Promise<void>;
}

/** Starts a supervisor: our child, so that its end is noticed at once; it is adopted by init when we die. */
export function supervise(supervision: Supervision, kernel: Kernel): Supervisor {
  const { program, directory, process } = supervision;
  const errors = openSync(join(directory, ERRORS), "a");
  try {
    const runtime = runtimeOf(supervision, kernel);
    const child = start(supervision, runtime, errors, kernel);
    const made = created(child.pipes[3]!, directory, process).finally(runtime.release);
    return { pid: child.pid, created: made, ended: child.gone.then(() => {}) };
  } catch (error) {
    throw missingProgram(error, program);
  } finally {
    closeSync(errors);
  }
}

function start(supervision: Supervision, runtime: SupervisedRuntime, errors: number, kernel: Kernel): Child {
  const { program, directory, born } = supervision;
  const args = parameters(supervision, runtime);
  const variables = { _OCI_SYNCPIPE: "3" };
  const files = ["ignore", "ignore", errors, "pipe"] as const;
  try {
    return born(() => startChild(kernel, { program, args, variables, directory, makesSession: true, files }));
  } catch (error) {
    runtime.release();
    throw error;
  }
}

/** What the supervisor has to say itself. */
const ERRORS = "supervisor.log";

/**
 * A log may grow by that much while no engine is there to have it begin a new file. Beyond that it begins one by itself,
 * and what is in the old one is lost unless an engine has given that a second name.
 */
const UNATTENDED_BYTES = 256 * 1024 ** 2;

/** A terminal goes by another way than the standard streams. */
function runtimeOf({ runtime, tty, openStdin, hasMachineNull }: Supervision, kernel: Kernel): SupervisedRuntime {
  const pipes = { stdin: openStdin && !tty, stdout: !tty, hasMachineNull };
  return supervisedRuntime(kernel, runtime.path, [`--root=${runtime.root}`], pipes);
}

function parameters(supervision: Supervision, runtime: SupervisedRuntime): string[] {
  const { name, directory, log, logBytes, exits, tty, openStdin, stdinOnce } = supervision;
  return [
    "--sync", // it does not leave us for init at once
    ...["--cid", name, "--cuuid", name, "--name", name],
    ...runtime.args,
    ...["--bundle", directory, "--full-attach", "--persist-dir", directory],
    ...["--container-pidfile", join(directory, "pid"), "--exit-dir", exits],
    ...["--log-path", `k8s-file:${log}`, "--no-sync-log", "--log-level", "error"],
    ...(logBytes > 0 ? ["--log-size-max", String(logBytes + UNATTENDED_BYTES)] : []),
    ...(tty ? ["--terminal"] : []),
    ...(openStdin ? ["--stdin"] : []),
    // A terminal is no pipe: nothing ends when a client leaves.
    ...(openStdin && (tty || !stdinOnce) ? ["--leave-stdin-open"] : []),
  ];
}

/** Reads the one line that conmon sends once the runtime has made the container, or could not. */
async function created(pipe: Readable, directory: string, process: ProcessSpec): Promise<number> {
  try {
    const { pid = -1, message } = JSON.parse((await firstLine(pipe)) || "{}") as { pid?: number; message?: string };
    if (pid > 0) return pid;
    // Without a text of its own conmon was killed, or could not do its part.
    if (message) throw refusedByRuntime(message, process);
    throw startBroke("supervisor-ended", words(directory));
  } finally {
    pipe.destroy();
  }
}

async function firstLine(pipe: Readable): Promise<string> {
  let text = "";
  pipe.setEncoding("utf8");
  for await (const chunk of pipe as AsyncIterable<string>) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0]!;
}

function words(directory: string): string {
  return readFileSync(join(directory, ERRORS), "utf8").trim();
}
