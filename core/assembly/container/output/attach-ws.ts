// GET /containers/{id}/attach/ws (surface §2.6): attach over a WebSocket
// (RFC 6455). Each piece is one message, without stream frames.

import { Framing, Head } from "../../../../build/bindings/types";
import { headerOf } from "../../api/headers";
import { flagOf } from "../../api/parameters";
import { Call } from "../../call";
import { badParameter, notSupported, Refusal } from "../../refusal";
import { headersOf, messageBody, refused, sendWhole } from "../../reply";
import { decodeBase64 } from "../../text/base64";
import { begin, stdioOf, Streams, wantedAttachment } from "./attach";

/** The listener of requests without a connection, from a program that embeds the engine. */
const INTERNAL = "internal";
/** RFC 6455, 4.1. */
const VERSION = "13";
/** RFC 6455, 4.2.1. */
const NONCE_BYTES: i32 = 16;

export function attachWebsocket(call: Call): Refusal | null {
  const wanted = wantedAttachment(call);
  const container = wanted.container;
  if (container === null) return wanted.refusal;
  if (call.request.listener == INTERNAL) {
    return notSupported("there is no connection here that could become a websocket: attach without one");
  }
  if (!asksForWebsocket(call.request.headers)) return badParameter("not websocket protocol");
  if (textOf(call.request.headers, "Sec-WebSocket-Version") != VERSION) return refuseVersion(call);
  if (!hasNonce(call.request.headers)) return badParameter("mismatch challenge/response");
  const framing = call.version < 28 ? Framing.WebsocketText : Framing.WebsocketBinary;
  begin(call, container, stdioOf(call, container, headOf(call), streamsOf(call), framing, wanted.keys));
  return null;
}

/** Before 1.42 all three streams. */
function streamsOf(call: Call): Streams {
  if (call.version < 42) return new Streams(true, true, true);
  return new Streams(flagOf(call.query, "stdin"), flagOf(call.query, "stdout"), flagOf(call.query, "stderr"));
}

function headOf(call: Call): Head {
  const protocol = headerOf(call.request.headers, "Sec-WebSocket-Protocol");
  const upgrade = "Upgrade: websocket\nConnection: Upgrade";
  // A client that offers one protocol expects it in the answer.
  if (protocol === null || protocol.includes(",")) return new Head(101, upgrade);
  return new Head(101, `${upgrade}\nSec-WebSocket-Protocol: ${protocol}`);
}

function asksForWebsocket(headers: string): bool {
  const upgrade = textOf(headers, "Upgrade").toLowerCase();
  return upgrade == "websocket" && textOf(headers, "Connection").toLowerCase().includes("upgrade");
}

function hasNonce(headers: string): bool {
  const nonce = decodeBase64(textOf(headers, "Sec-WebSocket-Key"));
  return nonce !== null && nonce.length == NONCE_BYTES;
}

/** RFC 6455, 4.4: a client of another protocol version is told the supported one. */
function refuseVersion(call: Call): Refusal | null {
  const refusal = badParameter("missing or bad WebSocket Version");
  refused(call, refusal);
  const headers = `${headersOf(call).json}\nSec-WebSocket-Version: ${VERSION}`;
  sendWhole(call, 400, headers, messageBody(refusal.message));
  return null;
}

function textOf(headers: string, name: string): string {
  const value = headerOf(headers, name);
  return value === null ? "" : value;
}
