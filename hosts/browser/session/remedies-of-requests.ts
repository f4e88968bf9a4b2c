// Remedies for requests that are not as they should be, or come too early.

import { parse } from "jsonc-parser";
import type { ParseError } from "jsonc-parser";
import type { Remedy } from "./explain.js";
import { withQuery, words } from "./remedy.js";
import type { Asked } from "./remedy.js";
import { atVersion, pathOf, written } from "./request.js";

export function malformedJson({ request }: Asked): Remedy[] {
  return [words(jsonFault(request.body))];
}

export function jsonType({ request }: Asked): Remedy[] {
  const others = request.headers.filter(([name]) => name.toLowerCase() !== "content-type");
  const headers = [...others, ["Content-Type", "application/json"] as const];
  return [{ label: "Say that the body is JSON", requests: [{ ...request, headers }] }];
}

export function emptyBody({ request }: Asked): Remedy[] {
  const body = { Image: "busybox", Cmd: ["echo", "hello"] };
  return [{ label: "Say what to run", requests: [written(request.method, request.target, body)] }];
}

export function whichStream({ request }: Asked): Remedy[] {
  const target = withQuery(withQuery(request.target, "stdout", "1"), "stderr", "1");
  return [{ label: "Ask for both streams", requests: [{ ...request, target }] }];
}

export function servedVersion({ request, refusal }: Asked): Remedy[] {
  const version = /(?:Minimum|Maximum) supported API version is ([\d.]*\d)/.exec(refusal.message)?.[1] ?? "1.51";
  return [{ label: `Speak version ${version}`, requests: [atVersion(request, version)] }];
}

export function atLeast({ request }: Asked, version: string): Remedy {
  return { label: `Speak version ${version}`, requests: [atVersion(request, version)] };
}

/** Parts of the API by the issue that builds them. */
export function notBuilt({ request }: Asked): Remedy[] {
  const path = pathOf(request);
  const isNext = /^\/(containers|exec|system)\//.test(path);
  return [
    words(
      isNext
        ? "This part of the API comes with issue 4 of the project, “Containers and exec, whole”"
        : "This part of the API comes with a later issue of the project",
    ),
  ];
}

/** Where a body stops being JSON. */
export function jsonFault(body: string): string {
  const errors: ParseError[] = [];
  parse(body, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return "The JSON is well formed, but a field has a value of another type than it should";
  if (first.offset >= body.trimEnd().length) return "The body ends before the JSON does";
  const before = body.slice(0, first.offset).split("\n");
  return `The JSON breaks off in line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
