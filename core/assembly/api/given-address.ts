// A request's parameter that is the address of a web server. It may contain credentials.

import { BodyTag, BodyWhole } from "../../../build/bindings/types";
import { Call } from "../call";
import { eraseParameter } from "./secrets";

/**
 * Overwrites the parameter in place once it has been read: in the target, in the parsed query, and in the body, which
 * may be a form. The request has no use for a body then.
 */
export function eraseAddress(call: Call, name: string): void {
  eraseParameter(call.request.target, call.query, name);
  const body = call.request.body;
  if (body.tag == BodyTag.Whole) (<BodyWhole>body).value.fill(0);
}
