// A door that gives the same reply to every request. The host uses it for its own replies about dry runs, which the
// core does not know of.

import { ReplyRouter, RequestBodies, straight } from "../request/index.js";
import type { Door, Passage } from "../request/index.js";
import type { Stdio, replies } from "../shared/index.js";
import { Attachments } from "../streams/index.js";

export function answering(answer: replies.Whole): Passage {
  const replies = new ReplyRouter();
  const door: Door = {
    replies,
    bodies: new RequestBodies(),
    stdio: NO_STREAMS,
    attachments: new Attachments(NO_STREAMS),
    nextRequest: () => 1n,
    deliver: (input) => {
      if (input.tag === "request") replies.perform(input.val.id, { tag: "whole", val: answer });
    },
  };
  return straight(door);
}

function none(): never {
  throw new Error("there is no stream behind this answer");
}

const NO_STREAMS: Stdio = { log: none, stdin: none, exec: none, archive: none, export: none, saved: none };
