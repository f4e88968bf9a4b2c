// Runs Python programs that use the package docker, each in its own copy of a process that has loaded it: loading takes
// longer than everything that such a program does.

import { spawn, type ChildProcess } from "node:child_process";
import { createInterface, type Interface } from "node:readline";

/** Reads a program in JSON from each line, runs it without its output, and prints its exit code. */
const FORKING = `
import docker, json, os, sys, traceback
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            exec(json.loads(line), {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
`;

export class Pythons {
  readonly #process: ChildProcess = spawn("python3", ["-c", FORKING], { stdio: ["pipe", "pipe", "inherit"] });
  readonly #lines: Interface = createInterface(this.#process.stdout!);

  /** Resolves when the program has ended well. One at a time. */
  run(program: string): Promise<void> {
    const ended = new Promise<void>((resolve, reject) => {
      this.#lines.once("line", (code) =>
        code === "0" ? resolve() : reject(new Error(`the program ended with ${code}`)),
      );
      this.#process.once("close", () => reject(new Error("python3 has ended")));
    });
    this.#process.stdin!.write(`${JSON.stringify(program)}\n`);
    return ended.finally(() => this.#process.removeAllListeners("close"));
  }

  close(): Promise<unknown> {
    const closed = new Promise((resolve) => this.#process.once("close", resolve));
    this.#process.stdin!.end();
    return closed;
  }
}
