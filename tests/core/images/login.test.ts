// POST /auth, seen from the core.

import { beforeEach, describe, expect, test } from "vitest";
import { ImageWorld } from "../image-world.js";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

describe("login", () => {
  const login = { username: "me", password: "secret", serveraddress: "https://r.example:5000/v2/" };

  test("accepted, with or without a token", () => {
    const id = world.ask("POST", "/auth", login);
    const { op, val } = world.take("login");
    expect(val).toMatchObject({
      endpoint: { authority: "r.example:5000", insecure: false },
      credentials: { username: "me", password: "secret" },
    });
    world.succeed(op, { tag: "token", val: "" });
    expect(JSON.parse(world.answer(id).text)).toEqual({ Status: "Login Succeeded" });
    for (const [version, token, json] of [
      ["1.51", "", { IdentityToken: "", Status: "Login Succeeded" }],
      ["1.52", "t", { IdentityToken: "t", Status: "Login Succeeded" }],
    ] as const) {
      const other = world.ask("POST", `/v${version}/auth`, login);
      world.succeed(world.take("login").op, { tag: "token", val: token });
      expect(JSON.parse(world.answer(other).text)).toEqual(json);
    }
    expect([...world.records.values()].some((value) => new TextDecoder().decode(value).includes("secret"))).toBe(false);
  });

  test.each(["", "https://index.docker.io/v1/", "docker.io"])("the Hub is %j", (serveraddress) => {
    world.ask("POST", "/auth", { ...login, serveraddress });
    expect(world.take("login").val.endpoint.authority).toBe("registry-1.docker.io");
  });

  test.each([
    ["unauthorized", 401],
    ["denied", 403],
    ["unreachable", 500],
    ["registry", 500],
  ] as const)("%s is a %d", (kind, status) => {
    const id = world.ask("POST", "/auth", login);
    world.fail(world.take("login").op, kind, "told");
    expect([world.answer(id).status, JSON.parse(world.answer(id).text)]).toEqual([status, { message: "told" }]);
  });

  test.each([[{ username: 1 }], [{ ...login, serveraddress: "no host" }]])("%j is a 400", (body) => {
    expect(world.call("POST", "/auth", body).status).toBe(400);
  });
});
