// GET and HEAD /_ping (surface §2.1).

import { Call } from "../call";
import { Refusal } from "../refusal";
import { headersOf, sendStateless } from "../reply";

const OK = Uint8Array.wrap(String.UTF8.encode("OK"));
const EMPTY = new Uint8Array(0);

// `Builder-Version` 2 says that BuildKit works: docker's CLI before 23.0 then builds by `POST /build` with `version=2`. Newer
// ones use buildx if they have it, whatever is said here.
const OWN =
  "\nBuilder-Version: 2\nSwarm: inactive\nCache-Control: no-cache, no-store, must-revalidate\nPragma: no-cache" +
  "\nContent-Type: text/plain; charset=utf-8";

export function ping(call: Call): Refusal | null {
  sendStateless(call, headersOf(call).all + OWN, call.request.method == "HEAD" ? EMPTY : OK);
  return null;
}
