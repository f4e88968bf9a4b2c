// Builtins that look up what a name stands for: command, type, hash, getopts, alias.

import { lookup } from "../../processes/executable.js";
import { ShellError } from "../errors.js";
import { runProgram } from "../run-program.js";
import type { Shell } from "../shell.js";
import type { Builtin, Call, FindBuiltin } from "./builtin.js";

/** `find` finds these builtins, too. */
export function inquiry(find: FindBuiltin): Readonly<Record<string, Builtin>> {
  return {
    command: (call) => command(call, find),
    type: ({ shell, args }) => describe(shell, args, false, find),
    hash: async () => 0,
    alias: async () => 0,
    unalias: async () => 0,
    getopts,
  };
}

const KEYWORDS = "! case do done elif else esac fi for if in then until while { }".split(" ");

async function command(call: Call, find: FindBuiltin): Promise<number> {
  const { shell, args, descriptors } = call;
  if (args[0] === "-v" || args[0] === "-V") return describe(shell, args.slice(1), args[0] === "-v", find);
  const words = args[0] === "-p" || args[0] === "--" ? args.slice(1) : args;
  const [name] = words;
  if (name === undefined) return 0;
  const builtin = find(name);
  if (builtin) return builtin.run({ ...call, args: words.slice(1) });
  return runProgram(words, [], descriptors, shell, false);
}

async function describe(shell: Shell, names: readonly string[], brief: boolean, find: FindBuiltin): Promise<number> {
  let status = 0;
  for (const name of names) {
    const [what, short] = meaning(name, shell, find);
    if (what === "") status = 127;
    if (what !== "" || !brief)
      await shell.out(brief ? `${short}\n` : `${name}${what === "" ? ": not found" : ` is ${what}`}\n`);
  }
  return status;
}

function meaning(name: string, shell: Shell, find: FindBuiltin): [string, string] {
  if (KEYWORDS.includes(name)) return ["a shell keyword", name];
  if (shell.functions.has(name)) return ["a function", name];
  const builtin = find(name);
  if (builtin) return [`a ${builtin.isSpecial ? "special " : ""}shell builtin`, name];
  const { files, cwd, uid } = shell.process;
  const search = { files, cwd, uid, path: shell.variables.value("PATH"), program: () => undefined };
  const path = name.includes("/") ? existing(name, search) : lookup(name, search);
  return path === undefined ? ["", ""] : [path, path];
}

function existing(path: string, { files, cwd }: Parameters<typeof lookup>[1]): string | undefined {
  return lookup(path.replace(/^.*\//, ""), {
    files,
    cwd,
    uid: 0,
    path: path.replace(/[^/]*$/, ""),
    program: () => undefined,
  })
    ? path
    : undefined;
}

/**
 * POSIX getopts, as in ash: OPTIND is the next word even while a word is half read. The position in that word is kept
 * separately.
 */
async function getopts({ shell, args }: Call): Promise<number> {
  const [options, name, ...given] = args;
  if (options === undefined || name === undefined) throw new ShellError("usage: getopts optstring var [arg]");
  const words = given.length > 0 ? given : shell.parameters;
  const { variables } = shell;
  const told = Number(variables.value("OPTIND")) || 1;
  // An OPTIND beyond the words is left from parsing other words before.
  const next = told > words.length + 1 ? 1 : told;
  const isWithin = shell.optionAt > 1 && shell.optionAt < (words[next - 2]?.length ?? 0);
  const index = isWithin ? next - 1 : next;
  const within = isWithin ? shell.optionAt : 1;
  const word = words[index - 1];
  if (word === undefined || !/^-./.test(word) || word === "--") {
    variables.set("OPTIND", String(word === "--" ? index + 1 : index));
    variables.set(name, "?");
    shell.optionAt = 1;
    return 1;
  }
  const letter = word[within]!;
  const place = letter === ":" ? -1 : options.indexOf(letter);
  const isLast = within + 1 >= word.length;
  variables.unset("OPTARG");
  variables.set("OPTIND", String(index + 1));
  shell.optionAt = isLast ? 1 : within + 1;
  if (place < 0) {
    if (options.startsWith(":")) variables.set("OPTARG", letter);
    else await shell.say(`Illegal option -${letter}\n`);
    variables.set(name, "?");
    return 0;
  }
  variables.set(name, letter);
  if (options[place + 1] !== ":") return 0;
  shell.optionAt = 1;
  const argument = isLast ? words[index] : word.slice(within + 1);
  if (argument !== undefined) {
    variables.set("OPTARG", argument);
    if (isLast) variables.set("OPTIND", String(index + 2));
    return 0;
  }
  variables.set(name, options.startsWith(":") ? ":" : "?");
  if (options.startsWith(":")) variables.set("OPTARG", letter);
  else await shell.say(`No arg for -${letter} option\n`);
  return 0;
}
