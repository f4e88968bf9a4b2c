// Containers that share another container's network: `NetworkMode`
// `container:NAME`, stored with the id once it is known.

import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { jsonBytes } from "../../json/writer";
import { conflict, internal } from "../../refusal";
import { Container } from "../container";
import { otherIn } from "../spec/namespaces";
import { OTHER_CODE, StartError } from "../start/start-error";
import { containerStore } from "../store";

const PREFIX = "container:";

/**
 * Replaces the name in a mode by the id, since the other container
 * may be renamed. An unknown name stays, and the start refuses it.
 */
export function resolveMode(hostConfig: Json, field: string): void {
  const reference = otherIn(hostConfig.stringOf(field));
  if (reference.length == 0) return;
  const other = containerStore.lookUp(reference).container;
  if (other !== null) hostConfig.set(field, Json.string(PREFIX + other.id));
}

/**
 * The container that owns the network: the last one in a chain of such modes, or the container itself if it joins none.
 */
export function networkOwner(container: Container): Container {
  let owner = container;
  // Each started container refers to the next by id, and the next one was running before it, so there is no cycle.
  for (let reference = otherIn(owner.networkMode); reference.length > 0; reference = otherIn(owner.networkMode)) {
    const next = containerStore.find(reference);
    if (next === null) break;
    owner = next;
  }
  return owner;
}

/** Why the container cannot join the network; null if it can. `ended`: as in `refuseJoin`. */
export function joinProblem(container: Container, ended: string = ""): StartError | null {
  const reference = otherIn(container.networkMode);
  const lookup = containerStore.lookUp(reference);
  const other = lookup.container;
  if (other === null) return new StartError(lookup.refusal!.message, OTHER_CODE, lookup.refusal!);
  if (other === container) {
    const text = "cannot join own network";
    return new StartError(text, OTHER_CODE, internal(text));
  }
  if (other.running && other.id != ended) return null;
  const text = `cannot join network of a non running container: ${reference}`;
  return new StartError(text, OTHER_CODE, conflict(text));
}

/** The container takes the hostname and domain of the network's owner, and shares its files. */
export function takeNames(container: Container): void {
  const other = containerStore.lookUp(otherIn(container.networkMode)).container;
  if (other === null) return; // It was removed while something was cleared away; the host does not find it either.
  container.networkMode = PREFIX + other.id;
  container.filesOf = other.filesOf.length > 0 ? other.filesOf : other.id;
  const config = parseKept(container.config)!;
  const names = parseKept(other.config)!;
  config.set("Hostname", Json.string(names.stringOf("Hostname")));
  config.set("Domainname", Json.string(names.stringOf("Domainname")));
  container.config = jsonBytes(config);
  container.touch();
}
