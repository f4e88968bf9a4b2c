// What core/wit says of each command: whether it only asks, what it is about, whether it may last.

import { COMMANDS } from "../../build/core/commands.js";
import type { HostEffect } from "./outputs.js";

/** Any interface's command, whoever asks. */
export type Asked = Pick<HostEffect, "to" | "command">;

type Commands = typeof COMMANDS;

/** The commands of an interface that only ask. */
export type QuestionOf<To extends keyof Commands> = {
  [Tag in keyof Commands[To]]: Commands[To][Tag] extends { kind: "ask" } ? Tag : never;
}[keyof Commands[To]];

interface Marks {
  kind: "state" | "once" | "ask";
  /** What it is about; null of one that waits for no other. */
  subject: { noun: string; path: readonly string[] } | null;
  lasts: boolean;
}

const MARKS: Readonly<Record<HostEffect["to"], Readonly<Record<string, Marks>>>> = COMMANDS;

/** Whether a command changes nothing: whoever wanted its answer may be gone, and nothing of it is left. */
export function onlyAsks(asked: Asked): boolean {
  return marksOf(asked).kind === "ask";
}

/** The same of one of this interface, for types. */
export function isQuestion<To extends Asked["to"], Command extends Asked["command"]>(
  to: To,
  command: Command,
): command is Extract<Command, { tag: QuestionOf<To> }> {
  return MARKS[to][command.tag]!.kind === "ask";
}

/** Whether a command changes something and may last. */
export function lasts(asked: Asked): boolean {
  return marksOf(asked).lasts;
}

/**
 * Whether a command can be given up when an engine ends or an instance is discarded: nobody may wait for the answers of
 * what only asks. All others run to their ends and tell what came of them: what undoes something, above all, would else
 * stay half done.
 */
export function mayBeGivenUp(asked: Asked): boolean {
  return lasts(asked) || onlyAsks(asked);
}

/** What a command is about, by its noun and its name; null of one that waits for no other. */
export function subjectIn(asked: Asked): string | null {
  const { subject } = marksOf(asked);
  if (subject === null) return null;
  let name: unknown = (asked.command as { val?: unknown }).val;
  for (const field of subject.path) name = (name as Record<string, unknown>)[field];
  return `${subject.noun} ${name as string}`;
}

function marksOf({ to, command }: Asked): Marks {
  return MARKS[to][command.tag]!;
}
