// What users of testcontainers do, a story a function. A program of its own, since the library looks for its engine once
// in a process: each line on standard input is a story's name and its arguments, each line on standard output what came
// of it.
import { createInterface } from "node:readline";
import { OPTIONS } from "./options.js";
import { USING } from "./using.js";
import { WAITING } from "./waiting.js";

const STORIES = { ...WAITING, ...USING, ...OPTIONS };

for await (const line of createInterface({ input: process.stdin })) {
  const [name = "", ...args] = JSON.parse(line) as string[];
  process.stdout.write(`${JSON.stringify(await outcome(name, args))}\n`);
}

async function outcome(name: string, args: string[]): Promise<object> {
  try {
    const story = STORIES[name];
    if (story === undefined) throw new Error(`there is no story "${name}"`);
    return { told: await story(...args) };
  } catch (error) {
    return { failed: (error as Error).stack };
  }
}
