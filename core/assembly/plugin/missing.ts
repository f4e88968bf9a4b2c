// Endpoints of plugins. There are none, so requests for a plugin
// get Docker's answers for an unknown one (surface §2.27).

import { parseFilters } from "../api/filters";
import { readJsonBody } from "../api/json-body";
import { integerOf } from "../api/parameters";
import { Call } from "../call";
import { parseReference, referenceError } from "../image/reference";
import { badParameter, notFound, Refusal } from "../refusal";
import { sendJson, textBody } from "../reply";

const KEYS: string[] = ["capability", "enabled"];
/** Values of the filter `enabled`. */
const FLAGS: string[] = ["true", "false", "1", "0"];

export function listPlugins(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), KEYS);
  if (filters.error.length > 0) return badParameter(filters.error);
  const enabled = filters.values("enabled");
  for (let i = 0; i < enabled.length; i++) {
    if (!FLAGS.includes(enabled[i])) return badParameter(`invalid filter 'enabled=[${enabled.join(" ")}]'`);
  }
  sendJson(call, 200, textBody("[]\n"));
  return null;
}

export function missingPlugin(call: Call): Refusal | null {
  return missing(call.name);
}

/** The timeout in seconds is required. */
export function enablePlugin(call: Call): Refusal | null {
  const timeout = integerOf(call.query, "timeout");
  if (!timeout.given) return badParameter('strconv.Atoi: parsing "": invalid syntax');
  return timeout.error.length > 0 ? badParameter(timeout.error) : missing(call.name);
}

export function setPlugin(call: Call): Refusal | null {
  const body = readJsonBody(call.request);
  if (body.refusal !== null) return body.refusal;
  return body.json === null ? badParameter("invalid JSON: got EOF while reading request body") : missing(call.name);
}

/** Upgrades to the plugin with another reference. */
export function upgradePlugin(call: Call): Refusal | null {
  if (parseReference(call.query.first("remote")) === null) return badParameter(referenceError());
  const name = parseReference(call.name);
  return name === null ? badParameter(referenceError()) : missing(name.withDefaultTag().familiar);
}

function missing(name: string): Refusal {
  return notFound(`plugin "${name}" not found`);
}
