// Programs about the container's processes: ps, kill, killall.

import { baseName } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import { Accounts } from "./accounts.js";
import { command, complain } from "../command.js";
import { sendSignals } from "./kill.js";
import { parseOptions } from "../options.js";

export const ps = command(async (process, args) => {
  const { flags } = parseOptions(
    args.map((arg) => (/^[aefuxw]+$/.test(arg) ? `-${arg}` : arg)),
    "aefuxwlTo:A",
  );
  const accounts = new Accounts(process.files);
  const columns = flags.get("o")?.split(",") ?? ["pid", "user", "time", "args"];
  const all = [...process.namespace.table.all.values()].sort((a, b) => a.pid - b.pid);
  const line = (cells: readonly string[]): string => `${cells.join(" ").trimEnd()}\n`;
  const rows = all.map((one) => line(columns.map((column) => PS_COLUMNS[column]?.[1](one, accounts) ?? "")));
  await process.stdout.write(
    line(columns.map((column) => PS_COLUMNS[column]?.[0] ?? column.toUpperCase())) + rows.join(""),
  );
  return 0;
});

/** Titles and cells, padded as busybox does. */
const PS_COLUMNS: Readonly<Record<string, [string, (process: ContainerProcess, accounts: Accounts) => string]>> = {
  pid: ["PID  ", ({ pid }) => String(pid).padStart(5)],
  ppid: ["PPID ", ({ parent }) => String(parent?.pid ?? 0).padStart(5)],
  pgid: ["PGID ", ({ group }) => String(group).padStart(5)],
  user: ["USER    ", ({ uid }, accounts) => (accounts.userName(uid) || String(uid)).padEnd(8)],
  time: [" TIME", () => " 0:00"],
  stat: ["STAT", ({ isStopped }) => (isStopped ? "T   " : "S   ")],
  comm: [
    "COMMAND         ",
    ({ argv }) =>
      baseName(argv[0] ?? "")
        .slice(0, 15)
        .padEnd(16),
  ],
  args: ["COMMAND", ({ argv }) => argv.join(" ")],
};

export const kill = command(async (process, args) => {
  const { errors, listing, code } = sendSignals(args, process);
  if (listing) await process.stdout.write(listing);
  for (const error of errors) await complain(process, error);
  await process.work(0);
  return code;
});

export const killall = command(async (process, args) => {
  const words = args[0]?.startsWith("-") ? args.slice(1) : args;
  const named = [...process.namespace.table.all.values()].filter(({ argv }) => words.includes(baseName(argv[0] ?? "")));
  if (named.length === 0) return complain(process, `${words[0] ?? ""}: no process killed`);
  const pids = named.map(({ pid }) => String(pid));
  return sendSignals(args[0]?.startsWith("-") ? [args[0], ...pids] : pids, process).code;
});
