// The command `coracle`.

import { setFlagsFromString } from "node:v8";
import { Configuration } from "./config/configuration.js";
import { runDaemon } from "./daemon.js";
import { parseFlags } from "./config/flags.js";
import { ConfigError, OPTIONS } from "./config/options.js";
import { keepYoungSmall } from "./memory/young.js";
import { DIFF_USAGE, compareFiles } from "./trace/diff-command.js";
import { REPLAY_USAGE, replayTrace } from "./trace/replay-command.js";
import type { Told } from "./trace/replay-command.js";
import { SAVE_USAGE, saveTrace } from "./trace/save.js";
import { VERSION } from "../shared/index.js";

/** Ends the process when it is done: with 0, or with 1 after an error. `args`: without the program's name. */
export async function main(args: readonly string[]): Promise<void> {
  process.exit(await codeOf(args));
}

async function codeOf(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === "daemon") return daemon(rest);
  if (command === "trace") return trace(rest);
  if (command === "replay") return told(() => replayTrace(rest, (line) => console.log(line)), "coracle replay --help");
  if (command === "--version" || command === "-v") return tell(versionLine());
  if (command === "--help" || command === "-h" || command === undefined) return tell(USAGE);
  return fail(`coracle: ${JSON.stringify(command)} is not a coracle command`, "coracle --help");
}

async function daemon(args: readonly string[]): Promise<number> {
  try {
    const flags = parseFlags(args);
    if (flags.get("help") === true) return tell(daemonUsage());
    if (flags.get("version") === true) return tell(versionLine());
    const configuration = Configuration.read(flags);
    const { config } = configuration;
    if (config.simulated === null && process.getuid?.() !== 0) return fail(NO_ROOT, null);
    if (config.simulated === null) tuneMemory();
    await runDaemon(configuration);
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail(`coracle: ${message}`, error instanceof ConfigError ? "coracle daemon --help" : null);
  }
}

async function trace([command, ...args]: readonly string[]): Promise<number> {
  const see = `coracle trace ${command ?? ""} --help`;
  if (command === "save") return told(async () => ({ code: 0, text: await saveTrace(args) }), see);
  if (command === "diff") return told(() => compareFiles(args), see);
  if (command === "--help" || command === "-h") return tell(`${SAVE_USAGE}\n\n${DIFF_USAGE}\n\n${REPLAY_USAGE}`);
  return fail(`coracle: 'coracle trace' needs save or diff after it`, "coracle --help");
}

async function told(act: () => Told | Promise<Told>, see: string): Promise<number> {
  try {
    const { code, text } = await act();
    if (code === 0) return tell(text);
    console.error(text);
    return code;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail(`coracle: ${message}`, error instanceof ConfigError ? see : null);
  }
}

/**
 * Keeps the heap small, except for bytes that pass through. A simulated world lives in this process and needs the room.
 */
function tuneMemory(): void {
  keepYoungSmall();
  // Bytes that pass through count as part of the heap. V8 would mark the heap every few megabytes, which takes most of
  // an upload's time. So the heap may triple before that.
  setFlagsFromString("--heap-growing-percent=200");
}

function tell(text: string): number {
  console.log(text);
  return 0;
}

function fail(message: string, see: string | null): number {
  console.error(message);
  if (see !== null) console.error(`See '${see}'.`);
  return 1;
}

function versionLine(): string {
  return `Coracle version ${VERSION}`;
}

const NO_ROOT = `coracle: the daemon must be run as root
To try it without root, with simulated containers: coracle daemon --simulated`;

const USAGE = `Usage: coracle COMMAND [flags]

A container engine that speaks the Docker Engine API.

  coracle daemon               run the engine in the foreground
  coracle daemon --simulated   only simulate containers: without root, on any system with Node
  coracle trace save FILE      save the daemon's latest inputs to a file
  coracle trace diff FILE FILE find the first difference between two such files
  coracle replay FILE          repeat such a file step by step and check the results
  coracle --version            print the version
  coracle --help               print this text

'coracle daemon --help', 'coracle trace --help' and 'coracle replay --help' list the flags.`;

function daemonUsage(): string {
  const rows = OPTIONS.map(({ flag, short, value, help }) => {
    const names = `${short === undefined ? "    " : `-${short}, `}--${flag}${value === undefined ? "" : ` ${value}`}`;
    return `  ${names.padEnd(34)} ${help}`;
  });
  return `Usage: coracle daemon [flags]\n\n${rows.join("\n")}`;
}
