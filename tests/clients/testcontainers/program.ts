// What users of testcontainers do, one function per case. A separate program, because the library looks for its engine
// once per process: each input line is the name of a case and its arguments, each output line its result.
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
