// Programs about the terminal: tty, stty.

import type { TerminalSettings } from "../../processes/terminal.js";
import { command, complain } from "../command.js";
import { UsageError } from "../options.js";

export const tty = command(async (process, args) => {
  if (!args.includes("-s")) await process.stdout.write(process.stdin.tty ? "/dev/pts/0\n" : "not a tty\n");
  return process.stdin.tty ? 0 : 1;
});

const MODES: Readonly<Record<string, Partial<TerminalSettings>>> = {
  raw: { icanon: false, isig: false, icrnl: false, opost: false },
  "-raw": { icanon: true, isig: true, icrnl: true, opost: true },
  cooked: { icanon: true, isig: true, icrnl: true, opost: true },
  sane: { icanon: true, isig: true, icrnl: true, opost: true, onlcr: true, echo: true },
  cbreak: { icanon: false },
};

const SETTINGS: readonly (keyof TerminalSettings)[] = ["icanon", "echo", "isig", "icrnl", "opost", "onlcr"];

export const stty = command(async (process, args) => {
  const { terminal } = process;
  if (!process.stdin.tty || !terminal) return complain(process, "standard input: Inappropriate ioctl for device");
  const set = (rows: number, columns: number): object => Object.assign(terminal, { rows, columns });
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const name = word.replace(/^-/, "") as keyof TerminalSettings;
    if (word === "size") await process.stdout.write(`${terminal.rows} ${terminal.columns}\n`);
    else if (word === "rows") set(Number(args[++at]), terminal.columns);
    else if (word === "cols" || word === "columns") set(terminal.rows, Number(args[++at]));
    else if (MODES[word]) Object.assign(terminal.settings, MODES[word]);
    else if (SETTINGS.includes(name)) terminal.settings[name] = !word.startsWith("-");
    else if (word !== "-a") throw new UsageError(`invalid argument '${word}'`);
  }
  if (args.length === 0 || args[0] === "-a") {
    const settings = SETTINGS.map((name) => (terminal.settings[name] ? name : `-${name}`)).join(" ");
    await process.stdout.write(`speed 38400 baud; rows ${terminal.rows}; columns ${terminal.columns};\n${settings}\n`);
  }
  return 0;
});
