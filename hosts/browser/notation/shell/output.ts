// What a command leaves to those that come after it: what it has printed, and how it ended.

import type { Exchange } from "../../session/exchange.js";
import type { Parsed } from "../notation.js";
import { jsonOf, type Outcome } from "../plan.js";

type Command = Extract<Parsed, { ok: true }>;

/** Whether a shell would say that it went well. */
export function wentWell(command: Command, { ok, sent }: Outcome): boolean {
  return ok && (command.exits !== true || sent.every((exchange) => exitCodeOf(exchange) === 0));
}

/** Of what a container or a process ended with, where that was asked. */
function exitCodeOf(exchange: Exchange): number {
  const answer = jsonOf(exchange) as { StatusCode?: number; ExitCode?: number } | null;
  if (/\/containers\/[^/]+\/wait(\?|$)/.test(exchange.request.target)) return answer?.StatusCode ?? 0;
  if (/\/exec\/[^/]+\/json$/.test(exchange.request.target)) return answer?.ExitCode ?? 0;
  return 0;
}

/** What the command shows by itself or tells to print, or what came as output, or the last answer's text. */
export function printedBy(command: Command, { sent, answers }: Outcome): string {
  const told = command.text ?? command.prints?.(answers) ?? "";
  if (told !== "") return told;
  const output = sent.map(outputOf).filter((text) => text !== "");
  if (output.length > 0) return output.join("").replace(/\n$/, "");
  const view = command.prints === undefined ? sent.at(-1)?.view.value : undefined;
  return view?.kind === "json" || view?.kind === "text" ? view.text : "";
}

function outputOf(exchange: Exchange): string {
  const view = exchange.view.value;
  const decoder = new TextDecoder();
  if (view.kind === "terminal") return decoder.decode(view.bytes).replaceAll("\r\n", "\n");
  if (view.kind !== "frames") return "";
  return view.frames.map(({ stream, bytes }) => (stream === "stdout" ? decoder.decode(bytes) : "")).join("");
}
