// sed: addresses, and the commands s d p q = y a i c n (POSIX sed, without branches and hold space).

import { chomp, command, eachInput, lines, Writer } from "../command.js";
import { absolute } from "../../processes/executable.js";
import { parseOptions, UsageError } from "../options.js";
import { ScriptParser, type Address, type Edit } from "./sed-script.js";

export const sed = command(async (process, args) => {
  const { flags, words } = parseOptions(joinScripts(args), "nEre:f:is", { "regexp-extended": "E", quiet: "n" });
  const script = flags.get("e") ?? words.shift();
  if (script === undefined) throw new UsageError("no script");
  const edits = new ScriptParser(script, flags.has("E") || flags.has("r")).all();
  if (flags.has("i")) return inPlace(edits, words, flags.has("n"));
  const writer = new Writer(process);
  const stream = new Editor(edits, flags.has("n"), (text) => writer.write(text));
  const code = await eachInput(process, words, async (input) => {
    for await (const line of lines(input)) if (!(await stream.add(line))) return;
  });
  await stream.end();
  await writer.flush();
  return code;

  async function inPlace(all: Edit[], paths: readonly string[], quiet: boolean): Promise<number> {
    return eachInput(process, paths, async (input, path) => {
      let text = "";
      const editor = new Editor(all, quiet, async (more) => void (text += more));
      for await (const line of lines(input)) await editor.add(line);
      await editor.end();
      process.files.write(absolute(path, process.cwd), new TextEncoder().encode(text));
    });
  }
});

/** Several -e form one script of several lines. */
function joinScripts(args: readonly string[]): string[] {
  const scripts: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    if (args[at] === "-e") scripts.push(args[++at] ?? "");
    else rest.push(args[at]!);
  }
  return scripts.length > 0 ? ["-e", scripts.join("\n"), ...rest] : rest;
}

/** Stays one line behind, because only a missing next line shows which line is the last. */
class Editor {
  #held: string | null = null;
  #number = 0;
  #quit = false;

  constructor(
    readonly edits: readonly Edit[],
    readonly quiet: boolean,
    readonly write: (text: string) => Promise<void>,
  ) {}

  /** False when no more lines are needed. */
  async add(line: string): Promise<boolean> {
    if (this.#held !== null) await this.#run(this.#held, false);
    this.#held = this.#quit ? null : line;
    return !this.#quit;
  }

  async end(): Promise<void> {
    if (this.#held !== null) await this.#run(this.#held, true);
    this.#held = null;
  }

  async #run(raw: string, isLast: boolean): Promise<void> {
    this.#number++;
    const newline = raw.endsWith("\n") ? "\n" : "";
    let line = chomp(raw);
    let after = "";
    for (const edit of this.edits) {
      if (this.#applies(edit, line, isLast) === edit.negated) continue;
      const { letter, text } = edit;
      if (letter === "d" || letter === "D") return;
      if (letter === "c") return this.write(`${text}\n`);
      if (letter === "p") await this.write(`${line}\n`);
      else if (letter === "=") await this.write(`${this.#number}\n`);
      else if (letter === "i") await this.write(`${text}\n`);
      else if (letter === "a") after += `${text}\n`;
      else if (letter === "y") line = transliterated(line, JSON.parse(text) as [string, string]);
      else if (letter === "s") {
        const changed = substituted(line, edit);
        if (changed !== null && edit.print) await this.write(`${changed}\n`);
        line = changed ?? line;
      }
      if (letter === "q" || letter === "Q") this.#quit = true;
      if (letter === "Q") return;
      if (letter === "q") break;
    }
    if (!this.quiet) await this.write(line + (newline || (after ? "\n" : "")));
    if (after) await this.write(after);
  }

  #applies(edit: Edit, line: string, isLast: boolean): boolean {
    const { from, to } = edit;
    if (!from) return true;
    if (!to) return this.#matches(from, line, isLast);
    if (!edit.inside) {
      if (!this.#matches(from, line, isLast)) return false;
      edit.inside = !("line" in to && to.line <= this.#number);
      return true;
    }
    if ("line" in to ? this.#number >= to.line : this.#matches(to, line, isLast)) edit.inside = false;
    return true;
  }

  #matches(address: Address, line: string, isLast: boolean): boolean {
    if ("line" in address) return address.line === this.#number;
    return "last" in address ? isLast : address.matches.test(line);
  }
}

/** Null if nothing matches. */
function substituted(line: string, { expression, text, global, nth }: Edit): string | null {
  let [count, changed] = [0, false];
  const result = line.replace(expression!, (...found: unknown[]) => {
    count++;
    if (count !== nth && !(global && count > nth)) return String(found[0]);
    changed = true;
    return replacement(text, found);
  });
  return changed ? result : null;
}

function replacement(text: string, found: readonly unknown[]): string {
  return text.replace(/\\(.)|&/gs, (whole, character?: string) => {
    if (whole === "&") return String(found[0]);
    if (/\d/.test(character!)) return String(found[Number(character)] ?? "");
    return { n: "\n", t: "\t" }[character!] ?? character!;
  });
}

function transliterated(line: string, [from, to]: readonly [string, string]): string {
  return [...line].map((character) => to[from.indexOf(character)] ?? character).join("");
}
