// docker-compose for tests: one project on one engine, with a folder of its own.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, run, type Finished } from "../../support/commands.js";

const program = findProgram("docker-compose");

/** Why there is no docker-compose here, or null. */
export const COMPOSE_MISSING = program === null ? "docker-compose is not installed" : null;

export class Compose {
  private constructor(
    readonly socketPath: string,
    readonly project: string,
    readonly folder: string,
  ) {}

  static async open(socketPath: string, project: string): Promise<Compose> {
    return new Compose(socketPath, project, await mkdtemp(join(tmpdir(), "coracle-compose-")));
  }

  /** From now on, commands work on this Compose file. */
  async use(file: string): Promise<void> {
    await writeFile(join(this.folder, "docker-compose.yml"), file);
  }

  run(...args: string[]): Promise<Finished> {
    const own = ["-H", `unix://${this.socketPath}`, "--ansi", "never", "-p", this.project];
    // It would build by the docker CLI, which wants a plugin of its own for that.
    const env = { COMPOSE_DOCKER_CLI_BUILD: "0" };
    return run([program ?? "docker-compose", ...own, ...args], { cwd: this.folder, env });
  }

  /** The output of a command that must succeed. */
  async well(...args: string[]): Promise<string> {
    return (await this.#succeed(args)).stdout;
  }

  /**
   * What a command that must succeed says about its work, in alphabetical order: it works on several services at once.
   * Beginnings are left out.
   */
  async says(...args: string[]): Promise<string[]> {
    const lines = (await this.#succeed(args)).stderr.split(/\r?\n/).map((line) => line.replace(/ +(?=\.\.\. )/, " "));
    return lines.filter((line) => line !== "" && !line.endsWith("... ")).sort();
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  async #succeed(args: readonly string[]): Promise<Finished> {
    const finished = await this.run(...args);
    const { code, stdout, stderr } = finished;
    const what = `docker-compose ${args.join(" ")} on ${this.socketPath}`;
    if (code !== 0) throw new Error(`${what}: exit code ${code}: ${stderr}${stdout}`);
    return finished;
  }
}
