// The verbs that attach to containers.

import { type Sent, type Verb, type Visible, about, ask, named } from "./verb.js";

export const ATTACH_VERBS: Readonly<Record<string, Verb>> = {
  attach: { ...about("POST", "attach", (how) => ATTACHED[how ?? "out"] ?? ""), goesOn: true },
  "attach-ws": { send: attachWebsocket, goesOn: true, isAboutOne: true },
};

const ATTACHED: Readonly<Record<string, string>> = {
  out: "stream=1&stdout=1&stderr=1",
  all: "stream=1&stdin=1&stdout=1&stderr=1&logs=1",
  in: "stream=1&stdin=1",
};

/** Sixteen bytes in base64, as RFC 6455 requires. */
const NONCE = "c2l4dGVlbiBieXRlcyBvaw==";

/** `old`: in an API version that has only text frames. */
function attachWebsocket([ref = "", how = "out", old = ""]: string[], visible: Visible): Sent {
  const asked = ask("GET", `/containers/${named(ref, visible)}/attach/ws`, ATTACHED[how]);
  const target = old === "old" ? asked.target.replace("/v1.55", "/v1.27") : asked.target;
  const headers = {
    ...{ Upgrade: "websocket", Connection: "Upgrade" },
    ...{ "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": NONCE },
  };
  return { ...asked, target, headers };
}
