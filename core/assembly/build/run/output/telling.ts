// Tells the stages of a build one after the other, in the order of the Dockerfile.

import { OutputReader, StageOutput } from "./stage-output";

/** Waits until all stages are told. */
export interface TellingClient {
  allTold(): void;
}

export class Telling implements OutputReader {
  /** Those that are not told yet. */
  private queue: StageOutput[] = [];
  private client: TellingClient | null = null;
  private advancing: bool = false;
  private over: bool = false;

  /** In the order of the Dockerfile. */
  begin(outputs: StageOutput[], client: TellingClient): void {
    this.client = client;
    this.queue = outputs;
    this.queue[0].takeTurn();
  }

  finish(output: StageOutput): void {
    output.finish(this);
  }

  /** A stage has failed: it is told as the last one, after those before it that are complete. Nothing else is. */
  finishWith(failed: StageOutput): void {
    const told: StageOutput[] = [];
    for (let i = 0; i < this.queue.length; i++) {
      const output = this.queue[i];
      if (output === failed || (output.isComplete && !told.includes(failed))) told.push(output);
      else output.drop();
    }
    this.queue = told;
    told[0].takeTurn();
    failed.finish(this);
    this.outputTold();
  }

  outputTold(): void {
    if (this.advancing || this.over) return;
    this.advancing = true;
    while (this.queue.length > 0 && this.queue[0].isTold) {
      this.queue.shift();
      if (this.queue.length > 0) this.queue[0].takeTurn();
    }
    this.advancing = false;
    if (this.queue.length > 0 || this.over) return;
    this.over = true;
    this.client!.allTold();
  }

  /** The client is gone, or the build has failed without a stage. */
  drop(): void {
    this.over = true;
    for (let i = 0; i < this.queue.length; i++) this.queue[i].drop();
    this.queue = [];
  }
}
