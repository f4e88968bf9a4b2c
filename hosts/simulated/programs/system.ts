// Programs that tell of the machine, the container and its processes: hostname, uname, nproc, ps, kill, free, uptime,
// mount, df, du, stat, stty, tty.

import type { ContainerProcess } from "../processes/process.js";
import type { TerminalSettings } from "../processes/terminal.js";
import { absolute, baseName } from "../processes/executable.js";
import { Accounts } from "./accounts.js";
import { command, complain } from "./command.js";
import { formatTime } from "./date.js";
import { eachPath } from "./files.js";
import { sendSignals } from "./kill.js";
import { blocks, human, modeText } from "./ls.js";
import { parseOptions, UsageError } from "./options.js";
import { join } from "./paths.js";

export const hostname = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "sfid");
  if (words.length > 0) return complain(process, "sethostname: Operation not permitted");
  const address = flags.has("i") ? addressOf(process) : undefined;
  await process.stdout.write(`${address ?? (flags.has("s") ? process.hostname.split(".")[0] : process.hostname)}\n`);
  return 0;
});

function addressOf(process: ContainerProcess): string | undefined {
  const hosts = readText(process, "/etc/hosts").split("\n");
  return hosts.find((line) => line.split(/\s+/).slice(1).includes(process.hostname))?.split(/\s+/)[0];
}

function readText(process: ContainerProcess, path: string): string {
  try {
    return new TextDecoder().decode(process.files.read(path));
  } catch {
    return "";
  }
}

export const uname = command(async (process, args) => {
  const { flags } = parseOptions(args, "snrvmpioa");
  const facts: [string, string][] = [
    ["s", "Linux"],
    ["n", process.hostname],
    ["r", process.namespace.kernel.machine.release],
    ["v", "#1 SMP"],
    ["m", process.namespace.kernel.machine.architecture],
    ["o", "GNU/Linux"],
  ];
  const wanted =
    flags.size === 0 ? ["s"] : facts.map(([letter]) => letter).filter((letter) => flags.has("a") || flags.has(letter));
  await process.stdout.write(
    `${facts
      .filter(([letter]) => wanted.includes(letter))
      .map(([, fact]) => fact)
      .join(" ")}\n`,
  );
  return 0;
});

export const nproc = command(async (process) => {
  await process.stdout.write(`${process.namespace.kernel.machine.cpus}\n`);
  return 0;
});

export const ps = command(async (process, args) => {
  const { flags } = parseOptions(
    args.map((arg) => (/^[aefuxw]+$/.test(arg) ? `-${arg}` : arg)),
    "aefuxwlTo:A",
  );
  const accounts = new Accounts(process.files);
  const columns = flags.get("o")?.split(",") ?? ["pid", "user", "time", "args"];
  const all = [...process.namespace.processes.values()].sort((a, b) => a.pid - b.pid);
  const line = (cells: readonly string[]): string => `${cells.join(" ").trimEnd()}\n`;
  const rows = all.map((one) => line(columns.map((column) => PS_COLUMNS[column]?.[1](one, accounts) ?? "")));
  await process.stdout.write(
    line(columns.map((column) => PS_COLUMNS[column]?.[0] ?? column.toUpperCase())) + rows.join(""),
  );
  return 0;
});

/** Titles and cells as busybox pads them. */
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
  const named = [...process.namespace.processes.values()].filter(({ argv }) => words.includes(baseName(argv[0] ?? "")));
  if (named.length === 0) return complain(process, `${words[0] ?? ""}: no process killed`);
  const pids = named.map(({ pid }) => String(pid));
  return sendSignals(args[0]?.startsWith("-") ? [args[0], ...pids] : pids, process).code;
});

export const free = command(async (process, args) => {
  const { flags } = parseOptions(args, "bkmgh");
  const unit = flags.has("b") ? 1 : flags.has("m") ? 1024 ** 2 : flags.has("g") ? 1024 ** 3 : 1024;
  const { memory } = process.namespace.kernel.machine;
  const used = process.namespace.allocated;
  const cell = (bytes: number): string => String(Math.floor(bytes / unit)).padStart(11);
  const title = `        ${["total", "used", "free", "shared", "buff/cache", "available"].map((name) => name.padStart(12)).join("")}\n`;
  const row = [memory, used, memory - used, 0, 0, memory - used].map((bytes) => ` ${cell(bytes)}`).join("");
  await process.stdout.write(
    `${title}Mem:    ${row}\nSwap:   ${[0, 0, 0].map((bytes) => ` ${cell(bytes)}`).join("")}\n`,
  );
  return 0;
});

export const uptime = command(async (process) => {
  const seconds = Number(process.namespace.kernel.time.now().monotonic / 1_000_000_000n);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const up = hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}` : `${minutes} min`;
  await process.stdout.write(
    ` ${formatTime(process.now(), "%H:%M:%S")} up ${up},  0 users,  load average: 0.00, 0.00, 0.00\n`,
  );
  return 0;
});

interface Mounted {
  source: string;
  place: string;
  type: string;
  options: string;
}

function mounts(process: ContainerProcess): Mounted[] {
  const rows = readText(process, "/proc/mounts")
    .split("\n")
    .filter((line) => line !== "");
  return rows.map((row) => {
    const [source = "", place = "", type = "", options = ""] = row.split(" ");
    return { source, place, type, options };
  });
}

export const mount = command(async (process, args) => {
  if (args.length > 0) return complain(process, "permission denied (are you root?)");
  const rows = mounts(process).map(
    ({ source, place, type, options }) => `${source} on ${place} type ${type} (${options})\n`,
  );
  await process.stdout.write(rows.join(""));
  return 0;
});

/** What tmpfs mounts say of their size; the rest is as large as the disk. */
export const df = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "khmaTPi");
  const unit = flags.has("m") ? 1024 ** 2 : 1024;
  const shown = (bytes: number): string => (flags.has("h") ? human(bytes) : String(Math.floor(bytes / unit)));
  const all = mounts(process).filter(
    ({ type }) => !["proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue"].includes(type),
  );
  const wanted =
    words.length === 0 ? all : words.map((word) => holding(all, process.files.resolve(absolute(word, process.cwd))));
  const title = `Filesystem           ${flags.has("h") ? "      Size" : unit === 1024 ? "1K-blocks " : "1M-blocks "}     Used Available Use% Mounted on\n`;
  const rows = wanted
    .filter((one) => one !== undefined)
    .map((one) => {
      const size = sizeOf(one.options) ?? process.namespace.kernel.machine.disk;
      const cells = [shown(size).padStart(10), shown(0).padStart(9), shown(size).padStart(9)].join(" ");
      return `${one.source.padEnd(20)} ${cells}   0% ${one.place}\n`;
    });
  await process.stdout.write(title + rows.join(""));
  return 0;
});

function holding(all: readonly Mounted[], path: string): Mounted | undefined {
  const above = all.filter(({ place }) => place === "/" || path === place || path.startsWith(`${place}/`));
  return above.sort((a, b) => b.place.length - a.place.length)[0];
}

function sizeOf(options: string): number | undefined {
  const [, number, unit = ""] = /(?:^|,)size=(\d+)([kmg]?)/.exec(options) ?? [];
  return number === undefined ? undefined : Number(number) * ({ k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[unit] ?? 1);
}

export const du = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "ashkmcd:xL");
  const shown = (kib: number): string =>
    flags.has("h") ? human(kib * 1024) : flags.has("m") ? String(Math.ceil(kib / 1024)) : String(kib);
  let text = "";
  const sum = (at: string, path: string, isTop: boolean): number => {
    const status = process.files.linkStatus(at);
    const children = status.kind === "directory" ? process.files.list(at) : [];
    const total = children.reduce((kib, name) => kib + sum(join(at, name), join(path, name), false), blocks(status));
    if (isTop || (!flags.has("s") && (status.kind === "directory" || flags.has("a"))))
      text += `${shown(total)}\t${path}\n`;
    return total;
  };
  const code = await eachPath(
    process,
    words.length > 0 ? words : ["."],
    (at, path) => void sum(at, path, true),
    (path, why) => `${path}: ${why}`,
  );
  await process.stdout.write(text);
  return code;
});

export const stat = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "c:Lf t");
  const accounts = new Accounts(process.files);
  const format = flags.get("c");
  return eachPath(
    process,
    words,
    async (at, path) => {
      const status = flags.has("L") ? process.files.status(at) : process.files.linkStatus(at);
      const kinds = {
        file: "regular file",
        directory: "directory",
        symlink: "symbolic link",
        character: "character special file",
        block: "block special file",
        fifo: "fifo",
      };
      const time = formatTime(status.modified, "%F %T.%N %z");
      const values: Record<string, string> = {
        n: path,
        N: status.kind === "symlink" ? `'${path}' -> '${status.target}'` : path,
        s: String(status.size),
        a: status.mode.toString(8),
        A: modeText(status),
        u: String(status.uid),
        g: String(status.gid),
        U: accounts.userName(status.uid) || "UNKNOWN",
        G: accounts.groupName(status.gid) || "UNKNOWN",
        F: status.size === 0 && status.kind === "file" ? "regular empty file" : kinds[status.kind],
        h: String(status.links),
        b: String(blocks(status) * 2),
        B: "512",
        y: time,
        x: time,
        z: time,
        Y: String(status.modified / 1_000_000_000n),
      };
      const fill = (text: string): string =>
        text.replace(/%([a-zA-Z%])/g, (found, letter: string) => (letter === "%" ? "%" : (values[letter] ?? found)));
      const owner = `Access: (%a/%A)  Uid: (${values["u"]!.padStart(5)}/${values["U"]!.padStart(8)})   Gid: (${values["g"]!.padStart(5)}/${values["G"]!.padStart(8)})`;
      const long = `  File: %N\n  Size: ${values["s"]!.padEnd(10)}\tBlocks: ${values["b"]!.padEnd(10)} IO Block: 4096   %F\n${owner}\nAccess: %x\nModify: %y\nChange: %z`;
      await process.stdout.write(`${fill(format ?? long)}\n`);
    },
    (path, why) => `can't stat '${path}': ${why}`,
  );
});

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
