// Builtins that are programs on other systems: echo, printf, true, false, test, pwd.

import { echoed } from "../../programs/text/echo.js";
import { printed } from "../../programs/text/printf.js";
import type { Builtin, Call } from "./builtin.js";
import { evaluateTest, TestError } from "../test.js";

export const output: Readonly<Record<string, Builtin>> = {
  true: async () => 0,
  false: async () => 1,
  echo: async ({ shell, args }) => {
    await shell.out(echoed(args));
    return 0;
  },
  printf,
  test: (call) => test(call, call.args),
  "[": bracket,
  "[[": bracket,
};

async function printf({ shell, args }: Call): Promise<number> {
  const [format, ...rest] = args[0] === "--" ? args.slice(1) : args;
  if (format === undefined) {
    await shell.say("usage: printf format [arg ...]\n");
    return 2;
  }
  const { bytes, errors } = printed(format, rest);
  for (const error of errors) await shell.say(`${shell.name}: ${error}\n`);
  await shell.out(bytes);
  return errors.length > 0 ? 1 : 0;
}

async function bracket(call: Call): Promise<number> {
  const { shell, args } = call;
  if (["]", "]]"].includes(args.at(-1) ?? "")) return test(call, args.slice(0, -1));
  // ash always uses this name here, whatever name it was called by.
  await shell.say("sh: missing ]\n");
  return 2;
}

async function test({ shell, descriptors }: Call, words: readonly string[]): Promise<number> {
  const isTerminal = (number: number): boolean =>
    descriptors.has(number) && (number === 0 ? descriptors.source(0).tty : descriptors.sink(number).tty);
  try {
    return evaluateTest(words, shell.process, isTerminal);
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    await shell.say(`sh: ${error.message}\n`);
    return 2;
  }
}
