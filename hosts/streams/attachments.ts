// Which clients are attached to which container. An exit is reported after they have all earlier output. So a client
// that waits for the exit on another connection then finds all output there, as with Docker.

import { after, realClock } from "../shared/index.js";
import type { Clock, Input, Stdio } from "../shared/index.js";
import type { Attachment } from "./attach.js";

/** How long a client that does not read can delay an exit; the same as Docker. */
const LONGEST_WAIT_MS = 2000;

export class Attachments {
  readonly #stdio: Stdio;
  readonly #clock: Clock;
  readonly #byContainer = new Map<string, Set<Attachment>>();

  constructor(stdio: Stdio, clock: Clock = realClock) {
    this.#stdio = stdio;
    this.#clock = clock;
  }

  add(container: string, attachment: Attachment): void {
    const known = this.#byContainer.get(container);
    if (known) known.add(attachment);
    else this.#byContainer.set(container, new Set([attachment]));
  }

  remove(container: string, attachment: Attachment): void {
    const known = this.#byContainer.get(container);
    known?.delete(attachment);
    if (known?.size === 0) this.#byContainer.delete(container);
  }

  /** Passes inputs on. An exit waits until attached clients have the container's output. */
  inOrder(happened: (input: Input) => void): (input: Input) => void {
    return (input) => {
      const attached = input.tag === "exited" ? this.#byContainer.get(input.val.container) : undefined;
      if (input.tag !== "exited" || !attached) happened(input);
      else void this.#caughtUp(input.val.container, attached).then(() => happened(input));
    };
  }

  async #caughtUp(container: string, attached: ReadonlySet<Attachment>): Promise<void> {
    let callOff = (): void => {};
    const limit = new Promise<void>((resolve) => (callOff = after(this.#clock, LONGEST_WAIT_MS, resolve)));
    const all = this.#written(container).then((size) => Promise.all([...attached].map((one) => one.caughtUp(size))));
    await Promise.race([all, limit]);
    callOff();
  }

  /** Size of the log; 0 if it is not available, and then there is nothing to wait for. */
  async #written(container: string): Promise<number> {
    try {
      const log = await this.#stdio.log(container);
      const size = await log.size();
      await log.close();
      return size;
    } catch {
      return 0;
    }
  }
}
