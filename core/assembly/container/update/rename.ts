// POST /containers/{id}/rename (surface §2.20).

import { Call } from "../../call";
import { containerEvent } from "../../event/emit";
import { eventRing } from "../../event/ring";
import { tellNamesAgain } from "../../network/names/tell-names";
import { badParameter, Refusal } from "../../refusal";
import { sendEmpty } from "../../reply";
import { renameLinks } from "../links/links";
import { containerNameProblem } from "../names";
import { containerStore } from "../store";

const PREFIX = "Error when allocating new name: ";

export function renameContainer(call: Call): Refusal | null {
  const wanted = call.query.first("name");
  if (wanted.length == 0) return badParameter("Neither old nor new names may be empty");
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  const name = wanted.startsWith("/") ? wanted.slice(1) : wanted;
  if (name == container.name) return badParameter("Renaming a container with the same name as its current name");
  const problem = containerNameProblem(`/${name}`);
  if (problem.length > 0) return badParameter(PREFIX + problem);
  const taken = containerStore.refuseName(name);
  if (taken !== null) return new Refusal(taken.kind, PREFIX + taken.message);
  if (container.creating) {
    container.queue.push(call);
    return null;
  }

  // The request is accepted from here on.
  const old = container.name;
  containerStore.rename(container, name);
  renameLinks(container);
  if (container.up) tellNamesAgain(container);
  eventRing.emit(containerEvent(container, "rename").with("oldName", `/${old}`));
  sendEmpty(call, 204);
  return null;
}
