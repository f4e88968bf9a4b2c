// Every endpoint of the API in one table (surface §1): method, path, first version, handler, and the handler's file.

import { Note, NoteRouted, Routed as RoutedNote } from "../../../build/bindings/types";
import { buildImage } from "../build/build";
import { beginCalls, takeCall } from "../build/buildkit/door";
import { beginSession } from "../build/buildkit/session/sessions";
import { cancelBuild } from "../build/cancel";
import { pruneBuildCache } from "../build/prune";
import { Call } from "../call";
import { createContainer } from "../container/create/create";
import { waitContainer } from "../container/exit/wait";
import { readArchive, statPath } from "../container/files/archive";
import { containerChanges } from "../container/files/changes";
import { exportContainer } from "../container/files/export";
import { writeArchive } from "../container/files/extract";
import { attachContainer } from "../container/output/attach";
import { attachWebsocket } from "../container/output/attach-ws";
import { containerLogs } from "../container/output/logs";
import { resizeContainer } from "../container/output/resize";
import { pauseContainer, unpauseContainer } from "../container/pause/pause";
import { pruneContainers } from "../container/remove/prune";
import { removeContainer } from "../container/remove/remove";
import { restartContainer } from "../container/restart/restart";
import { inspectContainer } from "../container/shown/inspect";
import { listContainers } from "../container/shown/list";
import { startContainer } from "../container/start/start";
import { killContainer } from "../container/stop/kill";
import { stopContainer } from "../container/stop/stop";
import { renameContainer } from "../container/update/rename";
import { updateContainer } from "../container/update/update";
import { containerStats } from "../container/usage/stats";
import { topContainer } from "../container/usage/top";
import { followEvents } from "../event/follow";
import { createExec } from "../exec/create";
import { inspectExec } from "../exec/inspect";
import { resizeExec } from "../exec/resize";
import { startExec } from "../exec/start";
import { loadImages } from "../image/archive/load";
import { saveImage, saveImages } from "../image/archive/save";
import { commitContainer } from "../image/commit/commit";
import { createImage } from "../image/pull/pull";
import { pushImage } from "../image/push/push";
import { inspectDistribution } from "../image/remote/distribution";
import { searchImages } from "../image/remote/search";
import { deleteImage } from "../image/remove/delete";
import { pruneImages } from "../image/remove/prune";
import { imageHistory } from "../image/shown/history";
import { inspectImage } from "../image/shown/inspect";
import { listImages } from "../image/shown/list";
import { tagImage } from "../image/tag";
import { connectContainer } from "../network/endpoint/connect";
import { createNetwork } from "../network/create";
import { disconnectContainer } from "../network/endpoint/disconnect";
import { inspectNetwork } from "../network/inspect";
import { listNetworks } from "../network/list";
import { pruneNetworks } from "../network/prune";
import { removeNetwork } from "../network/remove";
import { enablePlugin, listPlugins, missingPlugin, setPlugin, upgradePlugin } from "../plugin/missing";
import { Reason } from "../reason";
import { notBuilt, Refusal, RefusalKind } from "../refusal";
import { initSwarm, joinSwarm } from "../swarm/enter";
import {
  askManager,
  inspectService,
  leaveSwarm,
  listObjects,
  listServices,
  makeObject,
  objectLogs,
  updateObject,
  updateSwarm,
  updateVolume,
} from "../swarm/outside";
import { authenticate } from "../system/auth";
import { diskUsage } from "../system/disk-usage";
import { systemInfo } from "../system/info";
import { ping } from "../system/ping";
import { systemVersion } from "../system/version";
import { createVolume } from "../volume/create";
import { inspectVolume, listVolumes } from "../volume/inspect";
import { pruneVolumes } from "../volume/prune";
import { removeVolume } from "../volume/remove";
import { versionText } from "./versions";

export class Route {
  /** The parts of the path before and after the `*`; a route with `exact` has none. */
  readonly before: string;
  readonly after: string;
  readonly exact: bool;

  constructor(
    readonly method: string,
    readonly path: string,
    /** Minor number of the first API version that has it, among the versions served. */
    readonly since: i32,
    readonly handler: (call: Call) => Refusal | null,
    /** File of the handler, in the core's source folder. */
    readonly source: string,
    /** Whether parameters that cannot be decoded are refused; otherwise they are ignored. */
    readonly readsForm: bool = true,
  ) {
    const star = path.indexOf("*");
    this.exact = star < 0;
    this.before = star < 0 ? path : path.slice(0, star);
    this.after = star < 0 ? "" : path.slice(star + 1);
  }
}

/** A request found its route. */
export class Routed extends Reason {
  constructor(
    private readonly request: u64,
    private readonly route: Route,
    private readonly version: i32,
  ) {
    super();
  }

  note(): Note {
    const route = this.route;
    const words = `${route.method} ${route.path.replaceAll("*", "{name}")}`;
    return new NoteRouted(new RoutedNote(this.request, words, versionText(this.version), route.source));
  }
}

/** For handlers for which Docker does not parse a form. */
const NO_FORM = false;

// `*` stands for a name, which may contain slashes. The first row that fits is used, so fixed words come before `*`.
// prettier-ignore
const ROUTES: Route[] = [
  new Route("GET",    "/_ping",                     24, ping,              "system/ping.ts", NO_FORM),
  new Route("HEAD",   "/_ping",                     24, ping,              "system/ping.ts", NO_FORM),
  new Route("GET",    "/version",                   24, systemVersion,     "system/version.ts", NO_FORM),
  new Route("GET",    "/info",                      24, systemInfo,        "system/info.ts", NO_FORM),
  new Route("POST",   "/auth",                      24, authenticate,      "system/auth.ts", NO_FORM),
  new Route("GET",    "/events",                    24, followEvents,      "event/follow.ts"),
  new Route("GET",    "/system/df",                 25, diskUsage,         "system/disk-usage.ts"),

  new Route("GET",    "/containers/json",           24, listContainers,    "container/shown/list.ts"),
  new Route("POST",   "/containers/create",         24, createContainer,   "container/create/create.ts"),
  new Route("POST",   "/containers/prune",          25, pruneContainers,   "container/remove/prune.ts"),
  new Route("GET",    "/containers/*/json",         24, inspectContainer,  "container/shown/inspect.ts", NO_FORM),
  new Route("GET",    "/containers/*/top",          24, topContainer,      "container/usage/top.ts"),
  new Route("GET",    "/containers/*/logs",         24, containerLogs,     "container/output/logs.ts"),
  new Route("GET",    "/containers/*/changes",      24, containerChanges,  "container/files/changes.ts", NO_FORM),
  new Route("GET",    "/containers/*/export",       24, exportContainer,   "container/files/export.ts", NO_FORM),
  new Route("GET",    "/containers/*/stats",        24, containerStats,    "container/usage/stats.ts"),
  new Route("POST",   "/containers/*/resize",       24, resizeContainer,   "container/output/resize.ts"),
  new Route("POST",   "/containers/*/start",        24, startContainer,    "container/start/start.ts"),
  new Route("POST",   "/containers/*/stop",         24, stopContainer,     "container/stop/stop.ts"),
  new Route("POST",   "/containers/*/restart",      24, restartContainer,  "container/restart/restart.ts"),
  new Route("POST",   "/containers/*/kill",         24, killContainer,     "container/stop/kill.ts"),
  new Route("POST",   "/containers/*/update",       24, updateContainer,   "container/update/update.ts"),
  new Route("POST",   "/containers/*/rename",       24, renameContainer,   "container/update/rename.ts"),
  new Route("POST",   "/containers/*/pause",        24, pauseContainer,    "container/pause/pause.ts"),
  new Route("POST",   "/containers/*/unpause",      24, unpauseContainer,  "container/pause/pause.ts"),
  new Route("POST",   "/containers/*/attach",       24, attachContainer,   "container/output/attach.ts"),
  new Route("GET",    "/containers/*/attach/ws",    24, attachWebsocket,   "container/output/attach-ws.ts"),
  new Route("POST",   "/containers/*/wait",         24, waitContainer,     "container/exit/wait.ts"),
  new Route("HEAD",   "/containers/*/archive",      24, statPath,          "container/files/archive.ts"),
  new Route("GET",    "/containers/*/archive",      24, readArchive,       "container/files/archive.ts"),
  new Route("PUT",    "/containers/*/archive",      24, writeArchive,      "container/files/extract.ts"),
  new Route("POST",   "/containers/*/exec",         24, createExec,        "exec/create.ts"),
  new Route("GET",    "/containers/*/checkpoints",  24, experimental,      "api/routes.ts"),
  new Route("POST",   "/containers/*/checkpoints",  24, experimental,      "api/routes.ts"),
  new Route("DELETE", "/containers/*/checkpoints/*", 24, experimental,      "api/routes.ts"),
  new Route("DELETE", "/containers/*",              24, removeContainer,   "container/remove/remove.ts"),

  new Route("POST",   "/exec/*/start",              24, startExec,         "exec/start.ts"),
  new Route("POST",   "/exec/*/resize",             24, resizeExec,        "exec/resize.ts"),
  new Route("GET",    "/exec/*/json",               24, inspectExec,       "exec/inspect.ts", NO_FORM),

  new Route("GET",    "/images/json",               24, listImages,        "image/shown/list.ts"),
  new Route("POST",   "/images/create",             24, createImage,       "image/pull/pull.ts"),
  new Route("GET",    "/images/search",             24, searchImages,      "image/remote/search.ts"),
  new Route("POST",   "/images/prune",              25, pruneImages,       "image/remove/prune.ts"),
  // skopeo up to release 1.13 calls these two with version 1.22, whatever the engine announces.
  new Route("GET",    "/images/get",                22, saveImages,        "image/archive/save.ts"),
  new Route("POST",   "/images/load",               22, loadImages,        "image/archive/load.ts"),
  new Route("GET",    "/images/*/json",             24, inspectImage,      "image/shown/inspect.ts"),
  new Route("GET",    "/images/*/history",          24, imageHistory,      "image/shown/history.ts"),
  new Route("GET",    "/images/*/attestations",     55, later,             "api/routes.ts"),
  new Route("GET",    "/images/*/get",              24, saveImage,         "image/archive/save.ts"),
  new Route("POST",   "/images/*/push",             24, pushImage,         "image/push/push.ts"),
  new Route("POST",   "/images/*/tag",              24, tagImage,          "image/tag.ts"),
  new Route("DELETE", "/images/*",                  24, deleteImage,       "image/remove/delete.ts"),
  new Route("POST",   "/commit",                    24, commitContainer,   "image/commit/commit.ts"),
  new Route("GET",    "/distribution/*/json",       30, inspectDistribution, "image/remote/distribution.ts"),

  new Route("POST",   "/build",                     24, buildImage,        "build/build.ts"),
  new Route("POST",   "/build/prune",               31, pruneBuildCache,   "build/prune.ts"),
  new Route("POST",   "/build/cancel",              24, cancelBuild,       "build/cancel.ts"),
  new Route("POST",   "/session",                   31, beginSession,      "build/buildkit/session/sessions.ts", NO_FORM),
  new Route("POST",   "/grpc",                      24, beginCalls,        "build/buildkit/door.ts", NO_FORM),
  new Route("POST",   "/grpc/*",                    24, takeCall,          "build/buildkit/door.ts", NO_FORM),

  new Route("GET",    "/networks",                  24, listNetworks,      "network/list.ts"),
  new Route("GET",    "/networks/",                 24, listNetworks,      "network/list.ts"),
  new Route("POST",   "/networks/create",           24, createNetwork,     "network/create.ts"),
  new Route("POST",   "/networks/prune",            25, pruneNetworks,     "network/prune.ts"),
  new Route("POST",   "/networks/*/connect",        24, connectContainer,  "network/endpoint/connect.ts"),
  new Route("POST",   "/networks/*/disconnect",     24, disconnectContainer, "network/endpoint/disconnect.ts"),
  new Route("GET",    "/networks/*",                24, inspectNetwork,    "network/inspect.ts"),
  new Route("DELETE", "/networks/*",                24, removeNetwork,     "network/remove.ts"),

  new Route("GET",    "/volumes",                   24, listVolumes,       "volume/inspect.ts"),
  new Route("POST",   "/volumes/create",            24, createVolume,      "volume/create.ts"),
  new Route("POST",   "/volumes/prune",             25, pruneVolumes,      "volume/prune.ts"),
  new Route("GET",    "/volumes/*",                 24, inspectVolume,     "volume/inspect.ts"),
  new Route("PUT",    "/volumes/*",                 42, updateVolume,      "swarm/outside.ts"),
  new Route("DELETE", "/volumes/*",                 24, removeVolume,      "volume/remove.ts"),

  new Route("GET",    "/plugins",                   25, listPlugins,       "plugin/missing.ts"),
  new Route("GET",    "/plugins/privileges",        25, later,             "api/routes.ts"),
  new Route("POST",   "/plugins/pull",              25, later,             "api/routes.ts"),
  new Route("POST",   "/plugins/create",            25, later,             "api/routes.ts"),
  new Route("GET",    "/plugins/*/json",            25, missingPlugin,     "plugin/missing.ts"),
  new Route("POST",   "/plugins/*/enable",          25, enablePlugin,      "plugin/missing.ts"),
  new Route("POST",   "/plugins/*/disable",         25, missingPlugin,     "plugin/missing.ts"),
  new Route("POST",   "/plugins/*/upgrade",         26, upgradePlugin,     "plugin/missing.ts"),
  new Route("POST",   "/plugins/*/push",            25, missingPlugin,     "plugin/missing.ts"),
  new Route("POST",   "/plugins/*/set",             25, setPlugin,         "plugin/missing.ts"),
  new Route("DELETE", "/plugins/*",                 25, missingPlugin,     "plugin/missing.ts"),

  new Route("GET",    "/swarm",                     24, askManager,        "swarm/outside.ts"),
  new Route("POST",   "/swarm/init",                24, initSwarm,         "swarm/enter.ts"),
  new Route("POST",   "/swarm/join",                24, joinSwarm,         "swarm/enter.ts"),
  new Route("POST",   "/swarm/leave",               24, leaveSwarm,        "swarm/outside.ts"),
  new Route("POST",   "/swarm/update",              24, updateSwarm,       "swarm/outside.ts"),
  new Route("GET",    "/swarm/unlockkey",           25, askManager,        "swarm/outside.ts"),
  new Route("POST",   "/swarm/unlock",              25, makeObject,        "swarm/outside.ts"),
  new Route("GET",    "/nodes",                     24, listObjects,       "swarm/outside.ts"),
  new Route("GET",    "/nodes/*",                   24, askManager,        "swarm/outside.ts"),
  new Route("DELETE", "/nodes/*",                   24, askManager,        "swarm/outside.ts"),
  new Route("POST",   "/nodes/*/update",            24, updateObject,      "swarm/outside.ts"),
  new Route("GET",    "/services",                  24, listServices,      "swarm/outside.ts"),
  new Route("POST",   "/services/create",           24, makeObject,        "swarm/outside.ts"),
  new Route("GET",    "/services/*/logs",           25, objectLogs,        "swarm/outside.ts"),
  new Route("GET",    "/services/*",                24, inspectService,    "swarm/outside.ts"),
  new Route("DELETE", "/services/*",                24, askManager,        "swarm/outside.ts"),
  new Route("POST",   "/services/*/update",         24, updateObject,      "swarm/outside.ts"),
  new Route("GET",    "/tasks",                     24, listObjects,       "swarm/outside.ts"),
  new Route("GET",    "/tasks/*/logs",              29, objectLogs,        "swarm/outside.ts"),
  new Route("GET",    "/tasks/*",                   24, askManager,        "swarm/outside.ts"),
  new Route("GET",    "/secrets",                   25, listObjects,       "swarm/outside.ts"),
  new Route("POST",   "/secrets/create",            25, makeObject,        "swarm/outside.ts"),
  new Route("GET",    "/secrets/*",                 25, askManager,        "swarm/outside.ts"),
  new Route("DELETE", "/secrets/*",                 25, askManager,        "swarm/outside.ts"),
  new Route("POST",   "/secrets/*/update",          25, updateObject,      "swarm/outside.ts"),
  new Route("GET",    "/configs",                   30, listObjects,       "swarm/outside.ts"),
  new Route("POST",   "/configs/create",            30, makeObject,        "swarm/outside.ts"),
  new Route("GET",    "/configs/*",                 30, askManager,        "swarm/outside.ts"),
  new Route("DELETE", "/configs/*",                 30, askManager,        "swarm/outside.ts"),
  new Route("POST",   "/configs/*/update",          30, updateObject,      "swarm/outside.ts"),
];

/** The first row that fits; puts what its `*` stands for into the call. */
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

/** A second `*` matches anything. */
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
