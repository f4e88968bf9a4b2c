// A program that knows many stories and tells one for each line it is sent: a client in another process or language,
// started once for all tests of an engine, and anew after a story that did not come to its end.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";

type Outcome = { readonly told: unknown } | { readonly failed: string };

interface Program {
  readonly process: ChildProcessWithoutNullStreams;
  readonly lines: AsyncIterator<string>;
  stderr: string;
}

/** Less than a test has: what waits for something that never comes takes no other story with it. */
const LONGEST_MS = 60_000;

export class Stories {
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #program: Program | null = null;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv) {
    this.#command = command;
    this.#env = env;
  }

  /** What a story tells; its arguments come after its name. */
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
