// From a request to its handler: target, version, route; and the one place where a refusal becomes an answer.

import { BodyTag, Request } from "../../../build/bindings/types";
import { Call } from "../call";
import { acting, Asker, Origin } from "../origin";
import { reasons } from "../reason";
import { badParameter, notFound, Refusal, RefusalKind, statusOf } from "../refusal";
import { commonHeaders, ErrorForm, refused, sendEmpty, sendRefusal, sendWhole } from "../reply";
import { decodePath, Target, visibleAscii } from "../text/url";
import { parametersOf } from "./form";
import { findRoute, Route, Routed } from "./routes";
import { eraseSecretHeaders, eraseSecretParameters, forgetSecretParameters } from "./secrets";
import { MIN_VERSION, RequestedVersion, requestedVersion, tooNewEndpoint } from "./versions";

const NO_PAGE: string = "page not found";
/** That of a path without a version. */
const NEWEST: RequestedVersion = new RequestedVersion();

export function dispatch(request: Request): void {
  answer(request);
  // Whoever wanted them has read them: the request may be kept for as long as it is being answered.
  eraseSecretHeaders(request.headers);
  eraseSecretParameters(request.target);
}

function answer(request: Request): void {
  const call = new Call(request);
  const target = new Target(request.target);
  if (request.method == "OPTIONS") return sendEmpty(call, 200);
  if (target.path.indexOf("//") >= 0) return redirect(call, target);
  call.again = routeAgain;
  const path = target.path;
  const rest = versionEnd(path);
  const decoded = decodePath(rest > 0 ? path.slice(rest) : path);
  if (decoded !== null) call.path = decoded;
  // What is nowhere is so at every version, though it be one that is not served.
  const version = rest > 0 ? requestedVersion(path.slice(2, rest)) : NEWEST;
  call.version = version.minor;
  const found: Route | null = decoded === null ? null : findRoute(call);
  if (decoded !== null && found === null) return refuseUnrouted(call, notFound(NO_PAGE), "");
  if (version.refusal.length > 0 && !isServedLonger(found, call.version)) {
    return refuseUnrouted(call, badParameter(version.refusal), `${commonHeaders.unchecked}\n`);
  }
  if (found === null) return sendRefusal(call, badParameter("malformed path"));
  call.query = parametersOf(request, target.query);
  forgetSecretParameters(call.query);
  route(call, found);
}

function routeAgain(call: Call): void {
  route(call, findRoute(call)!);
}

function route(call: Call, route: Route): void {
  reasons.push(new Routed(call.id, route, call.version));
  // One that has waited is taken up in a step that was on others' behalf.
  const before = acting.origin;
  acting.origin = originOf(call);
  const refusal = accept(call, route);
  if (refusal !== null) sendRefusal(call, refusal);
  acting.origin = before;
}

function originOf(call: Call): Origin {
  const known = call.origin;
  if (known !== null) return known;
  const origin = new Origin(Asker.of(call.request, call.path), "");
  call.origin = origin;
  return origin;
}

function accept(call: Call, route: Route): Refusal | null {
  if (call.version < route.since) {
    return badParameter(tooNewEndpoint(call.request.method, call.path, route.since));
  }
  if (call.request.body.tag == BodyTag.Oversized) {
    return new Refusal(RefusalKind.TooLarge, "request body is too large");
  }
  if (route.readsForm && call.query.error.length > 0) return badParameter(call.query.error);
  return route.handler(call);
}

/** Where the prefix `/v1.41` ends; 0 when there is none. */
function versionEnd(path: string): i32 {
  if (!path.startsWith("/v") || path.length < 3) return 0;
  let end = 2;
  while (end < path.length) {
    const c = path.charCodeAt(end);
    if (c != 0x2e && (c < 0x30 || c > 0x39)) break;
    end += 1;
  }
  return end > 2 && end < path.length && path.charCodeAt(end) == 0x2f ? end : 0;
}

/** Whether a version that is too old for all others has this route. */
function isServedLonger(route: Route | null, version: i32): bool {
  return route !== null && version < MIN_VERSION && route.since <= version;
}

/** What has no route has no common headers either. `headers`: lines that stand before those of the body. */
function refuseUnrouted(call: Call, refusal: Refusal, headers: string): void {
  refused(call, refusal);
  const form = new ErrorForm(call);
  sendWhole(call, statusOf(refusal.kind), headers + form.headers, form.body(refusal.message));
}

/** Go's mux cleans a path and says where it went. */
function redirect(call: Call, target: Target): void {
  let path = target.path;
  while (path.indexOf("//") >= 0) path = path.replaceAll("//", "/");
  const query = target.query.length > 0 ? `?${target.query}` : "";
  sendWhole(call, 301, `Location: ${visibleAscii(path + query)}`, new Uint8Array(0));
}
