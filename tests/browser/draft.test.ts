// Draft requests for the endpoints of the reference: none is refused when sent unchanged.

import { expect, test } from "vitest";
import { draft } from "../../hosts/browser/page/notebook/draft.js";
import { referenceOf } from "../../hosts/browser/reference/node-references.js";
import { createSession } from "../../hosts/browser/session/create.js";
import { packagedCore } from "../../hosts/browser/session/packaged-core.js";
import { written } from "../../hosts/browser/session/request.js";

const SECOND = 1_000_000_000n;
/** The endpoints of the engine, in an order in which each makes the next possible, and their statuses. */
const ENDPOINTS: readonly [key: string, status: number][] = [
  ["POST /images/create", 200],
  ["GET /images/json", 200],
  ["GET /images/{name}/json", 200],
  ["POST /images/{name}/tag", 201],
  ["POST /containers/create", 201],
  ["GET /containers/json", 200],
  ["GET /containers/{id}/json", 200],
  ["POST /containers/{id}/attach", 101],
  ["POST /containers/{id}/start", 204],
  ["POST /containers/{id}/wait", 200],
  ["GET /containers/{id}/logs", 200],
  ["POST /commit", 201],
  ["PUT /containers/{id}/archive", 200],
  ["POST /build", 200],
  ["POST /containers/{id}/stop", 304],
  ["DELETE /containers/{id}", 204],
  ["GET /networks", 200],
  ["GET /networks/{id}", 200],
  ["GET /volumes", 200],
  ["GET /version", 200],
  ["GET /info", 200],
  ["GET /events", 200],
  ["GET /_ping", 200],
];

test("choosing an endpoint drafts a request that succeeds", async () => {
  const reference = await referenceOf("1.41");
  const session = await createSession({ core: packagedCore(), pace: "stopped" });
  for (const [key, status] of ENDPOINTS) {
    const endpoint = reference.endpoints.find(({ method, path }) => `${method} ${path}` === key)!;
    const exchange = await session.send(session.add(draft(endpoint, "1.41", session.world.value)).id);
    await session.advance(5n * SECOND);
    expect([key, exchange.head.value?.status]).toEqual([key, status]);
  }
  await session.close();
});

test("without an existing object, the draft asks for a name", async () => {
  const reference = await referenceOf("1.41");
  const session = await createSession({ core: packagedCore(), pace: "stopped", images: [] });
  const start = reference.endpoints.find(({ path }) => path === "/containers/{id}/start")!;
  expect(draft(start, "1.24", session.world.value)).toEqual(written("POST", "/v1.24/containers/NAME/start"));
  await session.close();
});
