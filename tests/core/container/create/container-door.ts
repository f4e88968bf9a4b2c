// The core's parsing and filling of a create body, compiled for the tests in this folder.

import { openDoor } from "../../support/door.js";

export type Json = Record<string, unknown>;

export interface Created {
  config: Json;
  hostConfig: Json;
  endpoints: Json;
}

export const door = await openDoor("container-door");

/** The result for a body: a {@link Created}, or the refusal. `version`: the API's, 1.x. */
export const create = (body: unknown, version = 55) => door.call("create", body, version);
export const created = (body: unknown, version = 55) => create(body, version) as Created;
