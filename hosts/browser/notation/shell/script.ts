// Parses a typed line like a shell: its commands, and the operators that join them.

import {
  forEachChild,
  parse,
  type Command,
  type CommandNode,
  type PipelineNode,
  type SyntaxNode,
  type Word,
} from "unbash";
import { Wrong } from "../docker/wrong.js";
import { FILTERS } from "./filters.js";

/** When a step runs: always, if the previous one succeeded, or if it failed. */
export type Joint = ";" | "&&" | "||";

/** A pipeline: each command reads the output of the previous one. Usually it is a single command. */
export interface Step {
  readonly joint: Joint;
  readonly commands: readonly Simple[];
}

/** A command, and variables set for it only. Without words the variables are set permanently. */
export interface Simple {
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly words: readonly Word[];
  readonly streams: Streams;
}

/** Where a command's stdout and stderr go: to their usual places, to each other's place, or to /dev/null. */
export interface Streams {
  readonly out: Target;
  readonly err: Target;
}

export type Target = "out" | "err" | "nothing";

export interface Script {
  readonly steps: readonly Step[];
  /** What was left out, and why. */
  readonly remarks: readonly string[];
}

/** Throws a message if the line is invalid. */
export function readScript(text: string): Script {
  const script = parse(text);
  const [error] = script.errors ?? [];
  if (error !== undefined) throw new Wrong(`the shell does not understand this: ${error.message}`, null);
  const reading = new Reading();
  for (const { command, background } of script.commands) {
    if (reading.over) break;
    if (command.type === "AndOr") {
      for (const [at, part] of command.commands.entries()) reading.pipeline(part, command.operators[at - 1] ?? ";");
    } else reading.pipeline(command, ";");
    if (background === true)
      reading.leave("A shell ends the command at &: put an address with & in quotes. The rest is left out.");
  }
  return reading;
}

/** Commands that may follow a `|`. */
const READERS: readonly string[] = ["xargs", ...FILTERS];

class Reading implements Script {
  readonly steps: Step[] = [];
  readonly remarks: string[] = [];
  over = false;

  pipeline(node: PipelineNode, joint: Joint): void {
    if (node.type !== "Pipeline") return void this.steps.push({ joint, commands: [this.#command(node)] });
    if (node.prefixes.length > 0) throw new Wrong("! and time are not supported here", null);
    const unread = node.commands.findIndex((command, at) => at > 0 && !READERS.includes(nameOf(command)));
    if (unread > 0)
      this.#leaveOut(
        `${nameOf(node.commands[unread]!)} is not available here, so the part after | is left out. Available: ${READERS.join(", ")}.`,
      );
    const read = unread < 0 ? node.commands : node.commands.slice(0, unread);
    const joins = (at: number): boolean => node.operators[at] === "|&";
    this.steps.push({ joint, commands: read.map((command, at) => this.#command(command, joins(at))) });
  }

  leave(remark: string): void {
    this.over = true;
    this.#leaveOut(remark);
  }

  #leaveOut(remark: string): void {
    this.remarks.push(remark);
  }

  /** `joins`: its errors go with its output. */
  #command(node: CommandNode, joins = false): Simple {
    if (node.type !== "Command")
      throw new Wrong(
        `this is not a single command: ${KINDS[node.type] ?? "loops and the like"} are not supported here`,
        null,
      );
    if (node.redirects.some((one) => one.type !== "Redirect" || one.operator.startsWith("<"))) {
      throw new Wrong("the page has no local files to read", null);
    }
    const { streams, others } = streamsOf(node);
    if (others) this.#leaveOut("Redirections to files with > are left out: the output stays here.");
    return {
      assignments: assignmentsOf(node),
      words: wordsOf(node),
      streams: joins ? { ...streams, err: streams.out } : streams,
    };
  }
}

const KINDS: Readonly<Record<string, string>> = {
  For: "loops",
  While: "loops",
  If: "conditions",
  Subshell: "subshells",
  Function: "functions",
};

/** The redirections in their order. `others`: some lead to files. */
function streamsOf({ redirects }: Command): { streams: Streams; others: boolean } {
  const streams: { out: Target; err: Target } = { out: "out", err: "err" };
  let others = false;
  for (const redirect of redirects) {
    if (redirect.type !== "Redirect") continue;
    const { operator, descriptor, target } = redirect;
    const number = descriptor?.type === "FileDescriptor" ? descriptor.value : 1;
    const both = operator.startsWith("&") || (operator === ">&" && !/^\d+$/.test(target?.value ?? ""));
    const to = targetOf(operator, target?.value ?? "", streams);
    if (to === null || number > 2 || number < 1) others = true;
    else if (both) streams.out = streams.err = to;
    else streams[number === 2 ? "err" : "out"] = to;
  }
  return { streams, others };
}

/** Null for a file. */
function targetOf(operator: string, target: string, { out, err }: Streams): Target | null {
  if (target === "/dev/null") return "nothing";
  if (operator !== ">&") return null;
  return target === "1" ? out : target === "2" ? err : target === "-" ? "nothing" : null;
}

function assignmentsOf({ prefix }: Command): { name: string; value: Word }[] {
  return prefix.flatMap((one) => {
    if (one.type !== "Assignment") return [];
    if (one.value.type !== "Word") throw new Wrong("arrays are not supported here", one.text);
    return [{ name: one.name, value: one.value }];
  });
}

function wordsOf({ name, args }: Command): Word[] {
  const others = args.flatMap((one) => (one.type === "Word" ? [one] : one.value.type === "Word" ? [one.value] : []));
  return name === undefined ? others : [name, ...others];
}

function nameOf(node: CommandNode): string {
  return node.type === "Command" ? (node.name?.value ?? "") : "";
}

/** The commands within `$(…)`, in their order. `isRead` tells whether the word of a default value is evaluated. */
export function substitutions(
  word: Word,
  isRead: (operator: string, name: string) => boolean = () => true,
): { part: SyntaxNode; text: string }[] {
  const found: { part: SyntaxNode; text: string }[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "CommandExpansion") found.push({ part: node, text: innerOf(node.text) });
    else if (!isPassedOver(node, isRead)) forEachChild(node, visit);
  };
  visit(word);
  return found;
}

function isPassedOver(node: SyntaxNode, isRead: (operator: string, name: string) => boolean): boolean {
  if (node.type !== "ParameterExpansion" || node.operation?.type !== "Default") return false;
  return !isRead(node.operation.operator, node.parameter);
}

function innerOf(text: string): string {
  return text.startsWith("`") ? text.slice(1, -1).replace(/\\([`$\\])/g, "$1") : text.slice(2, -1);
}
