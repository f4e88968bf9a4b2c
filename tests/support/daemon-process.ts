// A daemon under test: its own directories, socket and network namespace; found by its socket only.
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, LONGEST_MS, must, run, until } from "./commands.js";
import { childrenOf, findProcesses } from "./processes.js";
import { openNetns, type Netns } from "./netns.js";
import { exchange } from "./raw-http.js";

export interface Directories {
  /** Everything below lives here; removed when the daemon is done with. */
  readonly root: string;
  readonly dataRoot: string;
  readonly execRoot: string;
  readonly pidFile: string;
  readonly socketPath: string;
  readonly logFile: string;
}

/** One running daemon, which may be killed and started again on the same directories. */
export interface DaemonProcess {
  readonly directories: Directories;
  readonly netns: Netns;
  readonly socketPath: string;
  pid(): number;
  /** Starts the daemon (again) and waits until it answers a ping. */
  start(): Promise<void>;
  /** Sends a signal and waits for the process to end. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Of the one that ended last; null: it goes on, or was killed. */
  exitCode(): number | null;
  /** What the daemon wrote to its standard output and error. */
  log(): string;
  /** Stops the daemon and removes its namespace, mounts and directories. */
  close(): Promise<void>;
}

export type CommandLine = (directories: Directories, netns: Netns) => readonly string[];

/** Told to end when whoever started it is killed: signals to a session of its own do not tell it. Linux can do that. */
const ENDS_WITH_US = findProgram("setpriv") === null ? [] : ["setpriv", "--pdeathsig", "TERM", "--"];

/** Where a daemon is to live. */
export interface Place {
  /** One of its own, which needs root, unless given. */
  readonly netns?: Netns;
  /** What its directories are made in: the one for temporary files unless given. */
  readonly parent?: string;
}

export function placeIn(parent: string | undefined): Place {
  return parent === undefined ? {} : { parent };
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
  let child: ChildProcess | null = null;

  const start = async (): Promise<void> => {
    const command = netns.inside(commandLine(directories, netns));
    const [program = "", ...args] = [...ENDS_WITH_US, ...command];
    const out = openSync(directories.logFile, "a");
    // As a service manager does: in a session of its own, whose share of the processors is not that of its clients.
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

/** Containers may outlive their daemon: they go first. An engine that does not answer is dealt with by its processes. */
async function removeContainers(socketPath: string): Promise<void> {
  try {
    const list = await exchange(socketPath, { target: "/v1.41/containers/json?all=1" }, 5000);
    const targets = list.json<{ Id: string }[]>().map(({ Id }) => `/v1.41/containers/${Id}?force=1&v=1`);
    await Promise.all(targets.map((target) => exchange(socketPath, { method: "DELETE", target }, 15_000)));
  } catch {
    // What is left is killed below.
  }
}

/** Kills supervisors that the daemon left, known by the directories they name, and the containers below them. */
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

/** Unmounts, innermost first, whatever a daemon left mounted below a directory. */
async function unmountBelow(root: string): Promise<void> {
  const mounts = (await must(["cat", "/proc/self/mounts"]))
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.startsWith(`${root}/`));
  for (const path of mounts.reverse()) await run(["umount", "-l", path]);
}
