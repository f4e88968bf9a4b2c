// Builtins about other processes: kill, wait, jobs, times.

import { signalText } from "../../processes/signals.js";
import { sendSignals } from "../../programs/machine/kill.js";
import type { ContainerProcess } from "../../processes/process.js";
import type { Builtin, Call } from "./builtin.js";
import { ShellError } from "../errors.js";
import type { Shell } from "../shell.js";

export const jobs: Readonly<Record<string, Builtin>> = { kill, wait, jobs: list, times };

async function kill({ shell, args }: Call): Promise<number> {
  const resolved = args.map((arg) => (arg.startsWith("%") ? String(jobOf(arg, shell)?.pid ?? arg) : arg));
  const { errors, listing, code } = sendSignals(resolved, shell.process);
  if (listing) await shell.out(listing);
  for (const error of errors) await shell.say(`${shell.name}: ${error}\n`);
  await shell.process.work(0);
  await shell.traps.run();
  return code;
}

/** A job such as `%1` or `%%`. Jobs are numbered in the order in which they were started. */
function jobOf(name: string, shell: Shell): ContainerProcess | undefined {
  const all = [...shell.jobs.values()];
  return /^%\d+$/.test(name) ? all[Number(name.slice(1)) - 1] : all.at(-1);
}

/** Ends early if a trap must run (POSIX 2.11). */
async function wait({ shell, args }: Call): Promise<number> {
  if (args.length === 0) {
    for (const child of [...shell.jobs.values()]) {
      if ((await endOf(child, shell)) === null) return interrupted(shell);
      shell.jobs.delete(child.pid);
    }
    return 0;
  }
  let status = 0;
  for (const arg of args) {
    const child = arg.startsWith("%") ? jobOf(arg, shell) : shell.jobs.get(number(arg));
    if (!child) {
      status = 127;
      continue;
    }
    const code = await endOf(child, shell);
    if (code === null) return interrupted(shell);
    status = code;
  }
  return status;
}

function number(arg: string): number {
  if (!/^\d+$/.test(arg)) throw new ShellError(`Illegal number: ${arg}`);
  return Number(arg);
}

/**
 * If a job ended at most this long before the wait, `wait` reports it as if it ended during the wait, because a signal
 * takes some time to work.
 */
const NEWS_NS = 1_000_000n;

/** Null if a trap came first. */
async function endOf(child: ContainerProcess, shell: Shell): Promise<number | null> {
  const begun = shell.process.namespace.kernel.time.now().monotonic;
  let code: number | null = null;
  const ended = child.exited.then((exit) => void (code = exit));
  const isOver = (): boolean => code !== null || shell.traps.pending;
  await Promise.resolve();
  while (!isOver()) {
    await shell.process.wait((wake) => {
      void ended.then(wake);
      return shell.interrupted.add(wake);
    });
  }
  const text = code !== null && child.endedBy && child.endedAt >= begun - NEWS_NS ? signalText(child.endedBy) : "";
  if (text) await shell.say(`${text}\n`);
  return code;
}

async function interrupted(shell: Shell): Promise<number> {
  const signal = shell.traps.next;
  await shell.traps.run();
  return 128 + signal;
}

async function list({ shell }: Call): Promise<number> {
  let index = 0;
  for (const child of shell.jobs.values()) {
    index++;
    if (child.isOver) continue;
    await shell.out(`[${index}]+  Running                 ${child.argv.join(" ")}\n`);
  }
  return 0;
}

async function times({ shell }: Call): Promise<number> {
  await shell.out("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n");
  return 0;
}
