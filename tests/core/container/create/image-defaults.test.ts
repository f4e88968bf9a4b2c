// What the engine keeps of an image for the containers that follow each other.

import { describe, expect, test } from "vitest";
import { EagerEngine } from "../../support/eager-engine.js";
import type { Json } from "./container-door.js";

const VERSION = "/v1.55";

const IMAGE = {
  User: "user",
  Env: ["A=1", "B=2", "PATH=/bin"],
  Labels: { z: "1", a: "2" },
  ExposedPorts: { "80/tcp": {} },
  Volumes: { "/data": {} },
  Healthcheck: { Test: ["CMD", "x"], Retries: 3 },
  Entrypoint: ["entry"],
  Cmd: ["command"],
};

/** Makes an image. */
function commit(engine: EagerEngine, name: string, config: Json): void {
  expect(engine.request("POST", `${VERSION}/containers/create?name=of-${name}`, { Image: "busybox" }).status).toBe(201);
  expect(engine.request("POST", `${VERSION}/commit?container=of-${name}&repo=${name}`, config).status).toBe(201);
}

/** A new container's `Config` without what differs between any two. */
function create(engine: EagerEngine, name: string, wish: Json): Json {
  expect(engine.request("POST", `${VERSION}/containers/create?name=${name}`, wish).status).toBe(201);
  const { Config } = JSON.parse(engine.request("GET", `${VERSION}/containers/${name}/json`).body) as { Config: Json };
  return { ...Config, Hostname: "" };
}

describe("the defaults that an image gives to its containers", () => {
  test("are the same after a container that adds to each of them", () => {
    const engine = new EagerEngine();
    commit(engine, "image", IMAGE);
    const before = create(engine, "before", { Image: "image" });
    expect(before).toMatchObject(IMAGE);
    const more = create(engine, "more", {
      Image: "image",
      User: "other",
      Env: ["A=3", "C=4"],
      Labels: { a: "own", c: "3" },
      ExposedPorts: { "81/tcp": {} },
      Volumes: { "/more": {} },
      Healthcheck: { Retries: 5 },
      Cmd: ["own"],
    });
    expect(more).toMatchObject({ Env: ["A=3", "C=4", "B=2", "PATH=/bin"], Labels: { z: "1", a: "own", c: "3" } });
    expect(create(engine, "after", { Image: "image" })).toEqual(before);
  });

  test("are each image's own, by whatever name it is found", () => {
    const engine = new EagerEngine();
    commit(engine, "one", { Labels: { of: "one" }, Cmd: ["first"] });
    commit(engine, "two", { Labels: { of: "two" }, Cmd: ["second"] });
    for (const [at, name] of ["one", "two", "two", "one"].entries()) {
      const labels = { Labels: { of: name } };
      expect(create(engine, `container-${at}`, { Image: name })).toMatchObject(labels);
    }
    expect(engine.request("POST", `${VERSION}/images/two/tag?repo=one`).status).toBe(201);
    expect(create(engine, "retagged", { Image: "one" })).toMatchObject({ Labels: { of: "two" }, Cmd: ["second"] });
    expect(create(engine, "without", { Cmd: ["third"] })).toMatchObject({ Labels: {}, Cmd: ["third"] });
  });

  test("are forgotten with it", () => {
    const engine = new EagerEngine();
    commit(engine, "image", { Env: ["WORD=held-in-mind"], Cmd: ["x"] });
    create(engine, "container", { Image: "image" });
    expect(engine.request("DELETE", `${VERSION}/containers/container`).status).toBe(204);
    expect(engine.knows("held-in-mind")).toBe(true);
    expect(engine.request("DELETE", `${VERSION}/images/image`).status).toBe(200);
    expect(engine.knows("held-in-mind")).toBe(false);
  });
});
