// Every endpoint of the API in one table (surface §1): method, path, first version, handler.

import { attachContainer } from "../container/attach";
import { createContainer } from "../container/create";
import { inspectContainer } from "../container/inspect";
import { killContainer } from "../container/kill";
import { listContainers } from "../container/list";
import { containerLogs } from "../container/logs";
import { removeContainer } from "../container/remove";
import { resizeContainer } from "../container/resize";
import { startContainer } from "../container/start";
import { stopContainer } from "../container/stop";
import { waitContainer } from "../container/wait";
import { Call } from "../call";
import { followEvents } from "../event/follow";
import { commitContainer } from "../image/commit";
import { deleteImage } from "../image/delete";
import { inspectImage } from "../image/inspect";
import { listImages } from "../image/list";
import { loadImages } from "../image/load";
import { createImage } from "../image/pull";
import { tagImage } from "../image/tag";
import { inspectNetwork, listNetworks } from "../network/inspect";
import { notBuilt, notFound, Refusal, RefusalKind } from "../refusal";
import { sendJson, textBody } from "../reply";
import { authenticate } from "../system/auth";
import { systemInfo } from "../system/info";
import { ping } from "../system/ping";
import { systemVersion } from "../system/version";
import { inspectVolume, listVolumes } from "../volume/inspect";

export class Route {
  /** What comes before and after the `*` of the path; `exact` has none. */
  readonly before: string;
  readonly after: string;
  readonly exact: bool;

  constructor(
    readonly method: string,
    path: string,
    /** Minor number of the first version that has it. */
    readonly since: i32,
    readonly handler: (call: Call) => Refusal | null,
  ) {
    const star = path.indexOf("*");
    this.exact = star < 0;
    this.before = star < 0 ? path : path.slice(0, star);
    this.after = star < 0 ? "" : path.slice(star + 1);
  }
}

// `*` stands for a name, slashes included. Fixed words stand before it: the first row that fits is taken.
// prettier-ignore
const ROUTES: Route[] = [
  new Route("GET",    "/_ping",                     24, ping),
  new Route("HEAD",   "/_ping",                     24, ping),
  new Route("GET",    "/version",                   24, systemVersion),
  new Route("GET",    "/info",                      24, systemInfo),
  new Route("POST",   "/auth",                      24, authenticate),
  new Route("GET",    "/events",                    24, followEvents),
  new Route("GET",    "/system/df",                 25, later),

  new Route("GET",    "/containers/json",           24, listContainers),
  new Route("POST",   "/containers/create",         24, createContainer),
  new Route("POST",   "/containers/prune",          25, later),
  new Route("GET",    "/containers/*/json",         24, inspectContainer),
  new Route("GET",    "/containers/*/top",          24, later),
  new Route("GET",    "/containers/*/logs",         24, containerLogs),
  new Route("GET",    "/containers/*/changes",      24, later),
  new Route("GET",    "/containers/*/export",       24, later),
  new Route("GET",    "/containers/*/stats",        24, later),
  new Route("POST",   "/containers/*/resize",       24, resizeContainer),
  new Route("POST",   "/containers/*/start",        24, startContainer),
  new Route("POST",   "/containers/*/stop",         24, stopContainer),
  new Route("POST",   "/containers/*/restart",      24, later),
  new Route("POST",   "/containers/*/kill",         24, killContainer),
  new Route("POST",   "/containers/*/update",       24, later),
  new Route("POST",   "/containers/*/rename",       24, later),
  new Route("POST",   "/containers/*/pause",        24, later),
  new Route("POST",   "/containers/*/unpause",      24, later),
  new Route("POST",   "/containers/*/attach",       24, attachContainer),
  new Route("GET",    "/containers/*/attach/ws",    24, later),
  new Route("POST",   "/containers/*/wait",         24, waitContainer),
  new Route("HEAD",   "/containers/*/archive",      24, later),
  new Route("GET",    "/containers/*/archive",      24, later),
  new Route("PUT",    "/containers/*/archive",      24, later),
  new Route("POST",   "/containers/*/exec",         24, later),
  new Route("GET",    "/containers/*/checkpoints",  24, experimental),
  new Route("POST",   "/containers/*/checkpoints",  24, experimental),
  new Route("DELETE", "/containers/*/checkpoints/*", 24, experimental),
  new Route("DELETE", "/containers/*",              24, removeContainer),

  new Route("POST",   "/exec/*/start",              24, later),
  new Route("POST",   "/exec/*/resize",             24, later),
  new Route("GET",    "/exec/*/json",               24, later),

  new Route("GET",    "/images/json",               24, listImages),
  new Route("POST",   "/images/create",             24, createImage),
  new Route("GET",    "/images/search",             24, later),
  new Route("POST",   "/images/prune",              25, later),
  new Route("GET",    "/images/get",                24, later),
  new Route("POST",   "/images/load",               24, loadImages),
  new Route("GET",    "/images/*/json",             24, inspectImage),
  new Route("GET",    "/images/*/history",          24, later),
  new Route("GET",    "/images/*/attestations",     55, later),
  new Route("GET",    "/images/*/get",              24, later),
  new Route("POST",   "/images/*/push",             24, later),
  new Route("POST",   "/images/*/tag",              24, tagImage),
  new Route("DELETE", "/images/*",                  24, deleteImage),
  new Route("POST",   "/commit",                    24, commitContainer),
  new Route("GET",    "/distribution/*/json",       30, later),

  new Route("POST",   "/build",                     24, later),
  new Route("POST",   "/build/prune",               31, later),
  new Route("POST",   "/build/cancel",              24, later),
  new Route("POST",   "/session",                   31, later),
  new Route("POST",   "/grpc",                      24, later),

  new Route("GET",    "/networks",                  24, listNetworks),
  new Route("GET",    "/networks/",                 24, listNetworks),
  new Route("POST",   "/networks/create",           24, later),
  new Route("POST",   "/networks/prune",            25, later),
  new Route("POST",   "/networks/*/connect",        24, later),
  new Route("POST",   "/networks/*/disconnect",     24, later),
  new Route("GET",    "/networks/*",                24, inspectNetwork),
  new Route("DELETE", "/networks/*",                24, later),

  new Route("GET",    "/volumes",                   24, listVolumes),
  new Route("POST",   "/volumes/create",            24, later),
  new Route("POST",   "/volumes/prune",             25, later),
  new Route("GET",    "/volumes/*",                 24, inspectVolume),
  new Route("PUT",    "/volumes/*",                 42, later),
  new Route("DELETE", "/volumes/*",                 24, later),

  new Route("GET",    "/plugins",                   25, noPlugins),
  new Route("GET",    "/plugins/privileges",        25, later),
  new Route("POST",   "/plugins/pull",              25, later),
  new Route("POST",   "/plugins/create",            25, later),
  new Route("GET",    "/plugins/*/json",            25, noSuchPlugin),
  new Route("POST",   "/plugins/*/enable",          25, later),
  new Route("POST",   "/plugins/*/disable",         25, later),
  new Route("POST",   "/plugins/*/upgrade",         26, later),
  new Route("POST",   "/plugins/*/push",            25, later),
  new Route("POST",   "/plugins/*/set",             25, later),
  new Route("DELETE", "/plugins/*",                 25, later),

  new Route("GET",    "/swarm",                     24, later),
  new Route("POST",   "/swarm/init",                24, later),
  new Route("POST",   "/swarm/join",                24, later),
  new Route("POST",   "/swarm/leave",               24, later),
  new Route("POST",   "/swarm/update",              24, later),
  new Route("GET",    "/swarm/unlockkey",           25, later),
  new Route("POST",   "/swarm/unlock",              25, later),
  new Route("GET",    "/nodes",                     24, later),
  new Route("GET",    "/nodes/*",                   24, later),
  new Route("DELETE", "/nodes/*",                   24, later),
  new Route("POST",   "/nodes/*/update",            24, later),
  new Route("GET",    "/services",                  24, later),
  new Route("POST",   "/services/create",           24, later),
  new Route("GET",    "/services/*/logs",           25, later),
  new Route("GET",    "/services/*",                24, later),
  new Route("DELETE", "/services/*",                24, later),
  new Route("POST",   "/services/*/update",         24, later),
  new Route("GET",    "/tasks",                     24, later),
  new Route("GET",    "/tasks/*/logs",              29, later),
  new Route("GET",    "/tasks/*",                   24, later),
  new Route("GET",    "/secrets",                   25, later),
  new Route("POST",   "/secrets/create",            25, later),
  new Route("GET",    "/secrets/*",                 25, later),
  new Route("DELETE", "/secrets/*",                 25, later),
  new Route("POST",   "/secrets/*/update",          25, later),
  new Route("GET",    "/configs",                   30, later),
  new Route("POST",   "/configs/create",            30, later),
  new Route("GET",    "/configs/*",                 30, later),
  new Route("DELETE", "/configs/*",                 30, later),
  new Route("POST",   "/configs/*/update",          30, later),
];

/** The first row that fits; what its `*` stands for is put into the call. */
export function findRoute(call: Call): Route | null {
  const method = call.request.method;
  const path = call.path;
  for (let i = 0; i < ROUTES.length; i++) {
    const route = ROUTES[i];
    if (route.method != method) continue;
    if (route.exact) {
      if (route.before == path) return route;
      continue;
    }
    const length = path.length - route.before.length - route.after.length;
    if (length <= 0 || !path.startsWith(route.before)) continue;
    if (!fitsAfter(path, route)) continue;
    call.name = path.substr(route.before.length, length);
    return route;
  }
  return null;
}

/** A second `*` stands for anything. */
function fitsAfter(path: string, route: Route): bool {
  const star = route.after.indexOf("*");
  if (star < 0) return path.endsWith(route.after);
  return path.indexOf(route.after.slice(0, star), route.before.length) > 0;
}

function later(call: Call): Refusal | null {
  return notBuilt(`${call.request.method} ${call.path}`);
}

function experimental(_call: Call): Refusal | null {
  return new Refusal(
    RefusalKind.NotBuilt,
    "This experimental feature is disabled by default. Start the Docker daemon in experimental mode in order to enable it.",
  );
}

function noPlugins(call: Call): Refusal | null {
  sendJson(call, 200, textBody("[]\n"));
  return null;
}

function noSuchPlugin(call: Call): Refusal | null {
  return notFound(`plugin "${call.name}" not found`);
}
