// The docker CLI as tests run it: pointed at one engine, with a configuration directory of its own.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findProgram, run, type Finished } from "../support/commands.js";

const docker = findProgram("docker");
const python = findProgram("python3");

/** Why there is no docker CLI here, or null. */
export const DOCKER_MISSING = docker === null ? "the docker CLI is not installed" : null;

/** Why nothing can be run on a terminal here, or null. */
export const TERMINAL_MISSING = python === null ? "python3, which makes the terminal, is not installed" : null;

export class DockerCli {
  readonly #env: NodeJS.ProcessEnv;

  constructor(socketPath: string, config: string) {
    this.#env = { DOCKER_HOST: `unix://${socketPath}`, DOCKER_CONFIG: config, DOCKER_CLI_HINTS: "false" };
  }

  /** For those who start it by themselves. */
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

  /** The output of a command that must end well. */
  async well(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`docker ${args.join(" ")}: exit code ${code}: ${stderr}`);
    return stdout;
  }

  /** On a terminal of 33 rows and 101 columns: at each text shown, the next is typed, or the terminal gets that size. */
  onTerminal(
    steps: readonly (readonly [string, string | readonly [number, number]])[],
    ...args: string[]
  ): Promise<Finished> {
    const command = [python ?? "python3", TERMINAL, JSON.stringify(steps), docker ?? "docker", ...args];
    return run(command, { env: this.#env });
  }

  /** Left running, for the caller to end. */
  spawn(args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(docker ?? "docker", args, { env: this.environment });
  }
}

const TERMINAL = fileURLToPath(new URL("./terminal.py", import.meta.url));
