// Threads for content, as many as there are processors. They start when there is something to do, and end when there
// was nothing for a while. A job goes to the thread that has the fewest: a slow client must not hold up other jobs.

import { availableParallelism } from "node:os";
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { HostFailure, failureOf } from "../../../hosts/shared/index.js";
import { Inflow, Outflow } from "./flow.js";
import type { FlowMessage, FromJob, Order, ToJob } from "./messages.js";
import type { ArgsOf, JobName, ResultOf, Wants, Workers } from "./workers.js";

/** The program of a thread, and what it needs for its tools. */
export interface Program {
  path: string;
  data: unknown;
}

/** A thread ends when it had no job for this long, which returns its memory. */
const IDLE_MS = 3000;

export class Threads implements Workers {
  readonly #program: Program;
  readonly #most: number;
  #threads: Thread[] = [];

  constructor(program: Program, most: number = availableParallelism()) {
    [this.#program, this.#most] = [program, most];
  }

  run<N extends JobName>(name: N, args: ArgsOf<N>, wants: Wants): Promise<ResultOf<N>> {
    return this.#free().run(name, args, wants) as Promise<ResultOf<N>>;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #free(): Thread {
    const [least] = this.#threads.toSorted((a, b) => a.jobs - b.jobs);
    if (least !== undefined && (least.jobs === 0 || this.#threads.length >= this.#most)) return least;
    const thread: Thread = new Thread(this.#program, () => {
      this.#threads = this.#threads.filter((one) => one !== thread);
    });
    this.#threads.push(thread);
    return thread;
  }
}

class Thread {
  jobs = 0;
  readonly #worker: Worker;
  readonly #gone: () => void;
  #idle: NodeJS.Timeout | undefined;

  /** `gone` is called when it takes no more jobs. */
  constructor({ path, data }: Program, gone: () => void) {
    // Node would warn of each descriptor that a system call of ours has opened.
    const options = { execArgv: [], resourceLimits: LIMITS, trackUnmanagedFds: false };
    this.#worker = new Worker(path, { workerData: data, ...options });
    this.#gone = gone;
    this.#worker.unref();
    // Its jobs fail, because their ports close.
    this.#worker.on("error", gone);
    this.#worker.on("exit", gone);
  }

  async run(name: JobName, args: unknown, wants: Wants): Promise<unknown> {
    clearTimeout(this.#idle);
    this.jobs++;
    const { port1: own, port2: port } = new MessageChannel();
    const order: Order = { name, args, port };
    this.#worker.postMessage(order, [port]);
    try {
      return await new Job(own, wants).result;
    } finally {
      own.close();
      this.jobs--;
      if (this.jobs === 0) this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref();
    }
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    this.#gone();
    await this.#worker.terminate();
  }
}

/** The engine's end of a job's port. */
class Job {
  readonly result: Promise<unknown>;
  readonly #port: MessagePort;
  readonly #wants: Wants;
  readonly #outflow: Outflow;
  readonly #inflow: Inflow;
  /** Aborted once the job is over. */
  readonly #over = new AbortController();
  #isSending = false;

  constructor(port: MessagePort, wants: Wants) {
    [this.#port, this.#wants] = [port, wants];
    const post = (message: FlowMessage, transfer: ArrayBuffer[]): void => this.#post(message, transfer);
    [this.#outflow, this.#inflow] = [new Outflow(post), new Inflow(post)];
    this.result = this.#run();
  }

  async #run(): Promise<unknown> {
    const { signal, give } = this.#wants;
    const abort = (): void => this.#post({ tag: "abort" });
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    try {
      const answer = this.#answer();
      // What the job gave is handed on before it counts as done.
      const given = give === undefined ? undefined : this.#handOn(give);
      const val = await answer;
      await given;
      return val;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#over.abort();
      this.#outflow.room(Infinity);
      this.#inflow.over(null);
    }
  }

  async #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#port.on("message", (message: FromJob) => {
        if (message.tag === "done") resolve(message.val);
        else if (message.tag === "failed") reject(new HostFailure(message.failure));
        else this.#hear(message);
        if (message.tag === "done" || message.tag === "failed") this.#inflow.over(null);
      });
      this.#port.on("close", () => reject(new Error("a thread for content has ended")));
    });
  }

  #hear(message: Exclude<FromJob, { tag: "done" | "failed" }>): void {
    if (message.tag === "piece") this.#inflow.piece(message.bytes);
    else if (message.tag === "over") this.#inflow.over(message.failure);
    else if (message.tag === "told") this.#wants.report?.(message.phase, message.current, message.total);
    else if (message.tag === "asks-below") void this.#answerBelow();
    else {
      this.#outflow.room(message.bytes);
      if (!this.#isSending) void this.#send();
    }
  }

  /** Sends the body, as far as the job wants it. */
  async #send(): Promise<void> {
    this.#isSending = true;
    const { body } = this.#wants;
    try {
      for await (const piece of body?.(this.#over.signal) ?? []) {
        if (this.#over.signal.aborted) return;
        this.#outflow.send(piece);
        await this.#outflow.wanted();
      }
      this.#outflow.end(null);
    } catch (error) {
      this.#outflow.end(failureOf(error));
    }
  }

  async #handOn(give: NonNullable<Wants["give"]>): Promise<void> {
    for await (const piece of this.#inflow.read()) await give(piece);
  }

  async #answerBelow(): Promise<void> {
    const { below = async () => [] } = this.#wants;
    const directories = await below().catch(failureOf);
    this.#post({ tag: "below", directories });
  }

  /** After the job's end nobody hears it. */
  #post(message: ToJob, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}

/** Bytes are outside of these limits. A new piece of garbage is seldom in use for long. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };
