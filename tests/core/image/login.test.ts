// POST /auth, as seen by the core.

import { beforeEach, describe, expect, test } from "vitest";
import { answered, REFUSED } from "../../support/registry/registry-failures.js";
import { ImageWorld } from "../support/image-world.js";
import { SECURE } from "../../support/registry/security.js";

const ATTEMPT = "login attempt to https://r.example/v2/ failed with status:";

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
      endpoint: { authority: "r.example:5000", security: SECURE },
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
    [answered(401, "UNAUTHORIZED"), 401, `${ATTEMPT} 401 Unauthorized`],
    [answered(403), 403, `${ATTEMPT} 403 Forbidden`],
    [answered(418), 500, `${ATTEMPT} 418`],
    [answered(401, "", "", { tokenServer: true, details: "wrong" }), 401, "unauthorized: wrong"],
    [REFUSED, 500, 'Get "https://r.example/v2/": dial tcp r.example:443: connect: connection refused'],
  ])("%j is a %d", (failure, status, message) => {
    const id = world.ask("POST", "/auth", login);
    world.failAs(world.take("login").op, failure);
    expect([world.answer(id).status, JSON.parse(world.answer(id).text)]).toEqual([status, { message }]);
  });

  test.each([[{ username: 1 }], [{ ...login, serveraddress: "no host" }]])("%j is a 400", (body) => {
    expect(world.call("POST", "/auth", body).status).toBe(400);
  });
});
