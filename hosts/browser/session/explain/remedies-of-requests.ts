// Remedies for invalid or early requests.

import { parse } from "jsonc-parser";
import type { ParseError } from "jsonc-parser";
import type { Remedy } from "./explain.js";
import { withQuery, withoutQuery, words } from "./remedy.js";
import type { Asked } from "./remedy.js";
import { atVersion, written } from "../request.js";
import { NEWEST_VERSION } from "../versions.js";

const NEWEST = `1.${NEWEST_VERSION}`;

export function malformedJson({ request }: Asked): Remedy[] {
  return [words(jsonFault(request.body))];
}

export function jsonType({ request }: Asked): Remedy[] {
  const others = request.headers.filter(([name]) => name.toLowerCase() !== "content-type");
  const headers = [...others, ["Content-Type", "application/json"] as const];
  return [{ label: "Declare the body as JSON", requests: [{ ...request, headers }] }];
}

export function emptyBody({ request }: Asked): Remedy[] {
  const body = { Image: "busybox", Cmd: ["echo", "hello"] };
  return [{ label: "Add a command to run", requests: [written(request.method, request.target, body)] }];
}

export function whichStream({ request }: Asked): Remedy[] {
  const target = withQuery(withQuery(request.target, "stdout", "1"), "stderr", "1");
  return [{ label: "Ask for both streams", requests: [{ ...request, target }] }];
}

export function noSuchFilter({ request }: Asked): Remedy[] {
  return [
    { label: "Ask without filters", requests: [{ ...request, target: withoutQuery(request.target, "filters") }] },
  ];
}

export function badName({ request }: Asked): Remedy[] {
  const target = withoutQuery(request.target, "name");
  return [
    { label: "Let the engine choose a name", requests: [{ ...request, target }] },
    words("A name begins with a letter or digit, followed by at least one letter, digit, _ . or -"),
  ];
}

export function badReference(): Remedy[] {
  return [words("Write the image as NAME:TAG or REGISTRY/NAME:TAG, the name in lower case: busybox:latest")];
}

export function servedVersion({ request, refusal }: Asked): Remedy[] {
  const version = /(?:Minimum|Maximum) supported API version is ([\d.]*\d)/.exec(refusal.message)?.[1] ?? NEWEST;
  return [{ label: `Use version ${version}`, requests: [atVersion(request, version)] }];
}

export function atLeast({ request }: Asked, version: string): Remedy {
  return { label: `Use version ${version}`, requests: [atVersion(request, version)] };
}

/** There is nothing that a learner could do. */
export function notBuilt({ refusal }: Asked): Remedy[] {
  const [, field] = /^([\w.]+)(?: [\w-]+)? is not built yet$/.exec(refusal.message) ?? [];
  if (field !== undefined) return [words(`Leave out ${field}: this engine does not support it yet`)];
  return [words("The request is correct, but this engine does not support this part of the API yet")];
}

/** The position at which a body stops being JSON. */
export function jsonFault(body: string): string {
  const errors: ParseError[] = [];
  parse(body, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return "The JSON is well formed, but the value of a field has the wrong type";
  if (first.offset >= body.trimEnd().length) return "The body ends in the middle of the JSON";
  const before = body.slice(0, first.offset).split("\n");
  return `The JSON is invalid at line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
