// A program that knows many stories and tells one for each line it is sent: a client in another process or language,
// started once for all tests of an engine.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";

type Outcome = { readonly told: unknown } | { readonly failed: string };

export class Stories {
  readonly #program: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #stderr = "";

  constructor([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv) {
    this.#program = spawn(program, args, { env: { ...process.env, ...env } });
    this.#program.stdin.on("error", () => {});
    this.#program.stderr.on("data", (bytes: Buffer) => (this.#stderr += bytes.toString()));
    this.#lines = createInterface({ input: this.#program.stdout })[Symbol.asyncIterator]();
  }

  /** What a story tells; its arguments come after its name. */
  async tell(...story: readonly string[]): Promise<unknown> {
    this.#program.stdin.write(`${JSON.stringify(story)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the program ended: ${this.#stderr}`);
    const outcome = JSON.parse(value) as Outcome;
    if ("failed" in outcome) throw new Error(outcome.failed);
    return outcome.told;
  }

  end(): void {
    this.#program.kill();
  }
}
