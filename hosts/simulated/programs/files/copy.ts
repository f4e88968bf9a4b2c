// cp, mv and dd.

import { FileError, type FileStatus } from "../../files/file-system.js";
import { ProcessOutput } from "../../processes/descriptors.js";
import { absolute } from "../../processes/executable.js";
import { openSink, openSource } from "../../processes/open.js";
import type { ContainerProcess } from "../../processes/process.js";
import { command, complain, open, whyNot } from "../command.js";
import { exists, isDirectory, remove } from "./files.js";
import { amount } from "../text/head.js";
import { parseOptions, UsageError } from "../options.js";
import { join } from "../paths.js";

export const cp = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "arRpfdLPHvlsuT", { recursive: "r", archive: "a" });
  const deep = ["a", "r", "R"].some((letter) => flags.has(letter));
  const keeps = flags.has("a") || flags.has("p");
  const keepsLinks = flags.has("a") || flags.has("d") || (deep && !flags.has("L"));
  return eachPair(process, words, async (from, to, name) => {
    const { kind } = process.files.linkStatus(from);
    if (kind === "directory" && !deep) return complain(process, `omitting directory '${name}'`);
    copy(process, from, to, keeps, keepsLinks);
    return 0;
  });
});

export const mv = command(async (process, args) => {
  const { words } = parseOptions(args, "finvT");
  return eachPair(
    process,
    words,
    async (from, to) => {
      try {
        process.files.rename(from, to);
      } catch (error) {
        // The target is on another file system, or it is a directory that overlayfs does not rename.
        if (!(error instanceof FileError) || error.code !== "EXDEV") throw error;
        copy(process, from, to, true, true);
        remove(process, from);
      }
      return 0;
    },
    true,
  );
});

async function eachPair(
  process: ContainerProcess,
  words: readonly string[],
  act: (from: string, to: string, name: string) => Promise<number>,
  moves = false,
): Promise<number> {
  const target = words.at(-1);
  if (words.length < 2 || target === undefined) throw new UsageError("missing operand");
  const into = isDirectory(process, absolute(target, process.cwd));
  if (!into && words.length > 2) return complain(process, `target '${target}' is not a directory`);
  let code = 0;
  for (const name of words.slice(0, -1)) {
    const from = absolute(name, process.cwd);
    const to = absolute(into ? join(target, name.replace(/\/+$/, "").split("/").pop()!) : target, process.cwd);
    try {
      if (!exists(process, from)) throw new FileError("ENOENT", name);
      code = (await act(from, to, name)) || code;
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      const isMissing = !exists(process, from);
      const text = moves ? `can't rename '${name}'` : isMissing ? `can't stat '${name}'` : `can't create '${to}'`;
      code = await complain(process, `${text}: ${why}`);
    }
  }
  return code;
}

function copy(process: ContainerProcess, from: string, to: string, keeps: boolean, keepsLinks: boolean): void {
  const { files } = process;
  const status = keepsLinks ? files.linkStatus(from) : files.status(from);
  if (status.kind === "symlink") {
    if (exists(process, to)) files.remove(to);
    return files.symlink(status.target, to);
  }
  if (status.kind === "directory") {
    if (!isDirectory(process, to)) files.makeDirectory(to, status.mode & ~process.umask);
    for (const name of files.list(from)) copy(process, join(from, name), join(to, name), keeps, keepsLinks);
  } else files.write(to, files.read(from), status.mode & ~process.umask);
  if (keeps) keep(process, to, status);
}

function keep({ files, uid }: ContainerProcess, path: string, status: FileStatus): void {
  if (uid === 0) files.changeOwner(path, status.uid, status.gid);
  files.changeMode(path, status.mode);
  files.touch(path, status.modified);
}

/** `dd if=… of=… bs=… count=…`. */
export const dd = command(async (process, args) => {
  const given = new Map(args.map((arg) => arg.split(/=(.*)/s, 2) as [string, string]));
  const size = amount(given.get("bs") ?? "512");
  const most = given.has("count") ? amount(given.get("count")!) : Infinity;
  const skipped = given.has("skip") ? amount(given.get("skip")!) * size : 0;
  process.allocate(size);
  const from = given.get("if");
  const to = given.get("of");
  const input = from === undefined ? process.stdin : open(process, from);
  if (from !== undefined) openSource(process, from);
  const sink =
    to === undefined ? process.stdout.sink : openSink(process, to, given.get("conv")?.includes("notrunc") ?? false);
  const bytes = await transfer(input, new ProcessOutput(process, sink), skipped, size * most);
  process.allocate(-size);
  if (given.get("status") === "none") return 0;
  const records = `${Math.floor(bytes / size)}+${bytes % size > 0 ? 1 : 0}`;
  await process.stderr.write(`${records} records in\n${records} records out\n`);
  return 0;
});

async function transfer(
  input: ReturnType<typeof open>,
  output: ProcessOutput,
  skipped: number,
  most: number,
): Promise<number> {
  let [passed, moved] = [0, 0];
  while (moved < most) {
    const piece = await input.read();
    if (!piece) break;
    const start = Math.min(piece.length, Math.max(0, skipped - passed));
    passed += piece.length;
    const part = piece.subarray(start, Math.min(piece.length, start + most - moved));
    if (start + part.length < piece.length) input.unread(piece.subarray(start + part.length));
    moved += part.length;
    await output.write(part);
  }
  return moved;
}
