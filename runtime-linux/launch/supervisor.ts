// conmon, the supervisor of one run. It holds the process's stdio, writes its log and exit code, and outlives the
// engine. It has the OCI runtime make the container; the caller starts the process.

import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { refusedByRuntime, startBroke } from "../../hosts/shared/index.js";
import type { ProcessSpec } from "../../hosts/shared/index.js";
import { missingProgram, startChild, type Child } from "./child.js";
import type { Kernel } from "../kernel.js";
import type { Runtime } from "./runtimes.js";
import { supervisedRuntime, type SupervisedRuntime } from "./supervised-runtime.js";

export interface Supervision {
  /** Absolute path of conmon. */
  program: string;
  /** Name of the run. */
  name: string;
  /** The run's directory: bundle, sockets. */
  directory: string;
  /** Log file to append to. */
  log: string;
  /** The engine makes conmon start a new log file at this size; 0: never. */
  logBytes: number;
  /** Directory for the exit code. */
  exits: string;
  /** The OCI runtime's program, and the directory for its state. */
  runtime: Pick<Runtime, "path" | "kind"> & { root: string };
  /** The container uses the machine's /dev/null. */
  hasMachineNull: boolean;
  tty: boolean;
  openStdin: boolean;
  /** Stdin ends when a client's connection does. */
  stdinOnce: boolean;
  /** The process that the runtime is to start. */
  process: ProcessSpec;
  /** Runs `spawn` in the right mount namespace; see `Hybrid.hide`. */
  born: (spawn: () => Child) => Child;
}

export interface Supervisor {
  /** Process id of the supervisor itself. */
  pid: number;
  /** Resolves with the first process's id once the container is made. The process then waits to be started. */
  created: Promise<number>;
  /** Resolves when the supervisor is gone. All output is then in the log, and the exit code, if any, is in its file. */
  ended: Promise<void>;
}

/** Starts a supervisor as our child, so that we notice its end at once. When the engine dies, init adopts it. */
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

/** File for the supervisor's own messages. */
const ERRORS = "supervisor.log";

/**
 * How much a log may grow while no engine is there to make the supervisor start a new file. After that the supervisor
 * starts one by itself. The old file is lost, unless an engine has given it a second name.
 */
const UNATTENDED_BYTES = 256 * 1024 ** 2;

/** With a terminal, conmon needs no pipes for the standard streams. */
function runtimeOf({ runtime, tty, openStdin, hasMachineNull }: Supervision, kernel: Kernel): SupervisedRuntime {
  const pipes = { stdin: openStdin && !tty, stdout: !tty, hasMachineNull };
  return supervisedRuntime(kernel, runtime, [`--root=${runtime.root}`], pipes);
}

function parameters(supervision: Supervision, runtime: SupervisedRuntime): string[] {
  const { name, directory, log, logBytes, exits, tty, openStdin, stdinOnce } = supervision;
  return [
    "--sync", // conmon stays our child for now
    ...["--cid", name, "--cuuid", name, "--name", name],
    ...runtime.args,
    ...["--bundle", directory, "--full-attach", "--persist-dir", directory],
    ...["--container-pidfile", join(directory, "pid"), "--exit-dir", exits],
    ...["--log-path", `k8s-file:${log}`, "--no-sync-log", "--log-level", "error"],
    ...(logBytes > 0 ? ["--log-size-max", String(logBytes + UNATTENDED_BYTES)] : []),
    ...(tty ? ["--terminal"] : []),
    ...(openStdin ? ["--stdin"] : []),
    // A terminal is not a pipe: it does not end when a client leaves.
    ...(openStdin && (tty || !stdinOnce) ? ["--leave-stdin-open"] : []),
  ];
}

/** Reads the one line that conmon sends once the runtime has made the container, or has failed. */
async function created(pipe: Readable, directory: string, process: ProcessSpec): Promise<number> {
  try {
    const { pid = -1, message } = JSON.parse((await firstLine(pipe)) || "{}") as { pid?: number; message?: string };
    if (pid > 0) return pid;
    // Without a message, conmon was killed or failed itself.
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
