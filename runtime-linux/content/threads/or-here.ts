// Threads for content, and for a while the calling thread in their place. When an engine starts, nobody waits for its
// thread yet, and another one takes longer to start than the work on a small image.

import type { ArgsOf, JobName, ResultOf, Wants, Workers } from "./workers.js";

export class OrHere implements Workers {
  #isHere = false;

  /** `here`: does the jobs in the calling thread. */
  constructor(
    private readonly here: Workers,
    private readonly threads: Workers,
  ) {}

  run<N extends JobName>(name: N, args: ArgsOf<N>, wants: Wants): Promise<ResultOf<N>> {
    return (this.#isHere ? this.here : this.threads).run(name, args, wants);
  }

  /** The jobs that begin during an action are done in the calling thread. */
  async allHere<T>(act: () => Promise<T>): Promise<T> {
    this.#isHere = true;
    try {
      return await act();
    } finally {
      this.#isHere = false;
    }
  }

  close(): Promise<void> {
    return this.threads.close();
  }
}
