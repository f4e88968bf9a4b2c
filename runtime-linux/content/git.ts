// Clones git repositories with the machine's `git`. Nothing of the machine's own git takes part: no configuration, no
// hooks, no helpers for credentials, no keys; and nothing may ask a question or read another repository of the machine.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { failedTool, HostFailure, interrupted, noSuch, tooLarge } from "../../hosts/shared/index.js";
import type { content } from "../../hosts/shared/index.js";
import { findProgram } from "../launch/find-program.js";

export interface GitWork {
  /** Where the files go; it does not exist yet. */
  directory: string;
  /** Bytes that are there so far. */
  measure(): Promise<bigint>;
  signal: AbortSignal;
}

/** Resolves to the id of the commit. */
export async function clone(command: Omit<content.Clone, "into">, work: GitWork): Promise<string> {
  const { repository, reference, keepGit } = command;
  const git = new Git(work, command);
  mkdirSync(work.directory, { mode: 0o755 });
  await git.run("init", "-q", "--template=");
  await git.run("remote", "add", "origin", addressOf(repository));
  await fetch(git, reference || "HEAD");
  if (existsSync(join(work.directory, ".gitmodules"))) {
    await newest(git, (depth) => ["submodule", "-q", "update", "--init", "--recursive", ...depth]);
  }
  const commit = (await git.run("rev-parse", "HEAD")).trim();
  if (!keepGit) await dropGit(work.directory);
  return commit;
}

/** Servers need not give a commit by its id: then all branches and tags are fetched. */
async function fetch(git: Git, reference: string): Promise<void> {
  const checkout = (what: string): Promise<string> => git.run("checkout", "-q", "--detach", what, "--");
  try {
    await newest(git, (depth) => ["fetch", "-q", ...depth, "origin", reference]);
  } catch (error) {
    if (git.isOver || !/^[0-9a-f]{7,64}$/.test(reference)) throw error;
    await git.run("fetch", "-q", "--tags", "origin", "+refs/heads/*:refs/remotes/origin/*");
    await checkout(reference);
    return;
  }
  await checkout("FETCH_HEAD");
}

/** Fetches the newest commit without those before it. A web server that knows nothing of git only has all of them. */
async function newest(git: Git, words: (depth: string[]) => string[]): Promise<void> {
  try {
    await git.run(...words(["--depth=1"]));
  } catch (error) {
    if (git.isOver || !saidIn(error).includes("dumb http transport")) throw error;
    await git.run(...words([]));
  }
}

function saidIn(error: unknown): string {
  return error instanceof HostFailure && error.failure.tag === "tool" ? error.failure.val.said : "";
}

class Git {
  isOver = false;
  readonly #path: string;
  readonly #work: GitWork;
  readonly #command: Omit<content.Clone, "into">;

  constructor(work: GitWork, command: Omit<content.Clone, "into">) {
    const path = findProgram("git");
    if (path === undefined) throw noSuch("tool", "git");
    [this.#path, this.#work, this.#command] = [path, work, command];
  }

  /** Returns what it wrote to stdout. */
  async run(...words: string[]): Promise<string> {
    const { signal, directory } = this.#work;
    if (signal.aborted) throw interrupted("given-up");
    // Files get the modes that they have in the repository, whatever the engine's own umask.
    const child = spawn("/bin/sh", ["-c", 'umask 022; exec "$0" "$@"', this.#path, ...words], {
      ...{ cwd: directory, env: environmentFor(this.#command.repository), detached: true },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr] = [tailOf(child.stdout!), tailOf(child.stderr!)];
    const end = (): void => endAll(child);
    signal.addEventListener("abort", end);
    const isFull = this.#watch(end);
    try {
      const [exit] = (await once(child, "close")) as [number | null];
      await this.#check(await isFull(), exit, stderr());
      return stdout();
    } finally {
      signal.removeEventListener("abort", end);
      endAll(child);
    }
  }

  async #check(isFull: boolean, exit: number | null, said: string): Promise<void> {
    this.isOver = this.#work.signal.aborted || isFull;
    if (this.#work.signal.aborted) throw interrupted("given-up");
    if (isFull) throw tooLarge("unpacked", "", Number(this.#command.limit));
    if (exit !== 0) throw failedTool("git", exit, said);
  }

  /** Ends it if more arrives than may. The returned function looks a last time, and tells whether it was so. */
  #watch(end: () => void): () => Promise<boolean> {
    let full = false;
    let looking = Promise.resolve();
    const look = async (): Promise<void> => {
      full ||= (await this.#work.measure()) > this.#command.limit;
      if (full) end();
    };
    const timer = setInterval(() => (looking = looking.then(look)), LOOK_MS);
    return async () => {
      clearInterval(timer);
      await looking.then(look);
      return full;
    };
  }
}

/** git, and the programs that it has started. */
function endAll(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // All have ended.
  }
}

/** The last bytes of a stream, as text. */
function tailOf(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.on("data", (piece: Buffer) => (text = (text + piece.toString("utf8")).slice(-MOST_SAID)));
  return () => text;
}

/** Without a user's password, which all users of the machine could read in the list of processes. */
function addressOf({ address, credentials }: content.WebFile): string {
  const user = credentials?.user.split(":")[0] ?? "";
  return address.startsWith("ssh://") && user !== "" ? address.replace("://", `://${user}@`) : address;
}

function environmentFor({ address, credentials }: content.WebFile): NodeJS.ProcessEnv {
  const settings: [string, string][] = [
    ["core.hooksPath", "/dev/null"],
    ["credential.helper", ""],
    ["gc.auto", "0"],
    ["advice.detachedHead", "false"],
    ["http.lowSpeedLimit", "1"],
    ["http.lowSpeedTime", "60"],
  ];
  if (credentials !== undefined && /^https?:/.test(address)) {
    const basic = Buffer.from(decodeURIComponent(credentials.user)).toString("base64");
    settings.push([`http.${new URL("/", address).href}.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  const env: NodeJS.ProcessEnv = { ...OWN, GIT_CONFIG_COUNT: String(settings.length) };
  for (const [at, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = key;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  for (const name of PASSED_ON) if (process.env[name] !== undefined) env[name] = process.env[name];
  return env;
}

/** `.git` is a name that no repository has in its files. A repository may have so many that another process looks. */
async function dropGit(directory: string): Promise<void> {
  const words = [directory, "-iname", ".git", "-prune", "-exec", "rm", "-rf", "{}", "+"];
  await promisify(execFile)("find", words).catch((error: { stderr: string }) => {
    throw failedTool("find", null, error.stderr);
  });
}

const OWN: NodeJS.ProcessEnv = {
  LC_ALL: "C",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "http:https:git:ssh",
  GIT_SSH_COMMAND: "ssh -F /dev/null -o BatchMode=yes -o IdentityFile=/dev/null -o IdentitiesOnly=yes",
};

const PASSED_ON = ["PATH", "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "no_proxy", "NO_PROXY"];
const LOOK_MS = 500;
const MOST_SAID = 4096;
