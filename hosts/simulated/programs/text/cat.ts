// cat, tee, yes, and other programs that copy bytes.

import { openSink } from "../../processes/open.js";
import { ProcessOutput } from "../../processes/descriptors.js";
import { byteLines, chomp, command, complain, eachInput, lines, whyNot, Writer } from "../command.js";
import { concat } from "../escapes.js";
import { parseOptions, type Options } from "../options.js";

export const cat = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "unbetvA");
  const shows = shownBy(flags);
  const writer = new Writer(process);
  const code = await eachInput(
    process,
    words,
    async (input) => {
      if (shows) for await (const line of byteLines(input)) await writer.write(shows(line));
      else for (let piece = await input.read(); piece; piece = await input.read()) await process.stdout.write(piece);
    },
    (path, why) => (why === "Is a directory" ? `read error: ${why}` : `can't open '${path}': ${why}`),
  );
  await writer.flush();
  return code;
});

/** How lines are changed; null if they stay as they are. -b numbers the lines that are not empty. */
function shownBy(flags: Options["flags"]): ((line: Uint8Array) => Uint8Array | string) | null {
  const [numbered, full] = [flags.has("n") || flags.has("b"), flags.has("b")];
  const [ends, tabs] = ["e", "t"].map((letter) => flags.has(letter) || flags.has("A"));
  const isVisible = ends || tabs || flags.has("v");
  if (!numbered && !isVisible) return null;
  let count = 0;
  return (line) => {
    const shown = isVisible ? visible(line, ends!, tabs!) : line;
    if (!numbered || (full && line[0] === NEWLINE)) return shown;
    const number = new TextEncoder().encode(`${String(++count).padStart(6)}${isVisible ? "  " : "\t"}`);
    return concat([number, typeof shown === "string" ? new TextEncoder().encode(shown) : shown]);
  };
}

const [TAB, NEWLINE, DELETE] = [9, 10, 127];

/** `^X` for control characters, `M-` before bytes beyond ASCII. */
function visible(line: Uint8Array, ends: boolean, tabs: boolean): string {
  let text = "";
  for (const byte of line) {
    if (byte === NEWLINE) text += ends ? "$\n" : "\n";
    else if (byte === TAB && !tabs) text += "\t";
    else text += (byte > DELETE ? "M-" : "") + caret(byte & DELETE);
  }
  return text;
}

function caret(code: number): string {
  if (code === DELETE) return "^?";
  return code < 32 ? `^${String.fromCharCode(code + 64)}` : String.fromCharCode(code);
}

export const tee = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "ai");
  const outputs = [process.stdout];
  let code = 0;
  for (const word of words) {
    try {
      outputs.push(new ProcessOutput(process, openSink(process, word, flags.has("a"))));
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      code = await complain(process, `${word}: ${why}`);
    }
  }
  for (let piece = await process.stdin.read(); piece; piece = await process.stdin.read()) {
    for (const output of outputs) await output.write(piece);
  }
  return code;
});

const YES_BYTES = 4096;

export const yes = command(async (process, args) => {
  const line = `${args.length > 0 ? args.join(" ") : "y"}\n`;
  const block = new TextEncoder().encode(line.repeat(Math.max(1, Math.floor(YES_BYTES / line.length))));
  for (;;) await process.stdout.write(block);
});

export const nl = command(async (process, args) => {
  const writer = new Writer(process);
  let count = 0;
  const code = await eachInput(process, parseOptions(args, "b:").words, async (input) => {
    for await (const line of lines(input)) {
      await writer.write(
        chomp(line) === "" ? `${" ".repeat(6)}\t\n`.replace("\t", " ") : `${String(++count).padStart(6)}\t${line}`,
      );
    }
  });
  await writer.flush();
  return code;
});

export const rev = command(async (process, args) => {
  const writer = new Writer(process);
  const code = await eachInput(process, args, async (input) => {
    for await (const line of lines(input)) await writer.write(`${[...chomp(line)].reverse().join("")}\n`);
  });
  await writer.flush();
  return code;
});

export const tac = command(async (process, args) => {
  const code = await eachInput(process, args, async (input) => {
    const all: string[] = [];
    for await (const line of lines(input)) {
      process.allocate(line.length);
      all.push(line);
    }
    await process.stdout.write(all.reverse().join(""));
  });
  return code;
});
