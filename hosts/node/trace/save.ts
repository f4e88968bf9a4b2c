// `coracle trace save`: saves a daemon's trace to one file, either for its owner alone or with secrets hidden for
// others.

import { rmSync } from "node:fs";
import { mkdtemp, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeSegments, share } from "../../trace/index.js";
import { coreIdentity, loadCore } from "../core-files.js";
import { configuredBy, traceArguments } from "./arguments.js";
import { traceOf } from "./source.js";
import { linesOf } from "./trace-file.js";

export const SAVE_USAGE = `Usage: coracle trace save [flags] FILE

Saves a daemon's latest inputs: from the daemon, or from its files if it does not run.

  -H, --host unix://path   socket of the daemon (default as for the daemon; or $DOCKER_HOST)
      --simulated          a simulated daemon at its default socket
      --data-root dir      data root of the daemon: only its files are read
      --config-file file   configuration file of the daemon
      --share              a file that you can show to others: without commands and without the values of
                           environment variables, labels and drivers' options. It tells what happened, but it
                           cannot be replayed or verified`;

/** Returns what to print. Throws with a message for the user. */
export async function saveTrace(args: readonly string[]): Promise<string> {
  const parsed = traceArguments(args, 1, ["host", "simulated", "data-root", "config-file", "share"]);
  if (parsed.given.help === true) return SAVE_USAGE;
  const text = await traceOf(configuredBy(parsed), parsed.given["data-root"] !== undefined);
  const [file] = parsed.files as [string];
  if (parsed.given.share !== true) {
    await written(file, text);
    return file;
  }
  const leftOut = await shared(file, text);
  const others = leftOut === 0 ? "" : `; left out: ${leftOut} segments of another core`;
  return `${file}: may be shown to others, and cannot be verified${others}`;
}

async function written(file: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await handle.chmod(0o600);
    for await (const piece of pieces) await handle.appendFile(piece);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Goes through a temporary file: the values to hide must be known before anything is written. Returns how many segments
 * are left out.
 */
async function shared(file: string, text: AsyncIterable<Uint8Array>): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "coracle-trace-"));
  try {
    const whole = join(directory, "whole");
    await written(whole, text);
    const lines: string[] = [];
    const leftOut = share(
      () => decodeSegments(linesOf(whole)),
      loadCore(),
      coreIdentity(),
      (line) => void lines.push(line),
    );
    await written(file, bytesOf(lines));
    return leftOut;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function* bytesOf(lines: Iterable<string>): Generator<Uint8Array> {
  for (const line of lines) yield Buffer.from(`${line}\n`);
}
