// The files of one container's log. The supervisor writes `log`, and replaces it with an empty file when told to. Every
// file that is ever `log` has a second name, `log.1`, `log.2`…, and keeps it after the next one has become `log`. So
// nothing is lost between the two, and what is read never moves. Together the files form one sequence of bytes. Offsets
// count from the first byte that existed when the log was first looked at, and never go back.

import { linkSync, readdirSync, renameSync, rmSync, watch, writeFileSync, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";
import { markEnds } from "./log-ends.js";
import { COMPRESSED, isMissing, LogPiece, statOf } from "./log-piece.js";

/** How many bytes of removed files are kept for a reader that falls behind. */
const HELD_BACK_BYTES = 64 * 1024 ** 2;
const LOOK_MS = 100;

/** The temporary suffix of the supervisor's new file. The supervisor would end if it could not make this file. */
const BEGINNING = ".tmp";

/** A reader. */
export interface LogPosition {
  /** Offset of the first byte that it may still read. */
  position: number;
}

export class LogFiles {
  readonly readers = new Set<LogPosition>();
  /** In byte order. The last one is `log`, if there is a log. */
  #pieces: LogPiece[] = [];
  /** Offset where the next file begins, and its number. */
  #end = 0;
  #next = 1;
  #seen = 0;
  readonly #watchers = new Set<() => void>();
  #watcher: Pick<FSWatcher, "close"> | undefined;
  #watched: LogPiece | undefined;

  constructor(readonly path: string) {
    for (const { number, path: name } of found(path)) {
      this.#pieces.at(-1)?.finish();
      this.#add(new LogPiece(number, this.#end, name));
    }
    this.look();
  }

  /** Checks whether `log` is another file by now. */
  look(): void {
    const now = statOf(this.path);
    const before = this.current;
    if (!now || before?.inode === now.ino) return;
    before?.finish();
    this.#end = before?.end ?? this.#end;
    const name = `${this.path}.${this.#next}`;
    try {
      linkSync(this.path, name);
    } catch (error) {
      if (isMissing(error)) return; // the container is being removed
      throw error;
    }
    this.#add(new LogPiece(this.#next, this.#end, name));
    this.#rewatch();
    this.tell();
  }

  get start(): number {
    return this.#pieces[0]?.base ?? this.#end;
  }

  get end(): number {
    this.look();
    return this.#pieces.at(-1)?.end ?? this.#end;
  }

  /** Whether anything was written since the last call. */
  grown(): boolean {
    const { end } = this;
    const grown = end !== this.#seen;
    this.#seen = end;
    return grown;
  }

  /** The file that is being written. */
  get current(): LogPiece | undefined {
    return this.#pieces.at(-1);
  }

  /** -1: removed. 0: nothing more yet. `fresh`: see `LogPiece.read`. */
  async read(offset: number, into: Uint8Array, fresh: boolean): Promise<number> {
    if (this.#pieces.length === 0) this.look();
    if (offset < this.start) return -1;
    for (;;) {
      const piece = this.#pieces.findLast(({ base }) => base <= offset);
      const isCurrent = piece === this.current;
      const read = piece ? await piece.read(offset, into, fresh) : 0;
      if (read > 0 || !isCurrent) return read;
      this.look();
      // The rest of the old file, written before the new one replaced it, must be read first.
      if (piece === this.current) return 0;
    }
  }

  watch(grown: () => void): () => void {
    this.#watchers.add(grown);
    this.#rewatch();
    return () => {
      this.#watchers.delete(grown);
      if (this.#watchers.size === 0) this.#unwatch();
    };
  }

  /** Notifies readers that there may be more. */
  readonly tell = (): void => {
    for (const grown of [...this.#watchers]) grown();
  };

  /** Removes all but the newest non-empty files; 0 removes all. Readers that still need a file keep it for a while. */
  keep(files: number): void {
    const named = this.#pieces.filter(({ gone }) => !gone);
    const kept = files > 0 && this.current?.size === 0 ? files + 1 : files;
    for (const piece of named.slice(0, Math.max(0, named.length - kept))) piece.drop(this.#isWanted(piece));
    if (files === 0) {
      rmSync(this.path, { force: true });
      this.#pieces.at(-1)?.finish();
      this.#unwatch();
    }
    this.#letGo();
  }

  /** Starts a new file when there is no supervisor. */
  renew(): void {
    const next = `${this.path}.next`;
    writeFileSync(next, "", { mode: 0o600 });
    renameSync(next, this.path);
    this.look();
  }

  /**
   * No supervisor writes any more, so a last line without a newline is complete. This is marked in the newest non-empty
   * file. A compressed file needs no mark: it was complete when a run began.
   */
  endStreams(at: bigint): void {
    rmSync(this.path + BEGINNING, { force: true }); // left by a supervisor that was killed
    this.look();
    const newest = this.#pieces.findLast(({ gone, size }) => !gone && size > 0);
    if (!newest || newest.compressed) return;
    markEnds(newest.path, newest.base > this.start, at);
    if (newest !== this.current) this.#regrow(newest);
  }

  #regrow(piece: LogPiece): void {
    piece.regrow();
    for (const empty of this.#pieces.slice(this.#pieces.indexOf(piece) + 1)) empty.base = piece.end;
    this.#end = piece.end;
    this.tell();
  }

  /**
   * Removes old data beyond the last `bytes` of all files, except from the current file. A file that is partly within
   * them is cut only if that removes half of it or more, so that no more is copied than was written. So at most twice
   * `bytes` are left.
   */
  async cut(bytes: number): Promise<void> {
    const from = this.end - bytes;
    this.#dropUpTo(from);
    const piece = this.finished().find(({ base, size }) => base < from && 2 * (from - base) >= size);
    const line = await piece?.lineFrom(from);
    if (!piece || line === undefined) return;
    if (line >= piece.end) return this.#dropUpTo(line);
    const rest = await piece.cut(line);
    if (!rest) return;
    this.#pieces.splice(this.#pieces.indexOf(piece) + 1, 0, rest);
    this.#letGo();
  }

  /** Number of files that have a name. */
  get count(): number {
    return this.#pieces.filter(({ gone }) => !gone).length;
  }

  /** The log continues after the files before the current one: ends of runs are no longer marked in them. */
  get hasGoneOn(): boolean {
    return (this.current?.size ?? 0) > 0;
  }

  /** Complete files that are not compressed. */
  finished(): LogPiece[] {
    return this.#pieces.slice(0, -1).filter(({ gone, compressed }) => !gone && !compressed);
  }

  /** The files stay readable for the reader even if the container is removed before it begins. */
  add(reader: LogPosition): void {
    this.readers.add(reader);
    for (const piece of this.#pieces) piece.hold();
  }

  remove(reader: LogPosition): void {
    this.readers.delete(reader);
    this.#letGo();
  }

  #add(piece: LogPiece): void {
    this.#pieces.push(piece);
    if (this.readers.size > 0) piece.hold();
    this.#end = piece.end;
    this.#next = piece.number + 1;
  }

  /** Removes complete files that end at this offset or before it. */
  #dropUpTo(offset: number): void {
    const older = this.#pieces.slice(0, -1).filter(({ gone, end }) => !gone && end <= offset);
    for (const piece of older) piece.drop(this.#isWanted(piece));
    this.#letGo();
  }

  #isWanted(piece: LogPiece): boolean {
    const end = this.#readUpTo(piece);
    return [...this.readers].some(({ position }) => position < end);
  }

  /** The offset at which reading continues in the next file. For a cut file this is before its end. */
  #readUpTo(piece: LogPiece): number {
    return this.#pieces[this.#pieces.indexOf(piece) + 1]?.base ?? piece.end;
  }

  /** Releases removed files that no reader needs, and closes those that nobody is reading. */
  #letGo(): void {
    let held = 0;
    for (const piece of this.#pieces.filter(({ gone }) => gone).reverse()) {
      held += this.#readUpTo(piece) - piece.base;
      if (held > HELD_BACK_BYTES || !this.#isWanted(piece)) this.#removeUpTo(piece);
    }
    if (this.readers.size === 0) for (const piece of this.#pieces) piece.close();
  }

  #removeUpTo(last: LogPiece): void {
    const index = this.#pieces.indexOf(last);
    for (const piece of this.#pieces.splice(0, index + 1)) {
      this.#end = Math.max(this.#end, piece.end);
      piece.close();
    }
  }

  #rewatch(): void {
    const current = this.current;
    if (this.#watchers.size === 0 || current === this.#watched || !current || current.gone) return;
    this.#unwatch();
    this.#watched = current;
    this.#watcher = watched(current.path, this.tell, () => this.#unwatch());
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = this.#watched = undefined;
  }
}

/** If the machine has no watch to spare (inotify(7)), the file is polled. */
function watched(path: string, written: () => void, failed: () => void): Pick<FSWatcher, "close"> {
  try {
    return watch(path, { persistent: false }, written).on("error", failed);
  } catch {
    const timer = setInterval(written, LOOK_MS).unref();
    return { close: () => clearInterval(timer) };
  }
}

/** The existing files, in order. */
function found(path: string): { number: number; path: string }[] {
  const directory = dirname(path);
  const beginning = basename(path) + BEGINNING;
  const names = list(directory).filter((name) => name.startsWith(`${basename(path)}.`) && name !== beginning);
  const form = /\.([1-9][0-9]*)(\.gz)?$/;
  const files = names.flatMap((name) => {
    const [, number, ending] = form.exec(name) ?? [];
    const isBoth = ending === COMPRESSED && names.includes(name.slice(0, -ending.length));
    // A leftover of a crash, or a second copy: the compressed one may not be on disk yet.
    if (number === undefined || isBoth) rmSync(join(directory, name), { force: true });
    return number === undefined || isBoth ? [] : [{ number: Number(number), path: join(directory, name) }];
  });
  files.sort((one, other) => one.number - other.number);
  return files;
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
