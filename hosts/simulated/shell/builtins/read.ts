// `read`: reads a line of standard input into variables.

import type { Call } from "./builtin.js";
import { ShellError } from "../errors.js";
import type { Shell } from "../shell.js";
import { NAME } from "../variables.js";

export async function read({ shell, args }: Call): Promise<number> {
  const { names, raw, prompt } = parse(args);
  if (prompt && shell.stdin.tty) await shell.say(prompt);
  const { line, ended } = await readLine(shell, raw);
  assign(line, names.length > 0 ? names : ["REPLY"], shell);
  return ended ? 1 : 0;
}

interface Wanted {
  names: string[];
  raw: boolean;
  prompt: string;
}

function parse(args: readonly string[]): Wanted {
  const wanted: Wanted = { names: [], raw: false, prompt: "" };
  let at = 0;
  for (; /^-./.test(args[at] ?? ""); at++) {
    for (const letter of args[at]!.slice(1)) {
      if (letter === "r") wanted.raw = true;
      else if (letter === "p") wanted.prompt = args[++at] ?? "";
      else if (letter === "t" || letter === "n" || letter === "d") at++;
      else if (letter !== "s") throw new ShellError(`illegal option -${letter}`);
    }
  }
  wanted.names = args.slice(at);
  const bad = wanted.names.find((name) => !NAME.test(name));
  if (bad !== undefined) throw new ShellError(`${bad}: bad variable name`);
  return wanted;
}

const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;

/** The characters of a line. Escaped characters follow a NUL, so that they do not separate fields. */
async function readLine(shell: Shell, raw: boolean): Promise<{ line: string; ended: boolean }> {
  const input = shell.stdin;
  const bytes: number[] = [];
  let escaped = false;
  for (;;) {
    const piece = await input.read();
    if (piece === null) return { line: decode(bytes), ended: true };
    for (const [index, byte] of piece.entries()) {
      if (escaped) {
        if (byte !== NEWLINE) bytes.push(0, byte);
        escaped = false;
      } else if (byte === BACKSLASH && !raw) escaped = true;
      else if (byte === NEWLINE) {
        input.unread(piece.subarray(index + 1));
        return { line: decode(bytes), ended: false };
      } else bytes.push(byte);
    }
  }
}

function decode(bytes: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** The last name gets the rest of the line. */
function assign(line: string, names: readonly string[], shell: Shell): void {
  const ifs = shell.variables.value("IFS") ?? " \t\n";
  const spaces = [...ifs].filter((character) => /\s/.test(character)).join("");
  const isSpace = (character: string | undefined): boolean => character !== undefined && spaces.includes(character);
  let rest = [...line.replace(/\0(.)/gsu, (_, character: string) => `\0${character}`)];
  const skip = (): void => {
    while (isSpace(rest[0])) rest = rest.slice(1);
  };
  skip();
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const end = isLast ? rest.length : endOfField(rest, ifs);
    const value = plain(rest.slice(0, end));
    shell.variables.set(name, isLast ? trimmed(value, spaces) : value);
    rest = rest.slice(end);
    skip();
    if (!isLast && rest[0] !== undefined && ifs.includes(rest[0]) && !isSpace(rest[0])) rest = rest.slice(1);
    skip();
  }
}

function endOfField(characters: readonly string[], ifs: string): number {
  for (let at = 0; at < characters.length; at++) {
    if (characters[at] === "\0") at++;
    else if (ifs.includes(characters[at]!)) return at;
  }
  return characters.length;
}

function plain(characters: readonly string[]): string {
  return characters.filter((character) => character !== "\0").join("");
}

function trimmed(text: string, spaces: string): string {
  let end = text.length;
  while (end > 0 && spaces.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
