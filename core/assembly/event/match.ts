// Whether an event passes a client's filters (surface §2.11): all keys must match, and any value of a key is enough.

import { Filters } from "../api/filters";
import { Entry } from "./entry";

const OBJECTS: string[] = ["container", "network", "volume", "plugin", "daemon", "service", "node", "secret", "config"];
/** Actions that are followed by details, as in `exec_create: sh`. */
const OPEN_NAMES: string[] = ["health_status", "exec_create", "exec_start"];

export function eventMatches(event: Entry, filters: Filters): bool {
  if (filters.keys.length == 0) return true;
  if (!filters.exact("type", event.type) || !filters.exact("scope", "local")) return false;
  if (!actionMatches(event, filters) || !imageMatches(event, filters)) return false;
  if (!labelsMatch(event, filters.values("label"))) return false;
  for (let i = 0; i < OBJECTS.length; i++) if (!objectMatches(event, filters, OBJECTS[i])) return false;
  return true;
}

/** Each `name` or `name=value` must be among the attributes. */
function labelsMatch(event: Entry, wanted: string[]): bool {
  for (let i = 0; i < wanted.length; i++) {
    const equals = wanted[i].indexOf("=");
    const at = event.find(equals < 0 ? wanted[i] : wanted[i].substring(0, equals));
    if (at < 0 || (equals >= 0 && !event.isText(at, wanted[i].substring(equals + 1)))) return false;
  }
  return true;
}

function actionMatches(event: Entry, filters: Filters): bool {
  const wanted = filters.values("event");
  if (wanted.length == 0) return true;
  let open = false;
  for (let i = 0; i < wanted.length; i++) if (OPEN_NAMES.includes(wanted[i])) open = true;
  for (let i = 0; i < wanted.length; i++) {
    if (event.action == wanted[i] || (open && event.action.startsWith(wanted[i]))) return true;
  }
  return false;
}

/** Matches the id or name exactly, or a prefix of either. */
function objectMatches(event: Entry, filters: Filters, type: string): bool {
  const wanted = filters.values(type);
  if (wanted.length == 0) return true;
  if (event.type != type) return false;
  const name = event.attribute("name");
  for (let i = 0; i < wanted.length; i++) {
    if (event.id.startsWith(wanted[i]) || name.startsWith(wanted[i])) return true;
  }
  return false;
}

/** Matches images by id or name, with or without the tag, and containers by their image. */
function imageMatches(event: Entry, filters: Filters): bool {
  const wanted = filters.values("image");
  if (wanted.length == 0) return true;
  if (event.type != "image" && event.type != "container") return false;
  const name = event.attribute(event.type == "image" ? "name" : "image");
  for (let i = 0; i < wanted.length; i++) {
    const value = wanted[i];
    if (value == name || value == withoutTag(name)) return true;
    if (event.type == "image" && (value == event.id || value == withoutTag(event.id))) return true;
  }
  return false;
}

function withoutTag(reference: string): string {
  const colon = reference.lastIndexOf(":");
  return colon > reference.lastIndexOf("/") ? reference.slice(0, colon) : reference;
}
