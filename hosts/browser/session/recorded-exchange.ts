// A request of a recording, with the answer that it was given.

import { signal } from "@preact/signals-core";
import type { engine } from "../../host.js";
import type { Reply } from "../../outbox.js";
import type { Step } from "../../timeline/step.js";
import type { AnswerHead, Exchange, ExchangeState, Piece } from "./exchange.js";
import type { WrittenRequest } from "./request.js";
import { viewOf } from "./views.js";

/** `steps`: those that the request led to, its own first. Null if the recording begins behind that. */
export function recordedExchange(number: number, steps: readonly Step[]): Exchange | null {
  const asked = steps[0];
  if (asked?.input?.tag !== "request") return null;
  const request = writtenRequest(asked.input.val);
  const answer = new Answer();
  for (const { at, outputs } of steps) {
    for (const reply of outputs.replies) if (reply.request === asked.input.val.id) answer.take(reply, at);
  }
  const { head, pieces, state } = answer;
  return {
    ...{ number, cell: "", request, at: asked.at },
    state: signal(state),
    problem: signal(state === "broken" ? "the engine broke it off" : ""),
    head: signal(head),
    pieces: signal(pieces),
    view: signal(viewOf(request, head, pieces)),
    typable: signal(false),
    steps: signal(steps.map((step) => step.number)),
  };
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
        return this.#open(command.val.head, at, "streaming");
      case "chunk":
        this.pieces.push({ at, bytes: command.val });
        return;
      case "splice":
        return;
      case "end":
        this.state = "done";
        return;
      case "cut":
        this.state = "broken";
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
