// The docker CLI for tests: connected to one engine, with its own configuration directory.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findProgram, run, type Finished } from "../support/commands.js";

const docker = findProgram("docker");
const python = findProgram("python3");

/** Why there is no docker CLI here, or null. */
export const DOCKER_MISSING = docker === null ? "the docker CLI is not installed" : null;

/** Why nothing can run on a terminal here, or null. */
export const TERMINAL_MISSING = python === null ? "python3, which makes the terminal, is not installed" : null;

export class DockerCli {
  readonly #env: NodeJS.ProcessEnv;

  constructor(socketPath: string, config: string) {
    this.#env = { DOCKER_HOST: `unix://${socketPath}`, DOCKER_CONFIG: config, DOCKER_CLI_HINTS: "false" };
  }

  /** For tests that start the CLI themselves. */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.#env };
  }

  run(...args: string[]): Promise<Finished> {
    return this.runWith("", ...args);
  }

  /** With standard input. */
  runWith(input: string, ...args: string[]): Promise<Finished> {
    return run([docker ?? "docker", ...args], { env: this.#env, input });
  }

  /** The output of a command that must succeed. */
  async well(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`docker ${args.join(" ")}: exit code ${code}: ${stderr}`);
    return stdout;
  }

  /**
   * Runs on a terminal of 33 rows and 101 columns: at each expected text, types the next input or resizes the terminal.
   */
  onTerminal(
    steps: readonly (readonly [string, string | readonly [number, number]])[],
    ...args: string[]
  ): Promise<Finished> {
    const command = [python ?? "python3", TERMINAL, JSON.stringify(steps), docker ?? "docker", ...args];
    return run(command, { env: this.#env });
  }

  /** Left running; the caller must end it. */
  spawn(args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(docker ?? "docker", args, { env: this.environment });
  }
}

const TERMINAL = fileURLToPath(new URL("./terminal.py", import.meta.url));
