// Other containers whose network a container is on: `NetworkMode` `container:NAME`, kept with the id once it is known.

import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { jsonBytes } from "../../json/writer";
import { conflict, internal } from "../../refusal";
import { Container } from "../container";
import { otherIn } from "../spec/namespaces";
import { OTHER_CODE, StartError } from "../start/start-error";
import { containerStore } from "../store";

const PREFIX = "container:";

/** A name in a mode becomes an id: the other one may be renamed. One that nobody has stays, and start says so. */
export function resolveMode(hostConfig: Json, field: string): void {
  const reference = otherIn(hostConfig.stringOf(field));
  if (reference.length == 0) return;
  const other = containerStore.lookUp(reference).container;
  if (other !== null) hostConfig.set(field, Json.string(PREFIX + other.id));
}

/** Whose network it is on: that of the last container of a row of them; its own if it joins none. */
export function networkOwner(container: Container): Container {
  let owner = container;
  // From its start on each refers to the next by id, and the next was running by then: they cannot form a ring.
  for (let reference = otherIn(owner.networkMode); reference.length > 0; reference = otherIn(owner.networkMode)) {
    const next = containerStore.find(reference);
    if (next === null) break;
    owner = next;
  }
  return owner;
}

/** Why it cannot join the network it refers to, or null. */
export function joinProblem(container: Container): StartError | null {
  const reference = otherIn(container.networkMode);
  const lookup = containerStore.lookUp(reference);
  const other = lookup.container;
  if (other === null) return new StartError(lookup.refusal!.message, OTHER_CODE, lookup.refusal!);
  if (other === container) {
    const text = "cannot join own network";
    return new StartError(text, OTHER_CODE, internal(text));
  }
  if (other.running) return null;
  const text = `cannot join network of a non running container: ${reference}`;
  return new StartError(text, OTHER_CODE, conflict(text));
}

/** It goes by the names of the one whose network it is on, and has the very files that say so. */
export function takeNames(container: Container): void {
  const other = containerStore.lookUp(otherIn(container.networkMode)).container;
  if (other === null) return; // It has gone while something was cleared away; the host finds nobody either.
  container.networkMode = PREFIX + other.id;
  container.filesOf = other.filesOf.length > 0 ? other.filesOf : other.id;
  const config = parseKept(container.config)!;
  const names = parseKept(other.config)!;
  config.set("Hostname", Json.string(names.stringOf("Hostname")));
  config.set("Domainname", Json.string(names.stringOf("Domainname")));
  container.config = jsonBytes(config);
  container.touch();
}
