// `docker update`: other limits for containers that are there.

import type { Arguments } from "../arguments.js";
import { container, each, post, withBody } from "../planned.js";
import { fill, placesOf, takesOf, type Body, type Field } from "./body.js";
import { UPDATABLE } from "./resources.js";

const FIELDS: readonly Field[] = UPDATABLE.map((field) => ({
  ...field,
  place: field.place.replace("HostConfig.", ""),
}));

export const UPDATE = each({
  about: "Change what containers may use",
  takes: takesOf(FIELDS, {}),
  fields: placesOf(FIELDS),
  plan: (name, args) => withBody(post(`${container(name)}/update`, `change ${name}`), bodyOf(args)),
});

/** What stands in `HostConfig` at a creation stands by itself here. */
function bodyOf(args: Arguments): Body {
  const body: Body = {};
  fill(body, FIELDS, args);
  return (body["HostConfig"] ?? {}) as Body;
}
