// The state of one shell process, and how it starts other processes. Commands run in `execute.ts`.

import type { CompoundCommand, CompoundList, Redirected } from "unbash";
import { BrokenPipe, ProcessInput, ProcessOutput } from "../processes/descriptors.js";
import { CannotFork } from "../processes/pid-namespace.js";
import { programOf, type ContainerProcess } from "../processes/process.js";
import { Waiting, type Sink, type Source } from "../processes/streams.js";
import type { ChildStart } from "../program.js";
import { Descriptors } from "./descriptors.js";
import { Exit, Loop, Return, ShellError } from "./errors.js";
import type { Interpreter } from "./interpreter.js";
import { parseScript } from "./parse.js";
import { Traps } from "./traps.js";
import { Variables } from "./variables.js";

export type FunctionBody = CompoundCommand | Redirected | CompoundList;

/** Letters of `set`: e, f, u, x and so on. */
type Options = Set<string>;

export class Shell {
  /** `$0`, and the beginning of error messages. */
  name: string;
  variables: Variables;
  functions = new Map<string, FunctionBody>();
  parameters: readonly string[];
  options: Options = new Set();
  /** `$?`. */
  status = 0;
  /** Whether a command substitution has set `$?` since this was last set to false. */
  substituted = false;
  /** `$$`: the same in subshells. */
  pid: number;
  /** `$!`; 0 for none. */
  lastBackground = 0;
  readonly jobs = new Map<number, ContainerProcess>();
  descriptors: Descriptors;
  readonly traps: Traps;
  readonly interpreter: Interpreter;
  /** Line of the running command in a script; 0 elsewhere. */
  line = 0;
  /** Nesting depth of commands whose failure `set -e` ignores. */
  tested = 0;
  loops = 0;
  /** Nesting depth of function calls. */
  depth = 0;
  /** Variables to restore when the running function returns. */
  locals: Map<string, ReturnType<Variables["snapshot"]>> | null = null;
  interactive = false;
  /** Position of `getopts` within a word. */
  optionAt = 1;
  readonly interrupted = new Waiting();
  /** The terminal's size has changed. */
  readonly resized = new Waiting();

  constructor(
    readonly process: ContainerProcess,
    name: string,
    parameters: readonly string[],
    private readonly interpreterOf: (shell: Shell) => Interpreter,
  ) {
    this.name = name;
    this.parameters = parameters;
    this.pid = process.pid;
    this.variables = new Variables(process.env, (bytes) => process.allocate(bytes));
    this.variables.set("PWD", process.cwd);
    this.variables.set("PPID", String(process.parent?.pid ?? 0));
    this.descriptors = Descriptors.of(process.stdin.source, process.stdout.sink, process.stderr.sink);
    this.traps = new Traps(this);
    this.interpreter = interpreterOf(this);
  }

  /** fork(2): what is copied is copied now, even if the child begins a little later. */
  #fork(): (process: ContainerProcess) => Shell {
    const { status, pid, lastBackground, tested, loops, locals, parameters } = this;
    const variables = this.variables.copy(() => {});
    const [functions, options] = [new Map(this.functions), new Set(this.options)];
    const descriptors = this.descriptors.copy();
    return (process) => {
      const child = new Shell(process, this.name, parameters, this.interpreterOf);
      child.variables = variables.copy((bytes) => process.allocate(bytes));
      Object.assign(child, { functions, options, status, pid, lastBackground, tested, loops, descriptors });
      child.descriptors.set(0, { source: process.stdin.source });
      child.descriptors.set(1, { sink: process.stdout.sink });
      child.descriptors.set(2, { sink: process.stderr.sink });
      child.locals = locals && new Map();
      return child;
    };
  }

  /** Value of any parameter; undefined if it is not set. */
  parameter(name: string): string | undefined {
    const special = SPECIAL.get(name);
    if (special) return special(this);
    if (/^\d+$/.test(name)) return name === "0" ? this.name : this.parameters[Number(name) - 1];
    return this.variables.value(name);
  }

  /** Starts a subshell. Without `stdio` it shares this shell's descriptors. */
  subshell(run: (shell: Shell) => Promise<number>, stdio: { stdin?: Source; stdout?: Sink } = {}): ContainerProcess {
    const { process, descriptors } = this;
    const fork = this.#fork();
    return this.#start({
      argv: process.argv,
      env: this.variables.exported(),
      program: programOf((child) => fork(child).toEnd(run)),
      stdin: new ProcessInput(process, stdio.stdin ?? descriptors.source(0)),
      stdout: new ProcessOutput(process, stdio.stdout ?? descriptors.sink(1)),
      stderr: new ProcessOutput(process, descriptors.sink(2)),
    });
  }

  /** Starts a program with the shell's or a command's descriptors. Throws `NoProgram`. */
  spawn(argv: readonly string[], env: ReadonlyMap<string, string>, descriptors: Descriptors): ContainerProcess {
    const { process } = this;
    return this.#start({
      argv,
      env,
      stdin: new ProcessInput(process, descriptors.source(0)),
      stdout: new ProcessOutput(process, descriptors.sink(1)),
      stderr: new ProcessOutput(process, descriptors.sink(2)),
    });
  }

  #start(start: ChildStart): ContainerProcess {
    try {
      return this.process.spawn(start);
    } catch (error) {
      if (error instanceof CannotFork) throw new ShellError(`can't fork: ${error.message}`);
      throw error;
    }
  }

  /** Runs what decides what runs next: `set -e` ignores its failure. */
  async condition(run: () => Promise<number>): Promise<number> {
    this.tested++;
    try {
      return await run();
    } finally {
      this.tested--;
    }
  }

  /** Runs until the shell ends, including its EXIT trap. Resolves to the exit code. */
  async toEnd(run: (shell: Shell) => Promise<number>): Promise<number> {
    this.status = await this.#outcome(run);
    const atExit = this.traps.takeExit();
    if (!atExit) return this.status;
    const { status } = this;
    // The trap sees the shell's exit code as `$?`, and may exit with another one.
    return this.#outcome(async () => {
      await this.evaluate(atExit);
      return status;
    });
  }

  async #outcome(run: (shell: Shell) => Promise<number>): Promise<number> {
    try {
      return await run(this);
    } catch (error) {
      return this.left(error);
    }
  }

  /** The exit code of a shell that is left this way. Rethrows other errors. */
  async left(error: unknown): Promise<number> {
    if (error instanceof Exit || error instanceof Return) return error.code;
    if (error instanceof Loop) return this.status;
    if (!(error instanceof ShellError)) throw error;
    await this.complain(error.message);
    return error.code;
  }

  /** Runs a text as commands. */
  async evaluate(text: string): Promise<number> {
    const { statements, error } = parseScript(text);
    const status = statements.length > 0 ? await this.interpreter.runList(statements, false) : 0;
    if (error) throw new ShellError(error);
    return (this.status = status);
  }

  async out(text: string | Uint8Array): Promise<void> {
    await this.#write(1, text);
  }

  /** Prints an error. `builtin`: the builtin that caused it. */
  async complain(message: string, builtin = ""): Promise<void> {
    // ash prints line numbers for scripts only, but always for builtins.
    const line = this.line > 0 || builtin ? `line ${this.line}: ` : "";
    await this.#write(2, `${this.name}: ${builtin && `${builtin}: `}${line}${message}\n`);
  }

  /** Prints a builtin's error without a line number. */
  async say(message: string): Promise<void> {
    await this.#write(2, message);
  }

  async #write(number: number, text: string | Uint8Array): Promise<void> {
    try {
      await new ProcessOutput(this.process, this.descriptors.sink(number)).write(text);
    } catch (error) {
      if (!(error instanceof BrokenPipe) && number === 1) throw error;
    }
  }

  /** Standard input. Bytes that are not used are returned. */
  get stdin(): ProcessInput {
    return new ProcessInput(this.process, this.descriptors.source(0));
  }
}

const SPECIAL: ReadonlyMap<string, (shell: Shell) => string | undefined> = new Map([
  ["?", (shell) => String(shell.status)],
  ["$", (shell) => String(shell.pid)],
  ["#", (shell) => String(shell.parameters.length)],
  ["!", (shell) => (shell.lastBackground ? String(shell.lastBackground) : undefined)],
  ["-", (shell) => [...shell.options].sort().join("")],
  ["@", (shell) => shell.parameters.join(" ")],
  ["*", (shell) => shell.parameters.join(" ")],
]);
