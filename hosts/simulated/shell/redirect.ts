// Redirections (POSIX 2.7).

import type { HereDoc, Redirect, Redirection } from "unbash";
import { FileError } from "../files/file-system.js";
import { openSink, openSource } from "../processes/open.js";
import { Bytes } from "../processes/streams.js";
import { RedirectionFailed, type Descriptors } from "./descriptors.js";
import { expandText, expandWord } from "./expand.js";
import type { Shell } from "./shell.js";

/** The descriptors of a command. Throws `RedirectionFailed`. */
export async function redirected(redirections: readonly Redirection[], shell: Shell): Promise<Descriptors> {
  const descriptors = shell.descriptors.copy();
  for (const redirection of redirections) {
    if (redirection.type === "HereDoc") await hereDocument(redirection, descriptors, shell);
    else if (redirection.type === "HereString") throw new RedirectionFailed("syntax error: unexpected redirection");
    else await redirect(redirection, descriptors, shell);
  }
  return descriptors;
}

async function hereDocument(document: HereDoc, descriptors: Descriptors, shell: Shell): Promise<void> {
  const { body, operator, delimiter } = document;
  let text = delimiter?.quoted || !body.parts ? body.text : await expandText(body.parts, shell);
  if (!delimiter?.quoted && !body.parts)
    text = text.replace(/\\([$`\\\n])/g, (_, kept: string) => (kept === "\n" ? "" : kept));
  if (operator === "<<-") text = text.replace(/^\t+/gm, "");
  descriptors.set(numberOf(document, 0), { source: new Bytes(new TextEncoder().encode(text)) });
}

async function redirect(redirection: Redirect, descriptors: Descriptors, shell: Shell): Promise<void> {
  const { operator, target } = redirection;
  const name = target ? await expandWord(target, shell) : "";
  const number = numberOf(redirection, operator.startsWith("<") ? 0 : 1);
  if (operator === "<&" || (operator === ">&" && /^(\d+|-)$/.test(name))) return duplicate(name, number, descriptors);
  if (operator === "<") return descriptors.set(number, { source: opened(name, shell, openSource) });
  if (operator === "<>") {
    const sink = opened(name, shell, (process, path) => openSink(process, path, true));
    return descriptors.set(number, { sink, source: opened(name, shell, openSource) });
  }
  const append = operator === ">>" || operator === "&>>";
  const sink = opened(name, shell, (process, path) => openSink(process, path, append), true);
  descriptors.set(number, { sink });
  if (operator === "&>" || operator === "&>>" || operator === ">&") descriptors.set(2, { sink });
}

function duplicate(name: string, number: number, descriptors: Descriptors): void {
  if (name === "-") descriptors.close(number);
  else descriptors.duplicate(Number(name), number);
}

function numberOf({ descriptor }: Redirect | HereDoc, otherwise: number): number {
  return descriptor?.type === "FileDescriptor" ? descriptor.value : otherwise;
}

/** Reports the error as ash does. */
function opened<T>(
  name: string,
  { process }: Shell,
  open: (process: Shell["process"], path: string) => T,
  making = false,
): T {
  try {
    return open(process, name);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isMissing = error instanceof FileError && error.code === "ENOENT";
    const why = !isMissing ? error.message : making ? "nonexistent directory" : "no such file";
    throw new RedirectionFailed(`can't ${making ? "create" : "open"} ${name}: ${why}`);
  }
}
