// Containers' logs: opens them for readers, and keeps them within their limits while a run writes them.

import type { LogBytes } from "../../hosts/shared/index.js";
import type { LogNote } from "../ends/run.js";
import { LogFiles } from "./log-files.js";
import { isOverlong } from "./log-overlong.js";
import type { LogPiece } from "./log-piece.js";
import { LogReading } from "./log-reading.js";

/** How often sizes of logs are checked. A supervisor writes at most 75 MB a second. */
const SHORTEST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 1000;
/** How often to check whether a supervisor has started a new file. */
const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 1000;

/** Failed work on files is retried, at first soon, then less often: a full disk stays full for a while. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 60_000;

/** What is needed to keep the log of a run within its limits. */
export interface Keeping extends LogNote {
  /** Tells the supervisor to start a new file. False if there is none, or if it cannot be told now. */
  renew: () => boolean;
}

/** A log that is kept within its limits. */
interface Kept {
  keeping: Keeping;
  /** Time between two checks. It grows while the log does not. */
  waitMs: number;
  /** On the clock of `performance.now`. */
  dueAt: number;
  /**
   * The supervisor was told to start a new file after this one. It may take a while, and telling it again would start
   * one more.
   */
  owed: LogPiece | undefined;
  /** Number of the file before which everything is tidied up and compressed. */
  tidied: number;
  packed: number;
  /** Whether work on its files is running. After a failure: the file's number, the pause, and the end of the pause. */
  working: boolean;
  failed: number;
  pauseMs: number;
  againAt: number;
}

export class Logs {
  readonly #path: (container: string) => string;
  readonly #open = new Map<string, LogFiles>();
  readonly #kept = new Map<string, Kept>();
  /** Logs whose supervisors were told to start a new file. */
  readonly #renewing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  #wakeAt = Infinity;
  /**
   * How much work on each log's files is running. A new look at the files meanwhile would find them between two states.
   */
  readonly #atWork = new Map<string, number>();
  #working: Promise<void> = Promise.resolve();

  constructor(path: (container: string) => string) {
    this.#path = path;
  }

  /** The log of a container. It need not exist yet. */
  open(container: string): LogBytes {
    const files = this.#files(container);
    return new LogReading(files, () => this.#forget(container));
  }

  /** A run has started to write a log, which is kept within its limits from now on. */
  keep(container: string, keeping: Keeping): void {
    attempt(() => (keeping.fileBytes === 0 ? this.#open.get(container) : this.#files(container))?.look());
    if (keeping.fileBytes === 0) return;
    this.#kept.set(container, newlyKept(keeping));
    this.#schedule();
  }

  /** The run ended at that time, in nanoseconds since 1970. */
  ended(container: string, at: bigint): void {
    const kept = this.#kept.get(container);
    this.#kept.delete(container);
    const isMarked = attempt(() => this.#files(container).endStreams(at));
    if (kept) attempt(() => this.#finish(container, kept.keeping));
    if (kept?.keeping.compressed && isMarked) void this.#pack(container).catch(leave);
    this.#forget(container);
  }

  /** Removes a log, except what current readers still need. */
  clear(container: string): void {
    this.#files(container).keep(0);
    this.#forget(container);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#kept.clear();
  }

  #files(container: string): LogFiles {
    const files = this.#open.get(container) ?? new LogFiles(this.#path(container));
    this.#open.set(container, files);
    return files;
  }

  #forget(container: string): void {
    const files = this.#open.get(container);
    const isKept = [this.#kept, this.#atWork, this.#renewing].some((those) => those.has(container));
    if (files?.readers.size === 0 && !isKept) this.#open.delete(container);
  }

  /** New logs do not delay the timer. */
  #schedule(): void {
    const next = Math.min(...[...this.#kept.values()].map(({ dueAt }) => dueAt));
    if (next >= this.#wakeAt) return;
    clearTimeout(this.#timer);
    this.#wakeAt = next;
    this.#timer = setTimeout(() => this.#look(), Math.max(0, next - performance.now())).unref();
  }

  /** Polling costs the same for any number of lines; notifications would come with every write. */
  #look(): void {
    const now = performance.now();
    for (const [container, kept] of this.#kept) {
      if (kept.dueAt > now) continue;
      let grown = false;
      attempt(() => (grown = this.#bound(container, kept)));
      Object.assign(kept, nextLook(grown ? SHORTEST_LOOK_MS : Math.min(kept.waitMs * 2, LONGEST_LOOK_MS)));
    }
    this.#wakeAt = Infinity;
    this.#schedule();
  }

  /** Returns whether the log has grown. */
  #bound(container: string, kept: Kept): boolean {
    const { keeping } = kept;
    const files = this.#files(container);
    const grown = files.grown();
    if (files.count > keeping.files) files.keep(keeping.files);
    if (!this.#renewing.has(container)) this.#settle(container, files, kept);
    if ((files.current?.size ?? 0) < keeping.fileBytes) return grown;
    if (!this.#renewing.has(container) && kept.owed !== files.current && keeping.renew()) {
      kept.owed = files.current;
      void this.#renewed(container, files, kept);
    }
    return true;
  }

  /** Tidies up every complete file, whoever ended it. Compresses it once no run's end has to be marked in it. */
  #settle(container: string, files: LogFiles, kept: Kept): void {
    const number = files.current?.number ?? 0;
    if (kept.working || (kept.failed === number && performance.now() < kept.againAt)) return;
    kept.working = true;
    const { pauseMs } = kept;
    void this.#setRight(container, files, kept, number).then(
      () => Object.assign(kept, { working: false, pauseMs: FIRST_PAUSE_MS }),
      () => Object.assign(kept, { working: false, failed: number, ...nextTry(pauseMs) }),
    );
  }

  /** Unfinished work counts as not done; otherwise it would stay unfinished. */
  async #setRight(container: string, files: LogFiles, kept: Kept, number: number): Promise<void> {
    if (kept.tidied !== number) await this.#tidy(container, kept.keeping);
    kept.tidied = number;
    if (!kept.keeping.compressed || !files.hasGoneOn || kept.packed === number) return;
    await this.#pack(container, number);
    kept.packed = number;
  }

  /**
   * Waits for the new file, so that readers continue without delay. If the file comes later, the size checks notice it.
   */
  async #renewed(container: string, files: LogFiles, kept: Kept): Promise<void> {
    this.#renewing.add(container);
    const before = files.current;
    for (let ms = FIRST_WAIT_MS; files.current === before && ms < LONGEST_WAIT_MS; ms *= 2) {
      await new Promise((resolve) => setTimeout(resolve, ms).unref());
      attempt(() => files.look());
    }
    this.#renewing.delete(container);
    if (files.current !== before) this.#settle(container, files, kept);
    this.#forget(container);
  }

  /** The supervisor is gone. */
  #finish(container: string, keeping: Keeping): void {
    const files = this.#files(container);
    files.look();
    if (isOverlong(files.current?.size ?? 0, keeping.fileBytes)) files.renew();
    void this.#tidy(container, keeping).catch(leave);
  }

  async #tidy(container: string, { files: most, fileBytes }: Keeping): Promise<void> {
    const files = this.#files(container);
    files.look();
    files.keep(most);
    if (files.finished().some(({ size }) => isOverlong(size, fileBytes)))
      await this.#work(container, () => files.cut(most * fileBytes));
  }

  /** Files that became complete while this work ran may have to be cut first, since compressed files cannot be cut. */
  async #pack(container: string, before?: number): Promise<void> {
    const files = this.#files(container);
    const end = before ?? files.current?.number ?? 0;
    await this.#work(container, () => compress(files.finished().filter(({ number }) => number < end)));
  }

  /** Runs one thing at a time. If it fails, the files stay as they are. */
  #work(container: string, act: () => Promise<void>): Promise<void> {
    this.#atWork.set(container, (this.#atWork.get(container) ?? 0) + 1);
    const work = this.#working.then(act);
    this.#working = work.catch(leave).then(() => {
      const left = this.#atWork.get(container)! - 1;
      if (left > 0) this.#atWork.set(container, left);
      else this.#atWork.delete(container);
      this.#forget(container);
    });
    return work;
  }
}

function newlyKept(keeping: Keeping): Kept {
  const nothingDone = { owed: undefined, tidied: 0, packed: 0 };
  const nothingFailed = { working: false, failed: 0, pauseMs: FIRST_PAUSE_MS, againAt: 0 };
  return { keeping, ...nothingDone, ...nothingFailed, ...nextLook(SHORTEST_LOOK_MS) };
}

function nextTry(pauseMs: number): Pick<Kept, "pauseMs" | "againAt"> {
  return { pauseMs: Math.min(pauseMs * 2, LONGEST_PAUSE_MS), againAt: performance.now() + pauseMs };
}

/** Logs with the same wait are checked together. */
function nextLook(waitMs: number): Pick<Kept, "waitMs" | "dueAt"> {
  return { waitMs, dueAt: (Math.floor(performance.now() / waitMs) + 1) * waitMs };
}

/** False if the disk is full or fails. The next check tries again, and readers get the error. */
function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false; // see above
  }
}

/** Ignores a failure: after the run's end, the next run tries again. */
function leave(): void {}

/** If one fails, the others are still compressed. */
async function compress(pieces: LogPiece[]): Promise<void> {
  const failures: unknown[] = [];
  for (const piece of pieces) {
    if (!piece.gone && !piece.compressed) await piece.compress().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures);
}
