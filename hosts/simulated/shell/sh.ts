// `sh`: a script given with -c, in a file, or line by line on standard input.

import { FileError } from "../files/file-system.js";
import { lines } from "../programs/command.js";
import { absolute } from "../processes/executable.js";
import { Killed } from "../program.js";
import type { ContainerProcess } from "../processes/process.js";
import { Exit, ShellError } from "./errors.js";
import { runList, runStatement } from "./execute.js";
import { expandText, piecesOf } from "./expand.js";
import type { Interpreter } from "./interpreter.js";
import { parseScript } from "./parse.js";
import { Shell } from "./shell.js";

export async function sh(process: ContainerProcess): Promise<number> {
  const { letters, words, bad } = parse(process.argv.slice(1));
  const name = process.argv[0] ?? "sh";
  const shell = new Shell(process, letters.includes("c") ? (words[1] ?? name) : (words[0] ?? name), [], interpreterOf);
  if (bad) return refuse(shell, name, `illegal option ${bad}`);
  for (const letter of letters) if ("efnuxv".includes(letter)) shell.options.add(letter);
  if (letters.includes("c")) return script(shell, words, name);
  const [file, ...parameters] = words;
  if (file !== undefined && !letters.includes("s")) return scriptFile(shell, file, parameters, name);
  shell.parameters = letters.includes("s") ? words : parameters;
  shell.name = name;
  shell.interactive = letters.includes("i") || (shell.stdin.tty && process.stderr.tty);
  return shell.toEnd(() => (shell.interactive ? converse(shell) : readCommands(shell)));
}

function interpreterOf(shell: Shell): Interpreter {
  return {
    runList: (statements, last) => runList(statements, shell, last),
    expand: (word, quoted) => piecesOf(word, shell, quoted),
    expandText: (parts) => expandText(parts, shell),
  };
}

interface Words {
  letters: string[];
  words: string[];
  bad: string;
}

function parse(args: readonly string[]): Words {
  const letters: string[] = [];
  let at = 0;
  for (; /^[-+]./.test(args[at] ?? ""); at++) {
    const word = args[at]!;
    if (word === "--") return { letters, words: args.slice(at + 1), bad: "" };
    if (word === "-o" || word === "+o") {
      at++;
      continue;
    }
    for (const letter of word.slice(1)) {
      if (!"abcefhilmnsuvxCI".includes(letter)) return { letters, words: [], bad: `-${letter}` };
      letters.push(letter);
    }
  }
  return { letters, words: args.slice(at), bad: "" };
}

async function refuse(shell: Shell, name: string, message: string): Promise<number> {
  await shell.say(`${name}: ${message}\n`);
  return 2;
}

async function script(shell: Shell, words: readonly string[], name: string): Promise<number> {
  const [text, own, ...parameters] = words;
  if (text === undefined) return refuse(shell, name, "-c requires an argument");
  shell.name = own ?? name;
  shell.parameters = parameters;
  return shell.toEnd(() => runText(shell, text, false));
}

async function scriptFile(shell: Shell, file: string, parameters: string[], name: string): Promise<number> {
  shell.name = file;
  shell.parameters = parameters;
  const { files, cwd } = shell.process;
  try {
    const text = new TextDecoder().decode(files.read(absolute(file, cwd)));
    return await shell.toEnd(() => runText(shell, text, true));
  } catch (error) {
    if (error instanceof FileError) return refuse(shell, name, `can't open '${file}': ${error.message}`);
    throw error;
  }
}

/** ash runs a script while reading it: commands before an error have run. */
async function runText(shell: Shell, text: string, isFile: boolean): Promise<number> {
  const { statements, error } = parseScript(text);
  if (shell.options.has("n")) return 0;
  const lineOf = isFile ? (pos: number) => text.slice(0, pos).split("\n").length : null;
  for (const [index, statement] of statements.entries()) {
    if (lineOf) shell.line = lineOf(statement.pos);
    await runStatement(statement, shell, !isFile && !error && index === statements.length - 1);
  }
  if (error && isFile) shell.line = text.replace(/\n$/, "").split("\n").length;
  if (error) throw new ShellError(error);
  return shell.status;
}

/** Commands that share the shell's standard input lose what the shell has read: busybox reads in blocks. */
async function readCommands(shell: Shell): Promise<number> {
  const all = lines(shell.stdin);
  let text = "";
  for (;;) {
    const { value: line = null } = await all.next();
    text += line ?? "";
    const { statements, error, incomplete } = parseScript(text);
    if (line !== null && incomplete) continue;
    for (const statement of statements) await runStatement(statement, shell);
    if (error) throw new ShellError(error);
    if (line === null) return shell.status;
    text = "";
  }
}

/** Reads commands with prompts, and continues after errors. */
async function converse(shell: Shell): Promise<number> {
  shell.traps.catchInteractive();
  let text = "";
  for (;;) {
    const asked = text === "" ? prompt(shell) : (shell.variables.value("PS2") ?? "> ");
    await shell.say(asked);
    const line = await interruptible(shell, asked);
    if (line === "interrupted") {
      await shell.say("\n");
      text = "";
      continue;
    }
    if (line === null) return shell.status;
    text += line;
    const { error, incomplete } = parseScript(text);
    if (incomplete) continue;
    if (error) await shell.complain(error);
    else await survived(shell, text);
    text = "";
  }
}

async function survived(shell: Shell, text: string): Promise<void> {
  try {
    for (const statement of parseScript(text).statements) await runStatement(statement, shell);
  } catch (error) {
    if (error instanceof Killed || error instanceof Exit) throw error;
    shell.status = await shell.left(error);
  }
}

/** ash's default prompt needs only `\w` and `\$`. */
function prompt({ variables, process }: Shell): string {
  const text = variables.value("PS1") ?? "\\w \\$ ";
  const home = variables.value("HOME") ?? "";
  const place =
    home && process.cwd.startsWith(home) && home !== "/" ? `~${process.cwd.slice(home.length)}` : process.cwd;
  return text
    .replace(/\\w/g, place)
    .replace(/\\W/g, place.split("/").pop() || "/")
    .replace(/\\h/g, process.hostname)
    .replace(/\\u/g, process.uid === 0 ? "root" : String(process.uid))
    .replace(/\\\$/g, process.uid === 0 ? "#" : "$");
}

/**
 * Returns a line, or that the user typed ^C. When the terminal changes its size, as when a client reattaches, the
 * prompt is shown again.
 */
async function interruptible(shell: Shell, asked: string): Promise<string | null | "interrupted"> {
  let [interrupted, resized] = [false, false];
  const input = shell.stdin;
  for (let text = ""; ;) {
    const piece = input.source.take();
    if (piece === null) return text || null;
    if (piece !== undefined) {
      const end = piece.indexOf(0x0a);
      text += new TextDecoder().decode(end < 0 ? piece : piece.subarray(0, end + 1));
      if (end < 0) continue;
      input.unread(piece.subarray(end + 1));
      return text;
    }
    await shell.process.wait((wake) => {
      const callsOff = [
        input.source.wake(wake),
        shell.interrupted.add(() => {
          interrupted = true;
          wake();
        }),
        shell.resized.add(() => {
          resized = true;
          wake();
        }),
      ];
      return () => callsOff.forEach((off) => off());
    });
    await shell.traps.run();
    if (interrupted) return "interrupted";
    if (resized) await shell.say(`\r${asked}${ERASE_BELOW}`);
    resized = false;
  }
}

/** ECMA-48, ED. */
const ERASE_BELOW = "\x1b[J";
