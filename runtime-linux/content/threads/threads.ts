// Threads for content, as many as there are processors. They start when there is something to do, and end when there
// was nothing for a while. A job goes to the thread that has the fewest: a slow client must not hold up other jobs.

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { MessageChannel, Worker, type MessagePort, type ResourceLimits } from "node:worker_threads";
import { HostFailure, failureOf } from "../../../hosts/shared/index.js";
import { Inflow, Outflow } from "./flow.js";
import type { FlowMessage, FromJob, Order, ToJob } from "./messages.js";
import type { ArgsOf, JobName, ResultOf, Wants, Workers } from "./workers.js";

/** The program of a thread (a CommonJS file), and what it needs for its tools. */
export interface Program {
  path: string;
  data: unknown;
}

/** A program that was read. */
interface Code {
  code: string;
  data: unknown;
  limits: ResourceLimits;
}

/** A thread ends when it had no job for this long, which returns its memory. */
const IDLE_MS = 3000;

export class Threads implements Workers {
  readonly #program: Code;
  readonly #most: number;
  #threads: Thread[] = [];

  /** Reads the program at once: a later build may put another one there, which need not fit this engine. */
  constructor({ path, data }: Program, most: number = availableParallelism(), limits: ResourceLimits = LIMITS) {
    this.#program = { code: scriptOf(path), data, limits };
    this.#most = most;
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
  /** Why it ends, if it fails. */
  #failure: unknown = null;
  readonly #end: Promise<void>;

  /** `gone` is called when it takes no more jobs. */
  constructor({ code, data, limits }: Code, gone: () => void) {
    // Node would warn of each descriptor that a system call of ours has opened.
    const options = { execArgv: [], resourceLimits: limits, trackUnmanagedFds: false };
    this.#worker = new Worker(code, { eval: true, workerData: data, ...options });
    this.#gone = gone;
    this.#worker.unref();
    // Its jobs fail, because their ports close.
    this.#worker.on("error", (error) => {
      this.#failure = error;
      gone();
    });
    this.#end = new Promise((resolve) => this.#worker.on("exit", () => resolve()));
    void this.#end.then(gone);
  }

  async run(name: JobName, args: unknown, wants: Wants): Promise<unknown> {
    clearTimeout(this.#idle);
    this.jobs++;
    const { port1: own, port2: port } = new MessageChannel();
    const order: Order = { name, args, port };
    try {
      this.#worker.postMessage(order, [port]);
      return await new Job(own, wants).result;
    } catch (error) {
      throw error === ENDED ? await this.#death() : error;
    } finally {
      own.close();
      this.jobs--;
      if (this.jobs === 0) this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref();
    }
  }

  /** Its ports close before it tells why it ends. */
  async #death(): Promise<Error> {
    await this.#end;
    if (this.#failure === null) return new Error(ENDED.message);
    const why = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
    return new Error(`${ENDED.message}: ${why}`, { cause: this.#failure });
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
      this.#port.on("close", () => reject(ENDED));
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
    const { body, isOwn } = this.#wants;
    try {
      for await (const piece of body?.(this.#over.signal) ?? []) {
        if (this.#over.signal.aborted) return;
        this.#outflow.send(piece, isOwn);
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

/** The program as a script for `eval`, with the names that a file of its own would have. */
function scriptOf(path: string): string {
  const names = `require("node:module").createRequire(${JSON.stringify(path)}), ${JSON.stringify(path)}`;
  return `(function (require, __filename) {${readFileSync(path, "utf8")}\n})(${names});`;
}

const ENDED = new Error("a thread for content has ended");

/** Bytes are outside of these limits. A new piece of garbage is seldom in use for long. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };
