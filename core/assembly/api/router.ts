// Leads from a request to its handler: target, version, route.
// It is also the one place where a refusal becomes an answer.

import { BodyTag, Request } from "../../../build/bindings/types";
import { beginNativeCalls, isNative } from "../build/buildkit/door";
import { Call } from "../call";
import { acting, Asker, Origin } from "../origin";
import { reasons } from "../reason";
import { badParameter, notFound, Refusal, RefusalKind, statusOf } from "../refusal";
import { ErrorForm, headersOf, refused, sendEmpty, sendRefusal, sendWhole } from "../reply";
import { engine } from "../state";
import { decodePath, Target, visibleAscii } from "../text/url";
import { parametersOf } from "./form";
import { newestVersionAt } from "./newest-version";
import { findRoute, Route, Routed } from "./routes";
import { eraseSecretHeaders, eraseSecretParameters, forgetSecretParameters } from "./secrets";
import { MIN_VERSION, RequestedVersion, requestedVersion, tooNewEndpoint } from "./versions";

const NO_PAGE: string = "page not found";

export function dispatch(request: Request): void {
  answer(request);
  // Handlers have read the secret headers by now, and the request may be kept until it is answered.
  eraseSecretHeaders(request.headers);
  eraseSecretParameters(request.target);
}

function answer(request: Request): void {
  const call = new Call(request);
  call.newest = newestVersionAt(engine.options, request.listener);
  const target = new Target(request.target);
  if (request.method == "OPTIONS") return sendEmpty(call, 200);
  if (isNative(request)) return beginNativeCalls(call);
  if (target.path.indexOf("//") >= 0) return redirect(call, target);
  call.again = routeAgain;
  const path = target.path;
  const rest = versionEnd(path);
  const decoded = decodePath(rest > 0 ? path.slice(rest) : path);
  if (decoded !== null) call.path = decoded;
  // An unknown path gets the same answer in every version, even in one that is not served.
  const version = rest > 0 ? requestedVersion(path.slice(2, rest), call.newest) : new RequestedVersion(call.newest);
  call.version = version.minor;
  const found: Route | null = decoded === null ? null : findRoute(call);
  if (decoded !== null && found === null) return refuseUnrouted(call, notFound(NO_PAGE), "");
  if (version.refusal.length > 0 && !isServedLonger(found, call.version)) {
    return refuseUnrouted(call, badParameter(version.refusal), `${headersOf(call).unchecked}\n`);
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
  // A queued request is resumed in a step with another origin.
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

/** End of the prefix `/v1.41`; 0 if there is none. */
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

/** Whether the route is also served in a version that is too old for the others. */
function isServedLonger(route: Route | null, version: i32): bool {
  return route !== null && version < MIN_VERSION && route.since <= version;
}

/** The answer without a route lacks the common headers, too. `headers`: lines before those of the body. */
function refuseUnrouted(call: Call, refusal: Refusal, headers: string): void {
  refused(call, refusal);
  const form = new ErrorForm(call);
  sendWhole(call, statusOf(refusal.kind), headers + form.headers, form.body(refusal.message));
}

/** Go's mux cleans the path and redirects to it. */
function redirect(call: Call, target: Target): void {
  let path = target.path;
  while (path.indexOf("//") >= 0) path = path.replaceAll("//", "/");
  const query = target.query.length > 0 ? `?${target.query}` : "";
  sendWhole(call, 301, `Location: ${visibleAscii(path + query)}`, new Uint8Array(0));
}
