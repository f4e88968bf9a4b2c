// `docker update`: new limits for existing containers.

import type { Arguments } from "../arguments.js";
import { container, each, post, withBody } from "../planned.js";
import { fill, placesOf, takesOf, type Body, type Field } from "./body.js";
import { UPDATABLE } from "./resources.js";

const FIELDS: readonly Field[] = UPDATABLE.map((field) => ({
  ...field,
  place: field.place.replace("HostConfig.", ""),
}));

export const UPDATE = each({
  about: "Change the resource limits of containers",
  takes: takesOf(FIELDS, {}),
  fields: placesOf(FIELDS),
  plan: (name, args) => withBody(post(`${container(name)}/update`, `change ${name}`), bodyOf(args)),
});

/** Fields that creation has in `HostConfig` are at the top level here. */
function bodyOf(args: Arguments): Body {
  const body: Body = {};
  fill(body, FIELDS, args);
  return (body["HostConfig"] ?? {}) as Body;
}
