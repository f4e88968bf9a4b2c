// A thread for content: does the jobs that the engine sends, several at a time if it sends several.

import { parentPort, type MessagePort } from "node:worker_threads";
import { HostFailure, failureOf } from "../../../hosts/shared/index.js";
import type { failures } from "../../../hosts/shared/index.js";
import { Inflow, Outflow } from "./flow.js";
import { doJob, type Tools } from "./jobs.js";
import type { FromJob, Order, ToJob } from "./messages.js";
import type { Line } from "./workers.js";

/** Serves until the engine ends the thread. */
export function serve(tools: Tools): void {
  parentPort!.on("message", (order: Order) => void new Job(order.port).run(order, tools));
}

/** The thread's end of a job's port. */
class Job {
  readonly #port: MessagePort;
  readonly #controller = new AbortController();
  readonly #inflow: Inflow;
  readonly #outflow: Outflow;
  #answered: (directories: string[] | failures.Failure) => void = () => {};

  constructor(port: MessagePort) {
    this.#port = port;
    const post = (message: FromJob, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
    this.#inflow = new Inflow(post);
    this.#outflow = new Outflow(post);
    port.on("message", (message: ToJob) => this.#hear(message));
  }

  async run({ name, args }: Order, tools: Tools): Promise<void> {
    try {
      this.#post({ tag: "done", val: await doJob(name, args, this.#line(), tools) });
    } catch (error) {
      this.#post({ tag: "failed", failure: failureOf(error) });
    }
    this.#port.close();
  }

  #line(): Line {
    return {
      signal: this.#controller.signal,
      report: (phase, current, total) => this.#post({ tag: "told", phase, current, total }),
      body: this.#inflow.read(),
      give: async (piece) => {
        this.#outflow.send(piece);
        await this.#outflow.wanted();
      },
      below: () => this.#askBelow(),
    };
  }

  #hear(message: ToJob): void {
    if (message.tag === "piece") this.#inflow.piece(message.bytes);
    else if (message.tag === "over") this.#inflow.over(message.failure);
    else if (message.tag === "room") this.#outflow.room(message.bytes);
    else if (message.tag === "below") this.#answered(message.directories);
    else this.#stop();
  }

  /** Wakes the job if it waits for bytes, or for room for its own. */
  #stop(): void {
    this.#controller.abort();
    this.#inflow.over({ tag: "interrupted", val: "given-up" });
    this.#outflow.room(Infinity);
  }

  async #askBelow(): Promise<string[]> {
    const answer = new Promise<string[] | failures.Failure>((resolve) => (this.#answered = resolve));
    this.#post({ tag: "asks-below" });
    const directories = await answer;
    if (Array.isArray(directories)) return directories;
    throw new HostFailure(directories);
  }

  #post(message: FromJob): void {
    this.#port.postMessage(message);
  }
}
