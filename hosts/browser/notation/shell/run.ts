// Several commands, run one after the other as a shell does it.

import type { SyntaxNode } from "unbash";
import type { Exchange } from "../../session/exchange.js";
import { parseWords } from "../commands.js";
import { Wrong } from "../docker/wrong.js";
import type { Parsed } from "../notation.js";
import { unsetRemark } from "../parse.js";
import { ended, jsonOf, runPlan, type Outcome, type Send } from "../plan.js";
import { fieldsOf, textOf, type Values } from "./expand.js";
import { readScript, substitutions, type Script, type Step } from "./script.js";

export interface Place {
  readonly version: string;
  readonly send: Send;
  /** Kept from line to line. */
  readonly variables: Map<string, string>;
  /** Shows what a command has to show by itself. */
  show(text: string): void;
  remark(text: string): void;
}

interface Result {
  readonly ok: boolean;
  readonly printed: string;
}

/** Whether the last command went well; throws what is wrong with one. */
export async function runScript(script: Script, place: Place): Promise<boolean> {
  script.remarks.forEach((remark) => place.remark(remark));
  return (await runSteps(script.steps, place, false)).ok;
}

/** `captured`: what is printed is for another command. */
async function runSteps(steps: readonly Step[], place: Place, captured: boolean): Promise<Result> {
  let last: Result = { ok: true, printed: "" };
  let printed = "";
  for (const [at, step] of steps.entries()) {
    if ((step.joint === "&&" && !last.ok) || (step.joint === "||" && last.ok)) continue;
    const next = steps[at + 1];
    const isRead = next?.joint === "|";
    const waits = captured || next !== undefined;
    last = await runStep(step, place, {
      waits,
      printsFor: captured || isRead,
      input: step.joint === "|" ? last.printed : null,
    });
    if (!isRead) printed += last.printed === "" ? "" : `${last.printed}\n`;
  }
  return { ok: last.ok, printed };
}

interface How {
  /** Something comes after it. */
  readonly waits: boolean;
  /** What it prints is read by another command. */
  readonly printsFor: boolean;
  /** What the one before has printed, for `xargs`. */
  readonly input: string | null;
}

async function runStep(step: Step, place: Place, how: How): Promise<Result> {
  const values = await valuesOf(step, place);
  for (const { name, value } of step.assignments) place.variables.set(name, textOf(value, values));
  let words = step.words.flatMap((word) => fieldsOf(word, values));
  if (words.length === 0) return { ok: true, printed: "" };
  if (how.input !== null) words = withInput(words.slice(1), how.input);
  const parsed = parseWords(words, place.version);
  if (!parsed.ok) throw new Wrong(parsed.message, parsed.at);
  parsed.remarks.forEach((remark) => place.remark(remark));
  if (parsed.text !== undefined && !how.printsFor) place.show(parsed.text);
  const outcome = await runPlan(parsed.requests, place.send);
  if (!how.waits) return { ok: outcome.ok, printed: "" };
  for (const exchange of outcome.sent) await ended(exchange);
  const ok = outcome.ok && exitCodeOf(outcome.sent) === 0;
  return { ok, printed: how.printsFor && outcome.ok ? printedBy(parsed, outcome) : "" };
}

/** `xargs docker rm`: the words that come in stand behind the others. */
function withInput(words: readonly string[], input: string): string[] {
  const flags = words.findIndex((word) => !/^-(r|t|0|-no-run-if-empty)$/.test(word));
  const kept = words.slice(Math.max(flags, 0));
  const [option] = kept;
  if (option?.startsWith("-")) throw new Wrong(`xargs knows no ${option} here`, option);
  return [...kept, ...input.split(/\s+/).filter((word) => word !== "")];
}

async function valuesOf(step: Step, place: Place): Promise<Values> {
  const printed = new Map<SyntaxNode, string>();
  for (const word of [...step.words, ...step.assignments.map(({ value }) => value)]) {
    for (const { part, text } of substitutions(word)) {
      const inner = readScript(text);
      inner.remarks.forEach((remark) => place.remark(remark));
      printed.set(part, (await runSteps(inner.steps, place, true)).printed);
    }
  }
  return {
    printed: (part) => printed.get(part) ?? "",
    variable: (name) => {
      const value = place.variables.get(name);
      if (value === undefined) place.remark(unsetRemark(name));
      return value ?? "";
    },
  };
}

/** Of what a container or a process ended with, where that was asked. */
function exitCodeOf(sent: readonly Exchange[]): number {
  const codes = sent.map((exchange) => {
    const answer = jsonOf(exchange) as { StatusCode?: number; ExitCode?: number } | null;
    if (/\/containers\/[^/]+\/wait(\?|$)/.test(exchange.request.target)) return answer?.StatusCode ?? 0;
    if (/\/exec\/[^/]+\/json$/.test(exchange.request.target)) return answer?.ExitCode ?? 0;
    return 0;
  });
  return codes.find((code) => code !== 0) ?? 0;
}

/** What the command tells to print, or what came as output, or the last answer's text. */
function printedBy(parsed: Extract<Parsed, { ok: true }>, { sent, answers }: Outcome): string {
  const told = parsed.prints?.(answers) ?? "";
  if (told !== "") return told;
  const output = sent.map(outputOf).filter((text) => text !== "");
  if (output.length > 0) return output.join("").replace(/\n$/, "");
  const view = parsed.prints === undefined ? sent.at(-1)?.view.value : undefined;
  return view?.kind === "json" || view?.kind === "text" ? view.text : "";
}

function outputOf(exchange: Exchange): string {
  const view = exchange.view.value;
  const decoder = new TextDecoder();
  if (view.kind === "terminal") return decoder.decode(view.bytes).replaceAll("\r\n", "\n");
  if (view.kind !== "frames") return "";
  return view.frames.map(({ stream, bytes }) => (stream === "stdout" ? decoder.decode(bytes) : "")).join("");
}
