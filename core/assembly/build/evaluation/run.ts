// RUN: a command in a container. Nothing is substituted in it: its shell does that.

import { TextBuilder } from "../../text/builder";
import { Heredoc, Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { commandOf } from "./command";
import { fileOf } from "./copy";
import { Mount, MountType, mountSource, readMount } from "./run-mount";
import { RunStep, Step, StepKind } from "./step";
import { pathFrom } from "./work-directory";

/** A container has no more mounts than this, either. */
const MOST_MOUNTS: i32 = 1000;
/** Secrets as variables: the host writes the values of all of them at once, and Linux takes 2 MiB (execve(2)). */
const MOST_SECRET_VARIABLES: i32 = 8;
/** Each is a socket, with connections to the client. */
const MOST_AGENTS: i32 = 8;
/** Where an agent is that has no target, in front of its number in the step (moby/buildkit, client/llb/exec.go). */
const AGENTS: string = "/run/buildkit/ssh_agent.";
/** Where programs look for the agent (ssh-agent(1)). */
const AGENT_VARIABLE: string = "SSH_AUTH_SOCK";
/** Where a script is. */
const SCRIPTS: string = "/dev/pipes";
const FROM_VARIABLE: string = "'from' doesn't support variable expansion, define alias stage instead";

export function evaluateRun(state: BuildState, instruction: Instruction): Step {
  const given = state.given.entries(state.config);
  const run = new RunStep(argumentsOf(state, instruction), state.config.variables.entries.concat(given));
  readOptions(state, instruction, run);
  const script = scriptOf(instruction);
  if (script !== null) run.mounts.push(script);
  const step = new Step(StepKind.Run);
  step.command = keyOf(state, instruction, run, given);
  step.run = run;
  return step;
}

/**
 * Build arguments stand in front, so that a step is only found with the same ones. No command begins with `|`, and the
 * count keeps `a=b` as a program apart from `a=b` as an argument.
 */
function keyOf(state: BuildState, instruction: Instruction, run: RunStep, given: string[]): string[] {
  const options = instruction.flags;
  const argv = options.length == 0 ? run.argv : options.concat(run.argv);
  if (given.length == 0) return argv;
  const key = state.given.keyEntries(given);
  return [`|${key.length.toString()}`].concat(key).concat(argv);
}

function argumentsOf(state: BuildState, instruction: Instruction): string[] {
  const heredocs = instruction.heredocs;
  if (heredocs.length == 0) return commandOf(state, instruction);
  if (hasInterpreter(instruction)) return state.config.shell().concat([`${SCRIPTS}/${fileOf(heredocs[0].name)}`]);
  if (isAlone(instruction)) return state.config.shell().concat([heredocs[0].text()]);
  return state.config.shell().concat([withHeredocs(instruction.rest, heredocs)]);
}

/** `RUN <<EOF` and nothing else: the lines are the command itself. */
function isAlone(instruction: Instruction): bool {
  if (instruction.heredocs.length != 1 || instruction.rest.includes(" ") || instruction.rest.includes("\t"))
    return false;
  return instruction.rest.startsWith("<<");
}

/** The shell reads the here-documents of a longer command. */
function withHeredocs(command: string, heredocs: Heredoc[]): string {
  const text = new TextBuilder();
  text.text(command);
  for (let i = 0; i < heredocs.length; i++) text.text("\n").text(heredocs[i].content).text(heredocs[i].name);
  return text.toString();
}

/** As in BuildKit, the shell runs the script as a file. The digest of what is mounted is in the step's key. */
function hasInterpreter(instruction: Instruction): bool {
  return isAlone(instruction) && instruction.heredocs[0].content.startsWith("#!");
}

/** The mount that shows the script to its step alone; null if no here-document names its interpreter. */
function scriptOf(instruction: Instruction): Mount | null {
  if (!hasInterpreter(instruction)) return null;
  const mount = new Mount();
  mount.target = SCRIPTS;
  mount.readOnly = true;
  mount.source = fileOf(instruction.heredocs[0].name);
  mount.script = instruction.heredocs[0].text();
  return mount;
}

function readOptions(state: BuildState, instruction: Instruction, run: RunStep): void {
  run.network = instruction.flag("network", run.network);
  run.security = instruction.flag("security", run.security);
  run.devices = state.expandAll(instruction.flagValues("device"));
  if (run.network != "default" && run.network != "none" && run.network != "host") {
    state.fail(`unsupported network mode "${run.network}"`);
  }
  if (run.security != "sandbox" && run.security != "insecure") state.fail(`security "${run.security}" is not valid`);
  const mounts = instruction.flagValues("mount");
  if (mounts.length > MOST_MOUNTS) state.fail(`RUN has more than ${MOST_MOUNTS} mounts`);
  for (let i = 0; i < mounts.length && state.problem.length == 0; i++) {
    // Which stages a build needs is known before anything is substituted.
    if (mountSource(mounts[i]).includes("$")) return state.fail(FROM_VARIABLE);
    const read = readMount(mounts[i], state);
    if (read.problem.length > 0) state.fail(read.problem);
    const target = read.mount.target;
    if (target.length > 0) read.mount.target = pathFrom(state.config.directory(), target);
    if (read.mount.target == "/") state.fail('invalid mount target "/"');
    run.mounts.push(read.mount);
  }
  if (secretVariables(run.mounts) > MOST_SECRET_VARIABLES) {
    state.fail(`RUN has more than ${MOST_SECRET_VARIABLES} secrets as variables`);
  }
  placeAgents(state, run);
}

/** The first one is the step's in the environment, there or not, unless the image or the client names another. */
function placeAgents(state: BuildState, run: RunStep): void {
  const agents = run.mounts.filter((mount) => mount.type == MountType.Ssh);
  if (agents.length == 0) return;
  if (agents.length > MOST_AGENTS) return state.fail(`RUN has more than ${MOST_AGENTS} ssh agents`);
  for (let i = 0; i < agents.length; i++) {
    if (agents[i].target.length == 0) agents[i].target = `${AGENTS}${i.toString()}`;
  }
  const named = run.environment.some((entry) => entry.startsWith(`${AGENT_VARIABLE}=`));
  if (!named) run.environment.push(`${AGENT_VARIABLE}=${agents[0].target}`);
}

function secretVariables(mounts: Mount[]): i32 {
  let count = 0;
  for (let i = 0; i < mounts.length; i++) {
    if (mounts[i].type == MountType.Secret && mounts[i].variable.length > 0) count++;
  }
  return count;
}
