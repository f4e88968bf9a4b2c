// How long the disk alone needs for the files of an image. An engine that answers once they would survive a loss of
// power can hardly be faster.
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { must, run } from "../../tests/support/commands.js";
import type { RunningEngine } from "../../tests/support/engines.js";
import { round, Rounds, timed, type Answer, type Goal } from "../question.js";
import { FILE_BYTES, namesOf, type Shape } from "./shapes.js";

/** An engine that needs at most this many times as long as the disk alone is limited by the disk. */
const NEAR = 1.1;

/** Measured on the file system of an engine's data root, round by round. */
export class Disk {
  readonly #written = new Rounds();
  readonly #flushed = new Rounds();
  readonly #shape: Shape;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  /** Writes the files of all layers, each once, and flushes them together. */
  async write({ daemon }: RunningEngine): Promise<void> {
    const root = mkdtempSync(join(daemon.directories.root, "files-"));
    try {
      await spread(root);
      await flush(root);
      const written = await timed(async () => this.#shape.layers.forEach((bytes, at) => writeLayer(root, at, bytes)));
      this.#written.add("disk", written);
      this.#flushed.add("disk", written + (await timed(() => flush(root))));
    } finally {
      rmSync(root, { recursive: true });
    }
  }

  answer(): Answer {
    const note = `each written once, by one thread: ${round(this.#ms(this.#written))} ms until they are flushed`;
    const question = `the files of ${this.#shape.name}, without an engine`;
    return { question, unit: "ms", figures: this.#flushed.medians(), note };
  }

  /** The goal; or what the disk allows. */
  limits({ says, reached }: Goal): Goal {
    const most = NEAR * this.#ms(this.#flushed);
    return {
      says: `${says}, or at most ${round(most)} ms: the disk's limit`,
      reached: (figure, reference) => reached(figure, reference) || figure <= most,
    };
  }

  #ms(rounds: Rounds): number {
    return rounds.medians()["disk"] ?? Number.NaN;
  }
}

/** Whatever was written to the file system, by anybody, is on disk. */
export async function flush(directory: string): Promise<void> {
  await must(["sync", "--file-system", directory]);
}

/** As the engine does: ext4 would pass over the numbers of all files that were removed there in the last minutes. */
async function spread(directory: string): Promise<void> {
  await run(["chattr", "+T", directory]);
}

function writeLayer(root: string, at: number, bytes: number): void {
  const content = Buffer.alloc(FILE_BYTES, `layer ${at}`);
  const known = new Set<string>();
  for (const name of namesOf(at, bytes)) {
    const path = join(root, String(at), name);
    if (!known.has(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    known.add(dirname(path));
    const file = openSync(path, "wx");
    writeSync(file, content);
    closeSync(file);
  }
}
