// Endpoints of a swarm, its nodes, services, tasks, secrets and configs. This machine is never in a swarm, so they give
// Docker's answers outside of one (surface §2.27).

import { parseFilters } from "../api/filters";
import { readObject } from "../api/json-body";
import { flagOf, strictFlagOf, u64Of } from "../api/parameters";
import { Call } from "../call";
import { Table } from "../json/table";
import { badParameter, Refusal, unavailable } from "../refusal";

export const NO_MANAGER: string =
  'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and ' +
  "try again.";

const ROTATION: string = "rotateManagerUnlockKey";

/** For a single object, and for the swarm itself. */
export function askManager(_call: Call): Refusal | null {
  return unavailable(NO_MANAGER);
}

/** Only a manager knows which filters exist. */
export function listObjects(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), null);
  return filters.error.length > 0 ? badParameter(filters.error) : unavailable(NO_MANAGER);
}

export function listServices(call: Call): Refusal | null {
  return refuseFlag(call, "status") || listObjects(call);
}

export function inspectService(call: Call): Refusal | null {
  return refuseFlag(call, "insertDefaults") || unavailable(NO_MANAGER);
}

export function objectLogs(call: Call): Refusal | null {
  if (flagOf(call.query, "stdout") || flagOf(call.query, "stderr")) return unavailable(NO_MANAGER);
  return badParameter("Bad parameters: you must choose at least one stream");
}

/** For requests that create an object or unlock the swarm. */
export function makeObject(call: Call): Refusal | null {
  return refuseBody(call) || unavailable(NO_MANAGER);
}

/** An update must give the version that it replaces. */
export function updateObject(call: Call): Refusal | null {
  return refuseBody(call) || refuseVersion(call) || unavailable(NO_MANAGER);
}

export function updateSwarm(call: Call): Refusal | null {
  return refuseBody(call) || refuseVersion(call) || refuseRotation(call) || unavailable(NO_MANAGER);
}

export function leaveSwarm(_call: Call): Refusal | null {
  return unavailable("This node is not part of a swarm");
}

/** `PUT /volumes/{name}`: only volumes of a swarm can be updated. */
export function updateVolume(_call: Call): Refusal | null {
  return unavailable("volume update only valid for cluster volumes, but swarm is unavailable");
}

function refuseFlag(call: Call, name: string): Refusal | null {
  const flag = strictFlagOf(call.query, name);
  if (flag.error.length == 0) return null;
  return badParameter(`invalid value for ${name}: ${call.query.first(name)}: ${flag.error}`);
}

/** The parameters for tokens look like credentials, which are dropped unread (api/secrets.ts). */
function refuseRotation(call: Call): Refusal | null {
  if (strictFlagOf(call.query, ROTATION).error.length == 0) return null;
  return badParameter(`invalid value for ${ROTATION}: ${call.query.first(ROTATION)}`);
}

/** Only a manager would look into the body. */
function refuseBody(call: Call): Refusal | null {
  const name = nameOfBody(call);
  return readObject(call, new Table(name, [], `swarm.${name}`)).refusal;
}

/** The name of the body's type in Go's errors. */
function nameOfBody(call: Call): string {
  if (call.path == "/swarm/unlock") return "UnlockRequest";
  const kind = kindOf(call.path);
  return kind == "swarm" ? "Spec" : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Spec`;
}

/** For secrets and configs Docker does not give the reason. */
function refuseVersion(call: Call): Refusal | null {
  const version = u64Of(call.query, "version");
  if (version.error.length == 0) return null;
  const kind = kindOf(call.path);
  if (kind == "secret" || kind == "config") return badParameter(`invalid ${kind} version`);
  return badParameter(`invalid ${kind} version '${call.query.first("version")}': ${version.error}`);
}

/** The kind in `/nodes/{id}/update` is `node`. */
function kindOf(path: string): string {
  const kind = path.substring(1, path.indexOf("/", 1));
  return kind.endsWith("s") ? kind.substring(0, kind.length - 1) : kind;
}
