// What core/wit says about each command: whether it only asks, its subject, and whether it may take long.

import { COMMANDS } from "../../build/core/commands.js";
import type { HostEffect } from "./outputs.js";

/** A command of any interface, from any caller. */
export type Asked = Pick<HostEffect, "to" | "command">;

type Commands = typeof COMMANDS;

/** The commands of an interface that only ask. */
export type QuestionOf<To extends keyof Commands> = {
  [Tag in keyof Commands[To]]: Commands[To][Tag] extends { kind: "ask" } ? Tag : never;
}[keyof Commands[To]];

interface Marks {
  kind: "state" | "once" | "ask";
  /** Its subject; null if it waits for no other command. */
  subject: { noun: string; path: readonly string[] } | null;
  lasts: boolean;
}

const MARKS: Readonly<Record<HostEffect["to"], Readonly<Record<string, Marks>>>> = COMMANDS;

/** Whether a command changes nothing: if nobody wants its answer any more, it leaves nothing behind. */
export function onlyAsks(asked: Asked): boolean {
  return marksOf(asked).kind === "ask";
}

/** The same for a command of this interface, as a type guard. */
export function isQuestion<To extends Asked["to"], Command extends Asked["command"]>(
  to: To,
  command: Command,
): command is Extract<Command, { tag: QuestionOf<To> }> {
  return MARKS[to][command.tag]!.kind === "ask";
}

/** Whether a command changes something and may take long. */
export function lasts(asked: Asked): boolean {
  return marksOf(asked).lasts;
}

/**
 * Whether a command can be aborted when an engine ends or an instance is discarded. For a query, because perhaps nobody
 * waits for the answer. All other commands run to their ends and report their results. Above all, a command that undoes
 * something would otherwise stay half done.
 */
export function mayBeGivenUp(asked: Asked): boolean {
  return lasts(asked) || onlyAsks(asked);
}

/** The subject of a command, by its noun and its name; null if it waits for no other command. */
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
