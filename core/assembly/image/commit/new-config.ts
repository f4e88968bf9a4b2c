// The `Config` of an image that is committed (surface §2.22).

import { Container } from "../../container/container";
import { CONFIG } from "../../container/create/config";
import { readDefaults } from "../../container/create/image-defaults";
import { mergeImageConfig } from "../../container/create/merge";
import { documentOf } from "../../container/spec/launch";
import { Json } from "../../json/json";
import { normalise, schemaError } from "../../json/schema";
import { badParameter, internal, Refusal } from "../../refusal";
import { applyChanges } from "./changes";

/** The new image's `Config`, or the reason for refusing it. */
export class NewConfig {
  constructor(
    readonly config: Json | null,
    readonly refusal: Refusal | null,
  ) {}
}

/** A body replaces the container's own config, which fills in missing fields; the changes are applied last. */
export function readNewConfig(container: Container, body: Json | null, changes: string[]): NewConfig {
  const own = documentOf(container.config);
  const given = body !== null && !body.isNull ? normalise(body, CONFIG) : own;
  if (given === null) return new NewConfig(null, badParameter(`invalid JSON: ${schemaError()}`));
  const config = body !== null && namesAny(body) ? given : own.copy();
  const error = applyChanges(config, changes);
  if (error.length > 0) return new NewConfig(null, badParameter(error));
  const merged = mergeImageConfig(config, readDefaults(own));
  if (merged.error.length > 0) return new NewConfig(null, internal(merged.error));
  return new NewConfig(merged.config, null);
}

/** To Go, a body without any field of the config has no config: `{}`, which docker-py sends, counts as no body. */
function namesAny(body: Json): bool {
  for (let i = 0; i < body.keys.length; i++) {
    if (CONFIG.place(body.keys[i]) >= 0) return true;
  }
  return false;
}
