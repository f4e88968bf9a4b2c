// A large create body is parsed in several steps, and other creates come in between: the order is decided at the end.

import { describe, expect, test } from "vitest";
import { EagerEngine } from "../../support/eager-engine.js";

const MEBIBYTE = 1024 * 1024;
/** More than is parsed in one step, in addition to the test's own fields. */
const LARGE = {
  Image: "busybox",
  Labels: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`label.${at}`, "x"])),
};
const CREATE = "/v1.55/containers/create";

/** Number of turns until the answer. */
function turnsUntil(engine: EagerEngine, request: bigint): number {
  let turns = 0;
  for (; engine.answer(request) === null; turns++) expect(engine.turn()).toBe(true);
  return turns;
}

describe("a large create", () => {
  test("lets other requests come in between, more than once", () => {
    const engine = new EagerEngine();
    const create = engine.begin("POST", `${CREATE}?name=big`, LARGE);
    let pings = 0;
    while (engine.answer(create) === null) {
      const ping = engine.begin("GET", "/v1.55/_ping");
      expect(engine.answer(ping)).toMatchObject({ status: 200 });
      pings += 1;
      expect(engine.turn()).toBe(true);
    }
    expect(pings).toBeGreaterThan(1);
    expect(engine.answer(create)).toMatchObject({ status: 201 });
    const { Config } = JSON.parse(engine.request("GET", "/v1.55/containers/big/json").body);
    expect(Config.Labels).toEqual(LARGE.Labels);
  });

  test("a small one is answered at once", () => {
    const engine = new EagerEngine();
    const create = engine.begin("POST", CREATE, { Image: "busybox" });
    expect(engine.answer(create)).toMatchObject({ status: 201 });
  });

  test("has no name before it is done: the first to finish gets it", () => {
    const engine = new EagerEngine();
    const large = engine.begin("POST", `${CREATE}?name=web`, LARGE);
    engine.turn();
    expect(engine.request("GET", "/v1.55/containers/web/json").status).toBe(404);
    expect(engine.answer(large)).toMatchObject({ status: 201 });

    const late = engine.begin("POST", `${CREATE}?name=other`, LARGE);
    const small = engine.begin("POST", `${CREATE}?name=other`, { Image: "busybox" });
    expect(engine.answer(small)).toMatchObject({ status: 201 });
    turnsUntil(engine, late);
    expect(engine.answer(late)).toMatchObject({ status: 409 });
  });

  test("uses the image that exists at its end", () => {
    const engine = new EagerEngine();
    const create = engine.begin("POST", CREATE, LARGE);
    expect(engine.answer(engine.begin("DELETE", "/v1.55/images/busybox"))).toMatchObject({ status: 200 });
    turnsUntil(engine, create);
    expect(engine.answer(create)).toMatchObject({ status: 404 });
  });

  test.each<[string, object, number, string]>([
    ["a field of the wrong type", { ...LARGE, Tty: 1 }, 400, "cannot unmarshal number into Go struct field"],
    ["a label that is not a text", { ...LARGE, Labels: { ...LARGE.Labels, z: 1 } }, 400, "into Go struct field"],
    ["no such image", { ...LARGE, Image: "no-such" }, 404, "No such image: no-such"],
    ["a relative directory", { ...LARGE, WorkingDir: "a" }, 400, "the working directory 'a' is invalid"],
  ])("is refused as a small one is: %s", (_name, body, status, says) => {
    const engine = new EagerEngine();
    const answer = engine.request("POST", CREATE, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(says);
  });
});

const list = <T>(length: number, of: (at: number) => T): T[] => Array.from({ length }, (_, at) => of(at));

/** Memory is not freed within a step, so the engine grows by what the step allocates. */
test.each<[string, number, object]>([
  ["150,000 labels", 40, { Labels: Object.fromEntries(list(150_000, (at) => [`label.${at}`, `v${at}`])) }],
  [
    "65,535 published ports",
    45,
    {
      HostConfig: {
        PortBindings: Object.fromEntries(list(65_535, (at) => [`${at + 1}/tcp`, [{ HostPort: `${at + 1}` }]])),
      },
    },
  ],
  ["65,535 exposed ports", 30, { ExposedPorts: Object.fromEntries(list(65_535, (at) => [`${at + 1}/tcp`, {}])) }],
])("no step of a create with %s takes more than %i MiB", (_name, most, config) => {
  const engine = new EagerEngine();
  expect(engine.request("POST", `${CREATE}?name=big`, { Image: "busybox", ...config }).status).toBe(201);
  expect(engine.request("DELETE", "/v1.55/containers/big").status).toBe(204);
  expect(engine.greediest).toBeLessThan(most * MEBIBYTE);
});
