// Programs about file systems and disk usage: mount, df, du, stat.

import { absolute } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import { Accounts } from "../machine/accounts.js";
import { command, complain } from "../command.js";
import { formatTime } from "../machine/date.js";
import { eachPath } from "../operands.js";
import { blocks, human, modeText } from "./ls.js";
import { parseOptions } from "../options.js";
import { join } from "../paths.js";
import { readText } from "../machine/system.js";

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

/** tmpfs mounts show their own size; all others show the size of the disk. */
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
        socket: "socket",
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
