// Parameters of a request: its query, preceded by the fields of an urlencoded form (surface §2.2).

import { BodyTag, BodyWhole, Request } from "../../../build/bindings/types";
import { Query } from "../text/url";
import { headerOf, mediaTypeOf } from "./headers";

const FORM = "application/x-www-form-urlencoded";
/** Methods whose bodies Go's `ParseForm` reads. */
const WITH_FORM: string[] = ["POST", "PUT", "PATCH"];

/** `query`: as in the request's target. */
export function parametersOf(request: Request, query: string): Query {
  const parameters = new Query();
  if (hasForm(request)) parameters.addForm((<BodyWhole>request.body).value);
  parameters.add(query);
  return parameters;
}

function hasForm(request: Request): bool {
  if (request.body.tag != BodyTag.Whole || !WITH_FORM.includes(request.method)) return false;
  const type = headerOf(request.headers, "Content-Type");
  return type !== null && mediaTypeOf(type) == FORM;
}
