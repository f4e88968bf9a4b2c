// A daemon under test, with its own directories, socket and network namespace. Tests reach it only by its socket.
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, LONGEST_MS, must, run, until } from "./commands.js";
import { childrenOf, findProcesses } from "./processes.js";
import { openNetns, type Netns } from "./netns.js";
import { exchange } from "./raw-http.js";

export interface Directories {
  /** Contains all other directories; removed when the daemon is closed. */
  readonly root: string;
  readonly dataRoot: string;
  readonly execRoot: string;
  readonly pidFile: string;
  readonly socketPath: string;
  readonly logFile: string;
}

/** A running daemon, which can be killed and started again on the same directories. */
export interface DaemonProcess {
  readonly directories: Directories;
  readonly netns: Netns;
  readonly socketPath: string;
  pid(): number;
  /** Starts the daemon (again) and waits until it answers a ping. */
  start(): Promise<void>;
  /** Sends a signal and waits for the process to end. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Exit code of the last process; null if it still runs or was killed. */
  exitCode(): number | null;
  /** The daemon's standard output and error. */
  log(): string;
  /** Stops the daemon and removes its namespace, mounts and directories. */
  close(): Promise<void>;
}

export type CommandLine = (directories: Directories, netns: Netns) => readonly string[];

/**
 * Ends the daemon when its parent is killed. The daemon has its own session, so signals to the test's session do not
 * reach it. Only Linux can do this.
 */
const ENDS_WITH_US = findProgram("setpriv") === null ? [] : ["setpriv", "--pdeathsig", "TERM", "--"];

/** Where a daemon runs. */
export interface Place {
  /** Its network namespace; by default a new one, which needs root. */
  readonly netns?: Netns;
  /** Parent of its directories; the directory for temporary files if not given. */
  readonly parent?: string;
  /** Its exec root is in memory, as /run is. This needs a namespace of its own. */
  readonly runsInMemory?: boolean;
}

/** Prepares a daemon and starts it. */
export async function launchDaemon(name: string, commandLine: CommandLine, place: Place = {}): Promise<DaemonProcess> {
  const root = await mkdtemp(join(place.parent ?? tmpdir(), `coracle-${name}-`));
  const directories: Directories = {
    root,
    dataRoot: join(root, "data"),
    execRoot: join(root, "exec"),
    pidFile: join(root, "daemon.pid"),
    socketPath: join(root, "daemon.sock"),
    logFile: join(root, "daemon.log"),
  };
  const netns = place.netns ?? (await openNetns());
  if (place.runsInMemory === true) await mountMemory(directories.execRoot);
  let child: ChildProcess | null = null;

  const start = async (): Promise<void> => {
    const command = netns.inside(commandLine(directories, netns));
    const [program = "", ...args] = [...ENDS_WITH_US, ...command];
    const out = openSync(directories.logFile, "a");
    // In its own session, as a service manager does, so that it does not share its clients' processor quota.
    child = spawn(program, args, { stdio: ["ignore", out, out], detached: netns.isOwn });
    closeSync(out);
    const started = child;
    await until(`${name} to answer a ping`, () => answersPing(started, directories));
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ending = child;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(signal);
    const timer = setTimeout(() => ending.kill("SIGKILL"), LONGEST_MS / 2);
    await ended;
    clearTimeout(timer);
  };
  const close = async (): Promise<void> => {
    await removeContainers(directories.socketPath);
    await end("SIGTERM");
    if (netns.isOwn) {
      killWhatNames(root);
      await unmountBelow(root);
      await netns.close();
    }
    await rm(root, { recursive: true, force: true });
  };
  const daemon: DaemonProcess = {
    directories,
    netns,
    socketPath: directories.socketPath,
    pid: () => child?.pid ?? 0,
    start,
    end,
    exitCode: () => child?.exitCode ?? null,
    log: () => readFileSync(directories.logFile, "utf8"),
    close,
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return daemon;
}

/** It is unmounted with all else below the root. */
async function mountMemory(directory: string): Promise<void> {
  await mkdir(directory);
  await must(["mount", "-t", "tmpfs", "tmpfs", directory]);
}

async function answersPing(child: ChildProcess, directories: Directories): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) {
    const log = readFileSync(directories.logFile, "utf8").slice(-2000);
    throw new Error(`the daemon ended with code ${child.exitCode ?? child.signalCode}: ${log}`);
  }
  try {
    return (await exchange(directories.socketPath, { target: "/_ping" })).status === 200;
  } catch {
    return false;
  }
}

/**
 * Containers may outlive their daemon, so they are removed first. If the engine does not answer, its processes are
 * killed instead.
 */
async function removeContainers(socketPath: string): Promise<void> {
  try {
    const list = await exchange(socketPath, { target: "/v1.41/containers/json?all=1" }, 5000);
    const targets = list.json<{ Id: string }[]>().map(({ Id }) => `/v1.41/containers/${Id}?force=1&v=1`);
    await Promise.all(targets.map((target) => exchange(socketPath, { method: "DELETE", target }, 15_000)));
  } catch {
    // What is left is killed below.
  }
}

/** Kills leftover supervisors, found by the directories in their command lines, and the containers below them. */
function killWhatNames(root: string): void {
  for (const pid of findProcesses(`${root}/`)) {
    for (const one of [...childrenOf(pid), pid]) {
      try {
        process.kill(one, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  }
}

/** Unmounts everything that a daemon left mounted below a directory, innermost first. */
async function unmountBelow(root: string): Promise<void> {
  const mounts = (await must(["cat", "/proc/self/mounts"]))
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.startsWith(`${root}/`));
  for (const path of mounts.reverse()) await run(["umount", "-l", path]);
}
