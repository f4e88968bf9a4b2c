// Command substitution: `$(…)` and backquotes (POSIX 2.6.3).

import type { Script } from "unbash";
import { ProcessInput } from "../processes/descriptors.js";
import type { ContainerProcess } from "../processes/process.js";
import { Pipe, type Source } from "../processes/streams.js";
import { ShellError } from "./errors.js";
import { parseScript } from "./parse.js";
import type { Shell } from "./shell.js";

/** Its errors are known before any of it runs. */
type Substituted = Script & { errors?: readonly unknown[] | undefined };

/** Runs the commands in a subshell, and returns what they print. */
export async function substituted(script: Substituted | undefined, shell: Shell): Promise<string> {
  if (!script) return "";
  if (script.errors?.length) throw new ShellError(parseScript(script.source ?? "(").error ?? "syntax error");
  const pipe = new Pipe();
  const child = shell.subshell((inner) => inner.interpreter.runList(script.commands, true), { stdout: pipe.sink });
  pipe.sink.release();
  const text = await readAll(pipe.source, shell.process);
  pipe.source.release();
  shell.status = await child.exited;
  shell.substituted = true;
  return text.replace(/\n+$/, "");
}

async function readAll(source: Source, process: ContainerProcess): Promise<string> {
  const input = new ProcessInput(process, source);
  const decoder = new TextDecoder();
  let text = "";
  let allocated = 0;
  for (let piece = await input.read(); piece; piece = await input.read()) {
    process.allocate(piece.length);
    allocated += piece.length;
    text += decoder.decode(piece, { stream: true });
  }
  process.allocate(-allocated);
  return text + decoder.decode();
}
