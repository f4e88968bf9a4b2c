// What is told of seccomp profiles that make no sense.

import { Form } from "../../../build/bindings/types";
import { JsonKind } from "../json/json";
import { jsonError, parseJson } from "../json/reader";
import { encodeUtf8 } from "../text/utf8";

/** `text`: of a profile all of it, else a word of one. */
export function seccompText(what: Form, text: string): string {
  if (what == Form.SeccompProfile) return profileText(text);
  if (what == Form.SeccompAction) return `seccomp: unknown action ${text}`;
  return `seccomp: unknown ${what == Form.SeccompArchitecture ? "architecture" : "operator"} ${text}`;
}

export function isOfSeccomp(what: Form): bool {
  return (
    what == Form.SeccompProfile ||
    what == Form.SeccompAction ||
    what == Form.SeccompArchitecture ||
    what == Form.SeccompOperator
  );
}

function profileText(text: string): string {
  const profile = parseJson(encodeUtf8(text));
  if (profile === null) return `Decoding seccomp profile failed: ${jsonError()}`;
  const action = profile.kind == JsonKind.Object ? profile.find("defaultAction") : null;
  return action !== null && action.kind == JsonKind.String
    ? "both 'architectures' and 'archMap' are specified in the seccomp profile, use one of them"
    : "Decoding seccomp profile failed: no defaultAction";
}
