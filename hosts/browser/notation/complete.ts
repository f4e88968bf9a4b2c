// Completes the end of a line: commands, options, names.

import { optionsOf } from "./docker/arguments.js";
import { GROUPS, SINGLE, commandOf, verbsOf } from "./docker/commands.js";
import type { Command, Named } from "./docker/planned.js";

/** Existing names, by kind. */
export type Names = Readonly<Record<Named, readonly string[]>>;

export interface Completion {
  /** The line, completed as far as it is certain. */
  readonly line: string;
  /** Candidates for the last word, if there are several. */
  readonly choices: readonly string[];
}

/** Completes the text before the caret. The caller keeps the text behind it. */
export function complete(line: string, names: Names): Completion {
  const command = line
    .split(/&&|\|\||[;|]|\$\(/)
    .at(-1)!
    .trimStart();
  const words = command.split(/\s+/);
  const last = words.at(-1) ?? "";
  const found = [...new Set(candidates(words.slice(0, -1), last, names))]
    .filter((one) => one.startsWith(last))
    .toSorted();
  const [first] = found;
  if (first === undefined) return { line, choices: [] };
  const common = found.length === 1 ? `${first} ` : found.reduce(commonStart);
  return { line: line.slice(0, line.length - last.length) + common, choices: found.length === 1 ? [] : found };
}

function candidates(before: readonly string[], last: string, names: Names): readonly string[] {
  const words = before[0] === "sudo" ? before.slice(1) : before;
  if (words.length === 0) return ["docker", "curl", "GET", "POST", "PUT", "DELETE", "HEAD"];
  if (words[0] !== "docker" && words[0] !== "podman") return [];
  const isHelp = words[1] === "help";
  const named = isHelp ? words.slice(2) : words.slice(1);
  const found = commandOf(named);
  if (found !== null) return isHelp ? [] : ofCommand(found.command, named.slice(found.length), last, names);
  if (named.length === 0) return [...SINGLE, ...GROUPS, ...(isHelp ? [] : ["help"])];
  return GROUPS.includes(named[0]!) && named.length === 1 ? verbsOf(named[0]!) : [];
}

function ofCommand(command: Command, said: readonly string[], last: string, names: Names): readonly string[] {
  const options = optionsOf(command.takes);
  const isValue = (word: string | undefined): boolean =>
    options.some(({ long, short, isFlag }) => !isFlag && (word === `--${long}` || (short && word === `-${short}`)));
  const operands = said.filter((word, at) => !word.startsWith("-") && !isValue(said[at - 1]));
  if (command.takes.stops && operands.length > 0) return [];
  const [word] = said.slice(-1);
  if (isValue(word)) return valuesOf(word!, names);
  if (last.startsWith("-")) return [...options.map(({ long }) => `--${long}`), "--help"];
  if (operands.length >= (command.takes.most ?? Number.POSITIVE_INFINITY)) return [];
  return namesFor(command, operands.length, names);
}

/** The second operand of `network connect` and similar commands is a container. */
function namesFor({ names: kind, operands }: Command, at: number, names: Names): readonly string[] {
  if (operands.startsWith("NETWORK CONTAINER") && at === 1) return names.container;
  if (kind === undefined || (at > 0 && !operands.includes("..."))) return [];
  return operands.startsWith("NAME") ? Object.values(names).flat() : names[kind];
}

function valuesOf(option: string, names: Names): readonly string[] {
  if (["--network", "--net"].includes(option)) return [...names.network, "host", "none"];
  if (["--link", "--volumes-from"].includes(option)) return names.container;
  if (option === "--restart") return ["no", "always", "on-failure", "unless-stopped"];
  if (option === "--pull") return ["always", "missing", "never"];
  if (option === "--type") return ["container", "image", "network", "volume"];
  return ["-v", "--volume"].includes(option) ? names.volume.map((name) => `${name}:`) : [];
}

function commonStart(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.slice(0, at);
}
