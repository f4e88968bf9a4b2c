// Makes network namespaces on a thread of their own. The kernel makes and removes networks under one lock. A removal
// holds it while all processors take notice (RCU): 100 ms and more if many containers come and go.

import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/** The errno and the call that failed; null on success. */
type Answer = { errno: number; call: string } | null;

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** The thread ends when no namespace was made for this long, which returns its 8 MiB. */
const IDLE_MS = 2000;

/** The thread starts with the first namespace. It does not keep the program alive unless a namespace is awaited. */
export class NetworkMaker {
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** In the order of the requests, which is the order of the answers. */
  #waiting: Waiting[] = [];

  /** Mounts a new namespace on `file`, which must exist. Rejects if the thread does not work. */
  async make(file: string): Promise<Answer> {
    const thread = (this.#thread ??= this.#start());
    clearTimeout(this.#idle);
    const answer = new Promise<Answer>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    thread.ref();
    thread.postMessage(file);
    return answer;
  }

  #start(): Worker {
    const koffi = createRequire(import.meta.url).resolve("koffi");
    const thread = new Worker(PROGRAM, { eval: true, workerData: koffi, execArgv: [] });
    thread.on("message", (answer: Answer) => {
      this.#waiting.shift()?.resolve(answer);
      if (this.#waiting.length === 0) this.#rest(thread);
    });
    const over = (error: unknown): void => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    thread.on("error", over);
    thread.on("exit", () => over(new Error("the thread that makes networks has ended")));
    return thread;
  }

  #rest(thread: Worker): void {
    thread.unref();
    const end = (): void => {
      this.#thread = undefined;
      thread.postMessage(null);
    };
    this.#idle = setTimeout(end, IDLE_MS).unref();
  }
}

/**
 * The thread's program. It is a text, so that it needs no file of its own when bundled. After each namespace it returns
 * to its first one: if it stayed, the new namespace would remain in use.
 */
const PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  const koffi = require(workerData);
  const library = koffi.load(null);
  const unshare = library.func("int unshare(int flags)");
  const setns = library.func("int setns(int fd, int kind)");
  const mount = library.func("int mount(const char *source, const char *target, const char *type, unsigned long flags, const void *data)");
  const [CLONE_NEWNET, MS_BIND, OWN] = [0x40000000, 4096, "/proc/thread-self/ns/net"];
  const home = require("node:fs").openSync(OWN, "r");
  const failed = (call) => ({ errno: koffi.errno(), call });
  parentPort.on("message", (file) => {
    if (file === null) return parentPort.close();
    let answer = null;
    if (unshare(CLONE_NEWNET) < 0) answer = failed("unshare");
    else {
      if (mount(OWN, file, null, MS_BIND, null) < 0) answer = failed("mount");
      if (setns(home, CLONE_NEWNET) < 0) answer = failed("setns");
    }
    parentPort.postMessage(answer);
  });
`;
