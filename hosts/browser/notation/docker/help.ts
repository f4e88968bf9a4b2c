// The text of `docker help` and `--help`.

import { optionsOf } from "./arguments.js";
import { GROUPS, SINGLE, commandOf, verbsOf } from "./commands.js";
import type { Command } from "./planned.js";

/** Help for everything, for a group, or for a command. */
export function helpOf(words: readonly string[]): string | null {
  const found = commandOf(words);
  if (found !== null) return ofCommand(found.name, found.command);
  const [first] = words;
  if (first === undefined) return ofAll();
  return GROUPS.includes(first) && words.length === 1 ? ofGroup(first) : null;
}

function ofAll(): string {
  return [
    "docker COMMAND [OPTIONS]",
    "",
    ...table(SINGLE.map((name) => [name, commandOf([name])!.command.about])),
    "",
    "Groups with their own commands:",
    ...table(GROUPS.map((name) => [name, verbsOf(name).join(" ")])),
    "",
    "docker help COMMAND describes a command.",
  ].join("\n");
}

function ofGroup(group: string): string {
  const rows = verbsOf(group).map((verb) => [verb, commandOf([group, verb])!.command.about] as const);
  return [`docker ${group} COMMAND [OPTIONS]`, "", ...table(rows)].join("\n");
}

function ofCommand(name: string, command: Command): string {
  const options = optionsOf(command.takes);
  const rows = options.map(({ long, short, isFlag }) => {
    const word = `${short === undefined ? "    " : `-${short}, `}--${long}${isFlag ? "" : " VALUE"}`;
    const since = command.takes.since?.[long];
    const notes = [command.fields?.get(long), since && `from API version ${since}`].filter(Boolean);
    return [word, notes.join("; ")] as const;
  });
  const usage = ["docker", name, options.length > 0 && "[OPTIONS]", command.operands].filter(Boolean).join(" ");
  const title = command.fields === undefined ? "Options:" : "Options, and the fields that they become:";
  return [usage, "", `${command.about}.`, ...(rows.length > 0 ? ["", title, ...table(rows)] : [])].join("\n");
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}
