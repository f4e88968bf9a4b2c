// GET and HEAD /_ping (surface §2.1).

import { Call } from "../call";
import { Refusal } from "../refusal";
import { headersOf, sendStateless } from "../reply";

const OK = Uint8Array.wrap(String.UTF8.encode("OK"));
const EMPTY = new Uint8Array(0);

// Clients take `Builder-Version` 1 to mean that there is no BuildKit.
const OWN =
  "\nBuilder-Version: 1\nSwarm: inactive\nCache-Control: no-cache, no-store, must-revalidate\nPragma: no-cache" +
  "\nContent-Type: text/plain; charset=utf-8";

export function ping(call: Call): Refusal | null {
  sendStateless(call, headersOf(call).all + OWN, call.request.method == "HEAD" ? EMPTY : OK);
  return null;
}
