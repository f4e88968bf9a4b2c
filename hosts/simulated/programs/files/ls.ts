// ls.

import { FileError, type FileStatus } from "../../files/file-system.js";
import { absolute } from "../../processes/executable.js";
import type { ContainerProcess } from "../../processes/process.js";
import { Accounts } from "../machine/accounts.js";
import { command, complain, whyNot, Writer } from "../command.js";
import { formatTime } from "../machine/date.js";
import { parseOptions, type Options } from "../options.js";
import { join } from "../paths.js";

interface Entry {
  name: string;
  path: string;
  status: FileStatus;
}

export const ls = command(async (process, args) => {
  const { flags, words } = parseOptions(
    args.filter((arg) => !arg.startsWith("--color")),
    "1alAdRhtrSFpnCxLHicsgou",
  );
  const listing = new Listing(process, flags, words.length > 1 || flags.has("R"));
  await listing.all(words.length > 0 ? words : ["."]);
  await listing.writer.flush();
  return listing.code;
}, 1);

class Listing {
  code = 0;
  readonly writer: Writer;
  readonly #accounts: Accounts;
  #isFirst = true;

  constructor(
    readonly process: ContainerProcess,
    readonly flags: Options["flags"],
    readonly isTitled: boolean,
  ) {
    this.writer = new Writer(process);
    this.#accounts = new Accounts(process.files);
  }

  async all(words: readonly string[]): Promise<void> {
    const entries: Entry[] = [];
    for (const word of words) {
      const entry = await this.#entry(word, word);
      if (entry) entries.push(entry);
    }
    const isListed = ({ path, status }: Entry): boolean => !this.flags.has("d") && this.#isDirectory(path, status);
    const single = this.#sorted(entries.filter((entry) => !isListed(entry)));
    if (single.length > 0) {
      await this.#show(single);
      this.#isFirst = false;
    }
    for (const { name } of this.#sorted(entries.filter(isListed))) await this.#directory(name);
  }

  /** Whether to list the entries: a link to a directory counts as a directory, except with -l. */
  #isDirectory(path: string, status: FileStatus): boolean {
    if (status.kind !== "symlink") return status.kind === "directory";
    if (this.flags.has("l")) return false;
    try {
      return this.process.files.status(path).kind === "directory";
    } catch {
      return false;
    }
  }

  async #entry(name: string, path: string): Promise<Entry | undefined> {
    const at = absolute(path, this.process.cwd);
    try {
      if (path === "") throw new FileError("ENOENT", path);
      const status = this.flags.has("L") ? this.process.files.status(at) : this.process.files.linkStatus(at);
      return { name, path: at, status };
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      await this.writer.flush();
      this.code = await complain(this.process, `${path}: ${why}`);
      return undefined;
    }
  }

  async #directory(path: string): Promise<void> {
    if (this.isTitled) await this.writer.write(`${this.#isFirst ? "" : "\n"}${path}:\n`);
    this.#isFirst = false;
    let names: string[];
    try {
      names = this.process.files.list(absolute(path, this.process.cwd));
    } catch (error) {
      const why = whyNot(error);
      if (why === false) throw error;
      this.code = await complain(this.process, `can't open '${path}': ${why}`);
      return;
    }
    const dots = this.flags.has("a") ? [".", ".."] : [];
    const isShown = (name: string): boolean => this.flags.has("a") || this.flags.has("A") || !name.startsWith(".");
    const entries: Entry[] = [];
    for (const name of [...dots, ...names.filter(isShown)]) {
      const entry = await this.#entry(name, join(path, name));
      if (entry) entries.push(entry);
    }
    const sorted = this.#sorted(entries);
    if (this.flags.has("l"))
      await this.writer.write(`total ${sorted.reduce((sum, { status }) => sum + blocks(status), 0)}\n`);
    await this.#show(sorted);
    if (!this.flags.has("R")) return;
    for (const { name, status } of sorted)
      if (status.kind === "directory" && name !== "." && name !== "..") await this.#directory(join(path, name));
  }

  #sorted(entries: Entry[]): Entry[] {
    const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    const byTime = (a: Entry, b: Entry): number => Number(b.status.modified - a.status.modified) || byName(a, b);
    const bySize = (a: Entry, b: Entry): number => b.status.size - a.status.size || byName(a, b);
    const sorted = [...entries].sort(this.flags.has("t") ? byTime : this.flags.has("S") ? bySize : byName);
    return this.flags.has("r") ? sorted.reverse() : sorted;
  }

  async #show(entries: readonly Entry[]): Promise<void> {
    if (this.flags.has("l")) for (const entry of entries) await this.writer.write(this.#long(entry));
    else if (this.#inColumns) await this.writer.write(this.#columns(entries));
    else
      for (const entry of entries) await this.writer.write(`${this.#blocks(entry)}${entry.name}${this.#mark(entry)}\n`);
  }

  #blocks({ status }: Entry): string {
    return this.flags.has("s") ? `${String(blocks(status)).padStart(6)} ` : "";
  }

  get #inColumns(): boolean {
    return !this.flags.has("1") && (this.process.stdout.tty || this.flags.has("C"));
  }

  #mark({ status }: Entry): string {
    if (status.kind === "directory") return this.flags.has("F") || this.flags.has("p") ? "/" : "";
    if (!this.flags.has("F")) return "";
    return status.kind === "symlink" ? "@" : (status.mode & 0o111) !== 0 ? "*" : "";
  }

  #long(entry: Entry): string {
    const { name, status } = entry;
    const user = this.flags.has("n") ? "" : this.#accounts.userName(status.uid);
    const group = this.flags.has("n") ? "" : this.#accounts.groupName(status.gid);
    const owner = `${(user || String(status.uid)).slice(0, 8).padEnd(8)} ${(group || String(status.gid)).slice(0, 8).padEnd(8)}`;
    const isDevice = status.kind === "character" || status.kind === "block";
    const size = isDevice
      ? `${String(status.major).padStart(4)},${String(status.minor).padStart(4)}`
      : (this.flags.has("h") ? human(status.size) : String(status.size)).padStart(9);
    const link = status.kind === "symlink" ? ` -> ${status.target}` : "";
    const links = String(status.links).padStart(4);
    return `${this.#blocks(entry)}${modeText(status)} ${links} ${owner} ${size} ${this.#time(status)} ${name}${this.#mark(entry)}${link}\n`;
  }

  /** Times of the last six months show the hour, others the year. */
  #time({ modified }: FileStatus): string {
    const age = this.process.now() - modified;
    const isNear = age < SIX_MONTHS_NS && age > -DAY_NS;
    return formatTime(modified, isNear ? "%b %e %H:%M" : "%b %e  %Y");
  }

  #columns(entries: readonly Entry[]): string {
    const names = entries.map((entry) => `${entry.name}${this.#mark(entry)}`);
    const width = Math.max(0, ...names.map((name) => name.length)) + 2;
    const columns = Math.max(1, Math.floor((this.process.terminal?.columns || 80) / width));
    const rows = Math.ceil(names.length / columns);
    const row = (index: number): string =>
      names
        .filter((_, at) => at % rows === index)
        .map((name) => name.padEnd(width))
        .join("")
        .trimEnd();
    return Array.from({ length: rows }, (_, index) => `${row(index)}\n`).join("");
  }
}

const DAY_NS = 86_400_000_000_000n;
const SIX_MONTHS_NS = 183n * DAY_NS;

/** Size on the disk in KiB. */
export function blocks({ kind, size }: FileStatus): number {
  return kind === "directory" ? 4 : kind === "file" ? Math.ceil(size / 4096) * 4 : 0;
}

const KINDS = { file: "-", directory: "d", symlink: "l", character: "c", block: "b", fifo: "p", socket: "s" };

/** A mode such as `-rwxr-xr-x`. */
export function modeText({ kind, mode }: Pick<FileStatus, "kind" | "mode">): string {
  const letters = [..."rwxrwxrwx"].map((letter, index) => (mode & (0o400 >> index) ? letter : "-"));
  const special: [number, number, string][] = [
    [0o4000, 2, "s"],
    [0o2000, 5, "s"],
    [0o1000, 8, "t"],
  ];
  for (const [bit, at, letter] of special)
    if (mode & bit) letters[at] = letters[at] === "x" ? letter : letter.toUpperCase();
  return KINDS[kind] + letters.join("");
}

/** A size such as `1.5K`, as -h shows it. */
export function human(size: number): string {
  if (size < 1024) return String(size);
  const power = Math.min(4, Math.floor(Math.log2(size) / 10));
  return `${(size / 1024 ** power).toFixed(1)}${"KMGT"[power - 1]}`;
}
