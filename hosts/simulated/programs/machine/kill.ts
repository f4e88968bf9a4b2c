// Sends signals to processes of the same container, for `kill` in the shell and as a program.

import type { ContainerProcess } from "../../processes/process.js";
import { SIGTERM, signalName, signalNames, signalNumber } from "../../processes/signals.js";

export interface Sent {
  errors: string[];
  /** The output of `-l`. */
  listing: string;
  code: number;
}

const NOBODY = "No such process";

export function sendSignals(args: readonly string[], sender: ContainerProcess): Sent {
  if (args[0] === "-l" || args[0] === "-L") return { errors: [], listing: listing(args.slice(1)), code: 0 };
  const { signal, targets, bad } = parse(args);
  if (bad) return { errors: [`bad signal name '${bad}'`], listing: "", code: 1 };
  if (targets.length === 0) return { errors: ["you need to specify whom to kill"], listing: "", code: 1 };
  const errors: string[] = [];
  for (const target of targets) {
    if (!/^-?\d+$/.test(target)) errors.push(`invalid number '${target}'`);
    else if (!send(Number(target), signal, sender)) errors.push(`can't kill pid ${target}: ${NOBODY}`);
  }
  return { errors, listing: "", code: errors.length > 0 ? 1 : 0 };
}

function listing(args: readonly string[]): string {
  if (args.length === 0)
    return signalNames()
      .map((name, index) => `${String(index + 1).padStart(2)}) ${name}\n`)
      .join("");
  const name = (arg: string): string => {
    const number = Number(arg) > 128 ? Number(arg) - 128 : Number(arg);
    return /^\d+$/.test(arg) ? signalName(number) || arg : String(signalNumber(arg) ?? arg);
  };
  return args.map((arg) => `${name(arg)}\n`).join("");
}

function parse(args: readonly string[]): { signal: number; targets: string[]; bad: string } {
  const [first = "", ...rest] = args;
  if (first === "--" || !first.startsWith("-") || first === "-") {
    return { signal: SIGTERM, targets: first === "--" ? rest : [...args], bad: "" };
  }
  const name = first === "-s" ? (rest.shift() ?? "") : first.slice(1);
  const signal = signalNumber(name);
  const targets = rest[0] === "--" ? rest.slice(1) : rest;
  return { signal: signal ?? 0, targets, bad: signal === undefined ? name : "" };
}

/**
 * -1 means all processes but the first and the sender; 0 and below means a group (kill(2)). False if there is no such
 * process.
 */
function send(target: number, signal: number, sender: ContainerProcess): boolean {
  const { namespace } = sender;
  if (target === 0 || target < -1) return namespace.signalGroup(target === 0 ? sender.group : -target, signal);
  if (target === -1) {
    const others = [...namespace.table.all.values()].filter((process) => process.pid !== 1 && process !== sender);
    for (const process of others) process.signal(signal);
    return others.length > 0;
  }
  const process = namespace.table.all.get(target);
  process?.signal(signal);
  return process !== undefined;
}
