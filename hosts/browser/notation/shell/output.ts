// The results that later commands use: a command's output and its exit code.

import type { Exchange } from "../../session/exchange.js";
import type { Frame } from "../../session/view/view.js";
import type { Understood } from "../notation.js";
import { jsonOf, type Outcome } from "../plan.js";

/** The streams of a command that another command reads. */
export type Taken = ReadonlySet<Frame["stream"]>;
export const STDOUT = "stdout";
export const STDERR = "stderr";
export const OUTPUT: Taken = new Set([STDOUT]);

/** The exit code as in `$?`: 0 for success. */
export function codeOf(command: Understood, { ok, sent }: Outcome): number {
  if (!ok) return command.refused ?? 1;
  return command.exits === true ? (sent.map(exitCodeOf).find((code) => code !== 0) ?? 0) : 0;
}

/** The exit code of the container or process, if a request asked for it. */
function exitCodeOf(exchange: Exchange): number {
  const answer = jsonOf(exchange) as { StatusCode?: number; ExitCode?: number } | null;
  if (/\/containers\/[^/]+\/wait(\?|$)/.test(exchange.request.target)) return answer?.StatusCode ?? 0;
  if (/\/exec\/[^/]+\/json$/.test(exchange.request.target)) return answer?.ExitCode ?? 0;
  return 0;
}

/** The text that the command shows itself or computes; otherwise the output it received, or the last answer's text. */
export function printedBy(command: Understood, { sent, answers }: Outcome, taken = OUTPUT): string {
  const told = command.text ?? command.prints?.(answers) ?? "";
  if (told !== "") return taken.has(STDOUT) ? told : "";
  const output = sent.map((exchange) => outputOf(exchange, taken)).filter((text) => text !== "");
  if (output.length > 0) return output.join("").replace(/\n$/, "");
  const view = command.prints === undefined && taken.has(STDOUT) ? sent.at(-1)?.view.value : undefined;
  return view?.kind === "json" || view?.kind === "text" ? view.text : "";
}

/** The engine's refusal, printed as a client does. */
export function refusalOf({ sent }: Outcome): string {
  const last = sent.at(-1);
  const { message = "" } = ((last && jsonOf(last)) ?? {}) as { message?: string };
  return message === "" ? "" : `Error response from daemon: ${message}`;
}

function outputOf(exchange: Exchange, taken: Taken): string {
  const view = exchange.view.value;
  const decoder = new TextDecoder();
  if (view.kind === "terminal" && taken.has(STDOUT)) return decoder.decode(view.bytes).replaceAll("\r\n", "\n");
  if (view.kind !== "frames") return "";
  return view.frames.map(({ stream, bytes }) => (taken.has(stream) ? decoder.decode(bytes) : "")).join("");
}
