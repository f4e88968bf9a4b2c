// Programs that start other programs: env, xargs, timeout, nohup, which, time; and printenv.

import { lookup } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import { SIGHUP, SIGTERM, signalNumber } from "../../processes/signals.js";
import { NoProgram } from "../../program.js";
import { chomp, command, complain, lines } from "../command.js";
import { parseOptions, UsageError } from "../options.js";
import { duration } from "../small.js";

/** Replaces the process. */
async function become(process: ContainerProcess, argv: readonly string[], env = process.env): Promise<number> {
  try {
    return await process.exec(argv, new Map(env));
  } catch (error) {
    if (!(error instanceof NoProgram)) throw error;
    return complain(process, `can't execute '${error.command}': ${error.reason}`, error.found ? 126 : 127);
  }
}

export const env = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "iu:0", { "ignore-environment": "i", unset: "u" }, true);
  const variables = flags.has("i") || words[0] === "-" ? new Map<string, string>() : new Map(process.env);
  if (words[0] === "-") words.shift();
  for (const [at, arg] of args.entries()) if (arg === "-u") variables.delete(args[at + 1] ?? "");
  while (words[0]?.includes("=")) {
    const [name = "", value = ""] = words.shift()!.split(/=(.*)/s, 2);
    variables.set(name, value);
  }
  if (words.length > 0) return become(process, words, variables);
  const end = flags.has("0") ? "\0" : "\n";
  await process.stdout.write([...variables].map(([name, value]) => `${name}=${value}${end}`).join(""));
  return 0;
});

export const printenv = command(async (process, args) => {
  if (args.length === 0) {
    await process.stdout.write([...process.env].map(([name, value]) => `${name}=${value}\n`).join(""));
    return 0;
  }
  const values = args.map((name) => process.env.get(name));
  await process.stdout.write(values.map((value) => (value === undefined ? "" : `${value}\n`)).join(""));
  return values.includes(undefined) ? 1 : 0;
});

export const which = command(async (process, args) => {
  const { files, cwd, uid, env: variables } = process;
  let code = 0;
  for (const name of args.filter((arg) => arg !== "-a")) {
    const path = lookup(name, { files, cwd, uid, path: variables.get("PATH"), program: () => undefined });
    if (path === undefined) code = 1;
    else await process.stdout.write(`${path}\n`);
  }
  return code;
});

export const xargs = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "0rtn:I:P:L:s:d:", { null: "0", "no-run-if-empty": "r" }, true);
  const argv = words.length > 0 ? words : ["echo"];
  const items = await itemsOf(process, flags.has("0"), flags.has("I"));
  const size = flags.has("I") ? 1 : Number(flags.get("n") ?? (items.length || 1));
  const marker = flags.get("I");
  const calls: string[][] = [];
  for (let at = 0; at < items.length; at += size) {
    const batch = items.slice(at, at + size);
    calls.push(marker === undefined ? [...argv, ...batch] : argv.map((word) => word.replaceAll(marker, batch[0]!)));
  }
  if (calls.length === 0 && !flags.has("r") && marker === undefined) calls.push(argv);
  let code = 0;
  for (const call of calls) {
    if (flags.has("t")) await process.stderr.write(`${call.join(" ")}\n`);
    const exit = await spawned(process, call);
    if (exit === 255) return complain(process, `${call[0]}: exited with status 255; aborting`, 124);
    if (exit > 125) return exit;
    if (exit !== 0) code = 123;
  }
  return code;
});

async function spawned(process: ContainerProcess, argv: readonly string[]): Promise<number> {
  try {
    const exit = await process.spawn({ argv }).exited;
    await process.work(0);
    return exit;
  } catch (error) {
    if (!(error instanceof NoProgram)) throw error;
    return complain(process, `${error.command}: ${error.reason}`, error.found ? 126 : 127);
  }
}

/** Splits input into words (with quotes and backslashes), into lines, or at NULs. */
async function itemsOf(process: ContainerProcess, byNul: boolean, byLine: boolean): Promise<string[]> {
  let text = "";
  for await (const line of lines(process.stdin)) {
    process.allocate(line.length);
    text += line;
  }
  if (byNul) return text.split("\0").filter((item) => item !== "");
  if (byLine)
    return text
      .split("\n")
      .map((line) => chomp(line).trim())
      .filter((item) => item !== "");
  const words = text.match(/(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? [];
  return words.map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'|\\(.)/gs, (_, a?: string, b?: string, c?: string) => a ?? b ?? c ?? ""),
  );
}

export const timeout = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "s:k:", { signal: "s" }, true);
  const seconds = duration(words[0] ?? "");
  if (seconds === null) throw new UsageError(`invalid number '${words[0] ?? ""}'`);
  const signal = signalNumber(flags.get("s") ?? "TERM") ?? SIGTERM;
  const child = process.spawn({ argv: words.slice(1) });
  let late = false;
  const end = process.sleep(BigInt(Math.round(seconds * 1e9))).then(() => {
    late = true;
    child.signal(signal);
  });
  end.catch(() => {}); // the child ended first
  const code = await child.exited;
  await process.work(0);
  return late ? 128 + signal : code;
});

export const nohup = command(async (process, args) => {
  process.ignore([SIGHUP]);
  return become(process, args);
});
