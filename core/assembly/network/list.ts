// GET /networks (surface §2.5, §2.24).

import { FilterFlag, Filters, parseFilters } from "../api/filters";
import { Call } from "../call";
import { JsonWriter } from "../json/writer";
import { badParameter, internal, Refusal } from "../refusal";
import { sendWritten } from "../reply";
import { networksInUse } from "./endpoint/containers-on-network";
import { Network } from "./network";
import { writeNetworkJson } from "./shown";
import { networkStore } from "./store";

/** From this version on, the list has no `Containers`. */
const WITHOUT_CONTAINERS = 28;
const KEYS: string[] = ["driver", "name", "id", "label", "scope", "type", "dangling"];
const TYPES: string[] = ["builtin", "custom"];

export function listNetworks(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), KEYS);
  if (filters.error.length > 0) return badParameter(filters.error);
  const problem = refuseValues(filters);
  if (problem !== null) return problem;
  const all = networkStore.all();
  const used = networksInUse();
  const json = new JsonWriter();
  json.beginArray();
  for (let i = 0; i < all.length; i++) {
    if (all[i].removing || !matches(all[i], filters, used.has(all[i].id))) continue;
    writeNetworkJson(json, all[i], call.version, call.version < WITHOUT_CONTAINERS, false);
  }
  json.endArray();
  sendWritten(call, json);
  return null;
}

function refuseValues(filters: Filters): Refusal | null {
  if (filters.flag("dangling") == FilterFlag.Bad) return badParameter(filters.flagError("dangling"));
  const types = filters.values("type");
  for (let i = 0; i < types.length; i++) {
    if (!TYPES.includes(types[i])) return internal(`invalid filter: 'type'='${types[i]}'`);
  }
  return null;
}

/** Built-in networks are never dangling. `used`: whether the network has containers. */
function matches(network: Network, filters: Filters, used: bool): bool {
  const dangling = filters.flag("dangling");
  const isDangling = !network.isBuiltIn && !used;
  return (
    filters.exact("driver", network.driver) &&
    filters.regex("name", network.name) &&
    filters.regex("id", network.id) &&
    filters.exact("scope", "local") &&
    filters.exact("type", network.isBuiltIn ? "builtin" : "custom") &&
    filters.labels("label", network.labelKeys, network.labelValues) &&
    (dangling == FilterFlag.Absent || (dangling == FilterFlag.True) == isDangling)
  );
}
