// What rehearsals do: they make containers and networks of their own, and tell what is wrong.

import { Breach } from "../../breach.js";
import type { Answer, Scene } from "./scene.js";

export interface Rehearsal {
  scene: Scene;
  /** An image that the engine has. */
  image: string;
  /** Number of containers that it has created. */
  created: number;
}

/** A container that was created, and the status of the answer to its start. */
export interface Begun {
  id: string;
  name: string;
  status: number | null;
}

export function create(rehearsal: Rehearsal, body: object = {}): Begun {
  const { scene, image } = rehearsal;
  const name = `rehearsed-${++rehearsal.created}`;
  const host = { NetworkMode: "none", ...(body as { HostConfig?: object }).HostConfig };
  const { status, text } = scene.ask("POST", `/containers/create?name=${name}`, {
    ...{ Image: image, Cmd: ["job"], ...body, HostConfig: host },
  });
  if (status !== 201) broken(`a container cannot be created: ${status} ${text}`);
  return { id: (JSON.parse(text) as { Id: string }).Id, name, status: null };
}

export function begin(rehearsal: Rehearsal, body: object = {}): Begun {
  const created = create(rehearsal, body);
  const { status } = rehearsal.scene.ask("POST", `/containers/${created.id}/start`);
  return { ...created, status };
}

/** A container that must start. */
export function run(rehearsal: Rehearsal, body: object = {}): Begun {
  const begun = begin(rehearsal, body);
  if (begun.status !== 204) broken(`a start of ${JSON.stringify(body)} gets ${begun.status}`);
  return begun;
}

export function remove({ scene }: Rehearsal, { id }: Begun): void {
  expectStatus(scene.ask("DELETE", `/containers/${id}?force=1&v=1`), 204, "a removal");
}

export function makeNetwork({ scene }: Rehearsal, name: string, config: object = {}): Answer {
  return scene.ask("POST", "/networks/create", { Name: name, ...config });
}

/** Words of `State`. */
export function statusOf({ scene }: Rehearsal, { id }: Begun): string {
  return scene.json<{ State: { Status: string } }>(`/containers/${id}/json`).State.Status;
}

export function expectStatus({ status, text }: Answer, wanted: number | null, what: string): void {
  if (status !== wanted) broken(`${what} gets ${status}, not ${wanted}: ${text}`);
}

export function broken(message: string): never {
  throw new Breach("rehearsed", message);
}
