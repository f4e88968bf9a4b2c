// Programs that describe the machine and the container: hostname, uname, nproc, free, uptime.

import type { ContainerProcess } from "../../processes/process.js";
import { command, complain } from "../command.js";
import { formatTime } from "./date.js";
import { parseOptions } from "../options.js";

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

export function readText(process: ContainerProcess, path: string): string {
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
