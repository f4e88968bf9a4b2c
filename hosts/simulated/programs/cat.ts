// cat, tee, yes, and what else passes bytes on.

import { openSink } from "../processes/open.js";
import { ProcessOutput } from "../processes/descriptors.js";
import { chomp, command, complain, eachInput, lines, whyNot, Writer } from "./command.js";
import { parseOptions } from "./options.js";

export const cat = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "unbetvsA");
  const numbered = flags.has("n");
  const writer = new Writer(process);
  let count = 0;
  const code = await eachInput(
    process,
    words,
    async (input) => {
      if (numbered)
        for await (const line of lines(input)) await writer.write(`${String(++count).padStart(6)}\t${line}`);
      else for (let piece = await input.read(); piece; piece = await input.read()) await process.stdout.write(piece);
    },
    (path, why) => (why === "Is a directory" ? `read error: ${why}` : `can't open '${path}': ${why}`),
  );
  await writer.flush();
  return code;
});

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
