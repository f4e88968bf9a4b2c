// Containers' logs: opened for readers, and kept within their bounds while a run writes them.

import type { LogBytes } from "../../hosts/shared/host.js";
import type { LogNote } from "../ends/run.js";
import { LogFiles } from "./log-files.js";
import type { LogPiece } from "./log-piece.js";
import { LogReading } from "./log-reading.js";

/** How often the sizes of logs are looked at: a supervisor writes 75 MB a second at most. */
const SHORTEST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 1000;
/** How often it is looked whether a supervisor has begun a new file. */
const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 1000;

/** What could not be done to files is tried again, at first soon: a disk that is full stays so for a while. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 60_000;

/** A file so many times as long as it may be, which a burst between two looks makes of it, is cut. */
const OVERLONG = 2;

/** What is needed to keep the log of a run within its bounds. */
export interface Keeping extends LogNote {
  /** Has the supervisor begin a new file. False when there is none, or it cannot be told now. */
  renew: () => boolean;
}

/** A log that is kept within its bounds. */
interface Kept {
  keeping: Keeping;
  /** Between two looks: what does not grow is looked at less and less often. */
  waitMs: number;
  /** Of `performance.now`. */
  dueAt: number;
  /** The supervisor was told to begin a file after that one: it may take its time, but another telling would be one more. */
  owed: LogPiece | undefined;
  /** Numbers of the files before which all is tidied up, and compressed. */
  tidied: number;
  packed: number;
  /** Work on its files: under way; and after what failed before a file, the pause, and when it is over. */
  working: boolean;
  failed: number;
  pauseMs: number;
  againAt: number;
}

export class Logs {
  readonly #path: (container: string) => string;
  readonly #open = new Map<string, LogFiles>();
  readonly #kept = new Map<string, Kept>();
  /** Logs whose supervisors were told to begin a new file. */
  readonly #renewing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer goes off. */
  #wakeAt = Infinity;
  /** How much work on files of each log is under way: another look at them would find them between two states. */
  readonly #atWork = new Map<string, number>();
  #working: Promise<void> = Promise.resolve();

  constructor(path: (container: string) => string) {
    this.#path = path;
  }

  /** The log of a container; there may be none yet. */
  open(container: string): LogBytes {
    const files = this.#files(container);
    return new LogReading(files, () => this.#forget(container));
  }

  /** There is a log now: a run has begun to write it. It is kept within its bounds from now on. */
  keep(container: string, keeping: Keeping): void {
    attempt(() => (keeping.fileBytes === 0 ? this.#open.get(container) : this.#files(container))?.look());
    if (keeping.fileBytes === 0) return;
    this.#kept.set(container, newlyKept(keeping));
    this.#schedule();
  }

  /** The run is over, at that moment in nanoseconds since 1970. */
  ended(container: string, at: bigint): void {
    const kept = this.#kept.get(container);
    this.#kept.delete(container);
    const isMarked = attempt(() => this.#files(container).endStreams(at));
    if (kept) attempt(() => this.#finish(container, kept.keeping));
    if (kept?.keeping.compressed && isMarked) void this.#pack(container).catch(leave);
    this.#forget(container);
  }

  /** Throws a log away, save what those who read have yet to read. */
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

  /** Not put off by logs that come to be kept. */
  #schedule(): void {
    const next = Math.min(...[...this.#kept.values()].map(({ dueAt }) => dueAt));
    if (next >= this.#wakeAt) return;
    clearTimeout(this.#timer);
    this.#wakeAt = next;
    this.#timer = setTimeout(() => this.#look(), Math.max(0, next - performance.now())).unref();
  }

  /** Polling costs the same however many lines there are; notifications come with every write. */
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

  /** Whether it has grown. */
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

  /** What is whole is tidied up, whoever had it end; it is compressed once a run's end need not be marked in it. */
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

  /** What is not done to its end counts as not done: it would be left as it is. */
  async #setRight(container: string, files: LogFiles, kept: Kept, number: number): Promise<void> {
    if (kept.tidied !== number) await this.#tidy(container, kept.keeping);
    kept.tidied = number;
    if (!kept.keeping.compressed || !files.hasGoneOn || kept.packed === number) return;
    await this.#pack(container, number);
    kept.packed = number;
  }

  /** Waits for the new file, so that readers go on without delay. One that comes later is seen by the looks at sizes. */
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
    if ((files.current?.size ?? 0) > OVERLONG * keeping.fileBytes) files.renew();
    void this.#tidy(container, keeping).catch(leave);
  }

  async #tidy(container: string, { files: most, fileBytes }: Keeping): Promise<void> {
    const files = this.#files(container);
    files.look();
    files.keep(most);
    const isOverlong = files.finished().some(({ size }) => size > OVERLONG * fileBytes);
    if (isOverlong) await this.#work(container, () => files.cut(most * fileBytes));
  }

  /** What is whole only by the time of that work may have to be cut first: what is compressed cannot be. */
  async #pack(container: string, before?: number): Promise<void> {
    const files = this.#files(container);
    const end = before ?? files.current?.number ?? 0;
    await this.#work(container, () => compress(files.finished().filter(({ number }) => number < end)));
  }

  /** One thing at a time. What fails is left as it is. */
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

/** Those with the same wait are looked at together. */
function nextLook(waitMs: number): Pick<Kept, "waitMs" | "dueAt"> {
  return { waitMs, dueAt: (Math.floor(performance.now() / waitMs) + 1) * waitMs };
}

/** On a disk that is full or fails: it is tried again at the next look, and who reads is told. False then. */
function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false; // see above
  }
}

/** Nobody else need hear of a failure; once a run is over, the next one tries it again. */
function leave(): void {}

/** One that fails keeps none of the others from it. */
async function compress(pieces: LogPiece[]): Promise<void> {
  const failures: unknown[] = [];
  for (const piece of pieces) {
    if (!piece.gone && !piece.compressed) await piece.compress().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures);
}
