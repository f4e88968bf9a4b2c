// The core's reading and filling of a create's body, compiled for the tests beside this file.

import { openDoor } from "../door.js";

export type Json = Record<string, unknown>;

export interface Created {
  config: Json;
  hostConfig: Json;
  endpoints: Json;
}

export const door = await openDoor("container-door");

/** What a body comes out as: a {@link Created}, or what refuses it. `version`: the API's, 1.x. */
export const create = (body: unknown, version = 55) => door.call("create", body, version);
export const created = (body: unknown, version = 55) => create(body, version) as Created;
