// The two ways to start an exec: attached, the OCI runtime itself, as our child; detached, under a supervisor, so that
// its exit code is kept when the engine dies.

import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Readable } from "node:stream";
import { HostFailure } from "../../hosts/failure.js";
import { environment } from "../environment.js";
import type { Surroundings } from "../launch.js";
import type { RunNote } from "../run.js";
import type { ExecPlace } from "./place.js";
import { execRefusal } from "./refusal.js";

/** How often it is looked whether the process is made: nothing tells of it. */
const LOOK_MS = 3;

export interface Spawned {
  child: ChildProcess;
  /** Resolves when the child is gone: exit code, or the signal that killed it. */
  gone: Promise<{ code: number | null }>;
  /** Why nothing was started, in the runtime's words; asked for when the child is gone. */
  errors: () => Promise<string>;
}

/** `stdio`: of the process. `terminal`: path of the socket that its terminal is sent to. */
export function spawnDirect(
  place: ExecPlace,
  runtime: RunNote["runtime"],
  at: Surroundings,
  stdio: StdioOptions,
  terminal?: string,
): Spawned {
  const parameters = [
    ...[`--root=${at.paths.runtime(runtime.name)}`, `--log=${place.log}`, "--log-format=json"],
    ...["exec", "--process", place.spec, "--pid-file", place.pidFile],
    ...(terminal === undefined ? [] : ["--console-socket", terminal]),
    place.run.name,
  ];
  // A session of its own: signals to the engine's process group pass it by.
  const child = at.born(runtime, () => spawn(runtime.path, parameters, { env: environment(), stdio, detached: true }));
  return { child, gone: goneOf(child), errors: async () => place.errors() };
}

export function spawnSupervised(
  place: ExecPlace,
  runtime: RunNote["runtime"],
  at: Surroundings,
  tty: boolean,
): Spawned {
  const { name } = place.run;
  const parameters = [
    ...["--sync", "--cid", name, "--cuuid", place.exec, "--name", name],
    ...["--runtime", runtime.path, "--runtime-arg", `--root=${at.paths.runtime(runtime.name)}`],
    ...["--bundle", place.directory, "--full-attach", "--persist-dir", place.directory],
    ...["--container-pidfile", place.pidFile, "--log-path", "none", "--no-sync-log", "--log-level", "error"],
    ...["--exec", "--exec-process-spec", place.spec, ...(tty ? ["--terminal"] : [])],
  ];
  const child = at.born(runtime, () =>
    spawn(at.conmon, parameters, {
      cwd: place.directory,
      env: { ...environment(), _OCI_SYNCPIPE: "3" },
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      detached: true,
    }),
  );
  const said = textOf(child.stdio[3] as Readable);
  return { child, gone: goneOf(child), errors: async () => messageOf(await said) };
}

/** Resolves with the process's id once it is made, and its program was found. Rejects with why it was not. */
export async function started({ gone, errors }: Spawned, place: ExecPlace, process: ProcessSpec): Promise<number> {
  const ended = gone.then(() => "gone" as const);
  for (;;) {
    const waited = await Promise.race([ended, sleep(LOOK_MS, undefined, { ref: false })]);
    const pid = place.pid();
    if (pid !== undefined) return pid;
    if (waited === "gone") throw execRefusal(await errors(), process);
  }
}

/** What refusals speak of. */
export interface ProcessSpec {
  args?: string[];
  cwd?: string;
}

function goneOf(child: ChildProcess): Promise<{ code: number | null }> {
  child.unref();
  return new Promise((resolve) => {
    child.once("exit", (code) => resolve({ code }));
    child.once("error", () => resolve({ code: null }));
  });
}

async function textOf(pipe: Readable): Promise<string> {
  let text = "";
  pipe.setEncoding("utf8");
  try {
    for await (const chunk of pipe as AsyncIterable<string>) text += chunk;
  } catch {
    // What has come will do.
  }
  return text;
}

/** The supervisor's report is one line of JSON. */
function messageOf(said: string): string {
  try {
    return (JSON.parse(said.split("\n")[0] ?? "") as { message?: string }).message?.trim() ?? "";
  } catch {
    throw new HostFailure("internal", "supervisor ended before the process was made");
  }
}
