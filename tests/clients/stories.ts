// A program with many test cases that runs one for each line of input: a client in another process or language. It is
// started once for all tests of an engine, and again after a case that did not finish.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";

type Outcome = { readonly told: unknown } | { readonly failed: string };

interface Program {
  readonly process: ChildProcessWithoutNullStreams;
  readonly lines: AsyncIterator<string>;
  stderr: string;
}

/** Shorter than a test's limit, so that a case that waits for ever affects no other case. */
const LONGEST_MS = 60_000;

export class Stories {
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #program: Program | null = null;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv) {
    this.#command = command;
    this.#env = env;
  }

  /** The result of a case; its arguments follow its name. */
  async tell(...story: readonly string[]): Promise<unknown> {
    const program = (this.#program ??= this.#start());
    const timer = setTimeout(() => program.process.kill(), LONGEST_MS);
    program.process.stdin.write(`${JSON.stringify(story)}\n`);
    const { value, done } = await program.lines.next();
    clearTimeout(timer);
    if (done === true) {
      this.#program = null;
      throw new Error(`the program ended while it told ${story[0]}: ${program.stderr}`);
    }
    const outcome = JSON.parse(value) as Outcome;
    if ("failed" in outcome) throw new Error(outcome.failed);
    return outcome.told;
  }

  end(): void {
    this.#program?.process.kill();
  }

  #start(): Program {
    const [name = "", ...args] = this.#command;
    const process = spawn(name, args, { env: { ...globalThis.process.env, ...this.#env } });
    const program = { process, lines: createInterface({ input: process.stdout })[Symbol.asyncIterator](), stderr: "" };
    process.stdin.on("error", () => {});
    process.stderr.on("data", (bytes: Buffer) => (program.stderr += bytes.toString()));
    return program;
  }
}
