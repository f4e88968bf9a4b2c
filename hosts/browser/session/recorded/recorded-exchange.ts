// A request of a recording, with its answer.

import { signal } from "@preact/signals-core";
import type { Reply, RequestId, engine } from "../../../shared/index.js";
import type { Step } from "../../../timeline/index.js";
import type { AnswerHead, Exchange, ExchangeState, Piece } from "../exchange.js";
import type { WrittenRequest } from "../request.js";
import { viewOf } from "../view/views.js";

/** Largest number of steps to show for a request: an hour of events may have a hundred thousand. */
const MOST_STEPS = 500;

export interface RecordedExchange extends Exchange {
  /** How many steps in the middle are left out, as seen from the selected step. */
  readonly leftOut: number;
}

/**
 * `steps`: those that the request caused, its own first. `at`: number of the selected step. Null if the recording
 * begins after the request.
 */
export function recordedExchange(number: number, steps: readonly Step[], at: number): RecordedExchange | null {
  const asked = steps[0];
  if (asked?.input?.tag !== "request") return null;
  const { id } = asked.input.val;
  const request = writtenRequest(asked.input.val);
  const answer = new Answer();
  const shown = around(steps, at, id);
  for (const { at, outputs } of shown) {
    for (const reply of outputs.replies) if (reply.request === id) answer.take(reply, at);
  }
  const { head, pieces, state } = answer;
  return {
    ...{ number, cell: "", request, at: asked.at },
    state: signal(state),
    problem: signal(""),
    head: signal(head),
    pieces: signal(pieces),
    view: signal(viewOf(request, head, pieces)),
    typable: signal(false),
    steps: signal(shown.map((step) => step.number)),
    leftOut: steps.length - shown.length,
  };
}

/** All steps. If there are very many: the steps up to the head of the answer, and the last steps up to `at`. */
function around(steps: readonly Step[], at: number, request: RequestId): readonly Step[] {
  if (steps.length <= MOST_STEPS) return steps;
  const head = steps.findIndex(({ outputs }) => outputs.replies.some((reply) => reply.request === request));
  const end = steps.findLastIndex((step) => step.number <= at) + 1;
  const first = Math.min(head + 1, MOST_STEPS);
  return [...steps.slice(0, first), ...steps.slice(Math.max(first, end - MOST_STEPS), Math.max(first, end))];
}

class Answer {
  head: AnswerHead | null = null;
  state: ExchangeState = "sending";
  readonly pieces: Piece[] = [];

  take({ command }: Reply, at: bigint): void {
    switch (command.tag) {
      case "whole":
      case "bare":
        this.#open(command.val.head, at, "done");
        if (command.val.body.length > 0) this.pieces.push({ at, bytes: command.val.body });
        return;
      case "open":
        return this.#open(command.val, at, "streaming");
      case "hijack":
      case "calls":
        return this.#open(command.val.head, at, "streaming");
      case "chunk":
        this.pieces.push({ at, bytes: command.val });
        return;
      case "splice":
      case "insert":
      case "beside":
      case "drain":
        return;
      case "end":
        this.state = "done";
    }
  }

  #open({ status, headers }: { status: number; headers: string }, at: bigint, state: ExchangeState): void {
    this.head = { status, headers: headerLines(headers), at };
    this.state = state;
  }
}

function writtenRequest({ method, target, headers, body }: engine.Request): WrittenRequest {
  const text = body.tag === "whole" ? new TextDecoder().decode(body.val) : "";
  return { method, target, headers: headerLines(headers), body: text };
}

function headerLines(text: string): [string, string][] {
  const lines = text.split("\n").filter((line) => line.includes(":"));
  return lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
}
