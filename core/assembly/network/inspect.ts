// GET /networks/{id} (surface §2.24).

import { strictFlagOf } from "../api/parameters";
import { Call } from "../call";
import { JsonWriter } from "../json/writer";
import { badParameter, notFound, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { lookUpNetwork } from "./look-up";
import { writeNetworkJson } from "./shown";

/** From this version on, inspect shows how many addresses are in use. */
const WITH_STATUS = 52;

export function inspectNetwork(call: Call): Refusal | null {
  // Adds services and tasks, which only a swarm has.
  const verbose = strictFlagOf(call.query, "verbose");
  if (call.version >= 28 && verbose.error.length > 0) {
    return badParameter(`invalid value for verbose: ${call.query.first("verbose")}: ${verbose.error}`);
  }
  const lookup = lookUpNetwork(call.name);
  const network = lookup.network;
  if (lookup.matches > 1) return badParameter(ambiguous(call.name, lookup.matches));
  if (network === null) return lookup.refusal;
  const scope = call.version >= 31 ? call.query.first("scope") : "";
  if (scope.length > 0 && scope != "local") return notFound(`network ${call.name} not found`);
  const json = new JsonWriter();
  writeNetworkJson(json, network, call.version, true, call.version >= WITH_STATUS);
  sendJson(call, 200, line(json));
  return null;
}

/** Other requests say it in other words (surface §2.4). */
function ambiguous(reference: string, matches: i32): string {
  return `${matches.toString()} matches found based on ID prefix: network ${reference} is ambiguous`;
}
