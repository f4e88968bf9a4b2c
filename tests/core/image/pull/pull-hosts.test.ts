// Hosts that stand for registries, as somebody has set them, as seen by the core.

import { describe, expect, test } from "vitest";
import type { engine, types } from "../../../../hosts/shared/host.js";
import { answered } from "../../../support/registry/registry-failures.js";
import { SECURE } from "../../../support/registry/security.js";
import { ImageWorld, makeImage, resolved } from "../../support/image-world.js";
import { authOf } from "./pulls.js";

const WAY: types.RegistryWay = { path: "/v2", authorities: [], certificates: [] };
const image = makeImage(["hosted"]);

function host(authority: string, given: Partial<engine.RegistryHost> = {}): engine.RegistryHost {
  const all = { pulls: true, resolves: true, pushes: true };
  return { authority, security: "verified-tls", ...all, way: WAY, ...given };
}

/** The endpoints that a pull asks one after the other, and whether they get credentials. */
function asked(world: ImageWorld, target: string): [types.Endpoint, boolean][] {
  const id = world.ask("POST", target, undefined, { "X-Registry-Auth": authOf("dear") });
  const all: [types.Endpoint, boolean][] = [];
  while (!world.answer(id).over) {
    const { op, val } = world.take("resolve");
    all.push([val.endpoint, val.credentials !== undefined]);
    world.failAs(op, answered(404, "MANIFEST_UNKNOWN"));
  }
  return all;
}

describe("a pull asks", () => {
  const way = { path: "/deep/v2", authorities: ["/ca"], certificates: [{ certificate: "/c", key: "/k" }] };
  const registryHosts: engine.RegistryHosts[] = [
    { registry: "docker.io", hosts: [host("near.example:5000", { security: "plain" })] },
    {
      registry: "r.example:5000",
      hosts: [
        host("one.example", { way }),
        host("two.example", { resolves: false }),
        host("three.example", { pulls: false }),
      ],
      server: host("itself.example", { security: "any-certificate" }),
    },
    { registry: "_default", hosts: [host("every.example")] },
  ];
  const world = new ImageWorld({ registryMirrors: ["https://mirror.example"], registryHosts });
  const own = { security: ["any-certificate"], way: WAY };

  test("the Hub's mirrors, then the hosts of its settings, then the Hub", () => {
    expect(asked(world, "/images/create?fromImage=x&tag=1")).toEqual([
      [{ authority: "mirror.example", security: SECURE }, false],
      [{ authority: "near.example:5000", security: ["plain"], way: WAY, standsFor: "docker.io" }, false],
      [{ authority: "registry-1.docker.io", security: SECURE }, true],
    ]);
  });

  test("hosts that know tags for a tag, and the server in place of the registry", () => {
    expect(asked(world, "/images/create?fromImage=r.example:5000/x&tag=1")).toEqual([
      [{ authority: "one.example", security: SECURE, way, standsFor: "r.example:5000" }, false],
      // The user's password is for the registry that the user named.
      [{ authority: "itself.example", ...own, standsFor: "r.example:5000" }, false],
    ]);
  });

  test("all that pull for a digest", () => {
    const target = `/images/create?fromImage=r.example:5000/x&tag=${image.digest}`;
    expect(asked(world, target).map(([{ authority }]) => authority)).toEqual([
      "one.example",
      "two.example",
      "itself.example",
    ]);
  });

  test("the usual hosts for a registry without settings", () => {
    expect(asked(world, "/images/create?fromImage=other.example/x&tag=1")).toEqual([
      [{ authority: "every.example", security: SECURE, way: WAY, standsFor: "other.example" }, false],
      [{ authority: "other.example", security: SECURE }, true],
    ]);
  });
});

test("what a client passes on goes to the registry itself, and makes nobody known", () => {
  const world = new ImageWorld({ registryMirrors: ["https://mirror.example"] });
  const id = world.ask("POST", "/images/create?fromImage=x&tag=1", undefined, { "X-Meta-Run": "7" });
  const mirror = world.take("resolve");
  expect(mirror.val.credentials).toBeUndefined();
  world.failAs(mirror.op, answered(404, "MANIFEST_UNKNOWN"));
  const hub = world.take("resolve");
  expect(hub.val.credentials).toMatchObject({ username: "", meta: "X-Meta-Run: 7\n" });
  world.failAs(hub.op, answered(401, "UNAUTHORIZED"));
  expect(world.answer(id).status).toBe(404);
  world.call("POST", "/images/busybox/tag?repo=r.example/x&tag=1");
  world.ask("POST", "/images/r.example/x/push?tag=1", undefined, { "X-Registry-Auth": authOf(""), "X-Meta-Run": "8" });
  expect(world.take("find-blob").val.in.credentials).toMatchObject({ meta: "X-Meta-Run: 8\n" });
});

describe("the registry itself", () => {
  const ca = { ...WAY, authorities: ["/ca"] };
  const own = { authority: "r.example:5000", security: SECURE, way: ca };
  const named = host("r.example:5000", { way: ca });
  const worldOf = (hosts: engine.RegistryHost[], rest: Partial<engine.RegistryHosts> = {}): ImageWorld =>
    new ImageWorld({ registryHosts: [{ registry: "r.example:5000", hosts, ...rest }] });
  const login = { username: "me", password: "dear", serveraddress: "r.example:5000" };

  test("gets the credentials where settings name it as a host, and is asked once", () => {
    expect(asked(worldOf([named]), "/images/create?fromImage=r.example:5000/x&tag=1")).toEqual([[own, true]]);
  });

  test("is asked once, in the place that its settings give it", () => {
    const world = worldOf([named, host("near.example")]);
    const all = asked(world, "/images/create?fromImage=r.example:5000/x&tag=1");
    expect(all.map(([{ authority }, known]) => [authority, known])).toEqual([
      ["r.example:5000", true],
      ["near.example", false],
    ]);
  });

  test("is asked once, also if its settings tell above the hosts how it is reached, or name it as the server too", () => {
    for (const server of [host("", { way: ca }), named]) {
      const all = asked(worldOf([named], { server }), "/images/create?fromImage=r.example:5000/x&tag=1");
      expect(all).toEqual([[own, true]]);
    }
  });

  test("is asked, and then a server that is another place, or the registry in another way", () => {
    const elsewhere = host("server.example");
    for (const server of [elsewhere, { ...named, security: "plain" as const }]) {
      const all = asked(worldOf([named], { server }), "/images/create?fromImage=r.example:5000/x&tag=1");
      expect(all.map(([{ authority, security }]) => [authority, security])).toEqual([
        ["r.example:5000", SECURE],
        [server.authority, [server.security]],
      ]);
    }
  });

  test("is asked last if its settings let it do less than a server", () => {
    const world = worldOf([host("r.example:5000", { way: ca, resolves: false }), host("near.example")]);
    const all = asked(world, "/images/create?fromImage=r.example:5000/x&tag=1");
    expect(all.map(([{ authority }]) => authority)).toEqual(["near.example", "r.example:5000"]);
  });

  test.each(["docker.io", "registry-1.docker.io"])("is the Hub by the name %s", (authority) => {
    const world = new ImageWorld({ registryHosts: [{ registry: "docker.io", hosts: [], server: host(authority) }] });
    expect(asked(world, "/images/create?fromImage=x&tag=1")).toEqual([
      [{ authority: "registry-1.docker.io", security: SECURE, way: WAY }, true],
    ]);
  });

  test("is reached as its settings tell for a login, an inspection and a search", () => {
    const world = worldOf([host("near.example"), named]);
    world.ask("POST", "/auth", login);
    expect(world.take("login").val.endpoint).toEqual(own);
    world.ask("GET", "/distribution/r.example:5000/x:1/json", undefined, { "X-Registry-Auth": authOf("dear") });
    const { endpoint, credentials } = world.take("resolve").val;
    expect([endpoint, credentials !== undefined]).toEqual([own, true]);
    world.ask("GET", "/images/search?term=r.example:5000/x");
    expect(world.take("search").val.endpoint).toEqual(own);
  });

  test("is a server without a name, secured as usual for it", () => {
    const registryHosts = [{ registry: "_default", hosts: [], server: host("", { way: ca }) }];
    const world = new ImageWorld({ registryHosts, insecureRegistries: ["s.example"] });
    expect(asked(world, "/images/create?fromImage=r.example:5000/x&tag=1")).toEqual([[own, true]]);
    const both = { authority: "s.example", security: ["any-certificate", "plain"], way: ca };
    expect(asked(world, "/images/create?fromImage=s.example/x&tag=1")).toEqual([[both, true]]);
  });

  test("alone gets its users' passwords, and not the server of all registries", () => {
    const world = new ImageWorld({ registryHosts: [{ registry: "_default", hosts: [], server: host("all.example") }] });
    const all = { authority: "all.example", security: SECURE, way: WAY, standsFor: "r.example:5000" };
    expect(asked(world, "/images/create?fromImage=r.example:5000/x&tag=1")).toEqual([[all, false]]);
    world.ask("POST", "/auth", login);
    expect(world.take("login").val.endpoint).toEqual({ authority: "r.example:5000", security: SECURE });
    world.ask("GET", "/distribution/r.example:5000/x:1/json", undefined, { "X-Registry-Auth": authOf("dear") });
    const { endpoint, credentials } = world.take("resolve").val;
    expect([endpoint, credentials]).toEqual([all, undefined]);
  });

  test("is asked at once if its settings are empty, whatever is set for all others", () => {
    const registryHosts = [
      { registry: "r.example:5000", hosts: [] },
      { registry: "_default", hosts: [host("every.example")] },
    ];
    const target = "/images/create?fromImage=r.example:5000/x&tag=1";
    const itself = { authority: "r.example:5000", security: SECURE };
    expect(asked(new ImageWorld({ registryHosts }), target)).toEqual([[itself, true]]);
  });

  test("is asked for nothing that its server cannot do", () => {
    const server = host("server.example", { pulls: false, pushes: false });
    const world = worldOf([], { server });
    const pull = world.ask("POST", "/images/create?fromImage=r.example:5000/x&tag=1");
    expect([world.answer(pull).status, JSON.parse(world.answer(pull).text)]).toEqual([
      404,
      { message: "no pull hosts: not found" },
    ]);
    world.call("POST", "/images/busybox/tag?repo=r.example:5000/x&tag=1");
    const push = world.ask("POST", "/images/r.example:5000/x/push?tag=1", undefined, { "X-Registry-Auth": authOf("") });
    expect(world.answer(push).text).toContain("no push hosts: not found");
  });

  test("is not asked about tags if its server knows none, but about digests", () => {
    const world = worldOf([], { server: host("server.example", { resolves: false }) });
    const inspect = (name: string): bigint => world.ask("GET", `/distribution/r.example:5000/${name}/json`);
    const refused = world.answer(inspect("x:1"));
    expect([refused.status, JSON.parse(refused.text)]).toEqual([404, { message: "no resolve hosts: not found" }]);
    inspect(`x@${image.digest}`);
    expect(world.take("resolve").val.endpoint.authority).toBe("server.example");
  });
});

test.each([
  ["the first host that takes pushes, without credentials", [host("a", { pushes: false }), host("b")], "b", false],
  ["the registry if it is the first", [host("r.example"), host("b")], "r.example", true],
  ["the server if none does", [host("a", { pushes: false })], "server.example", false],
])("a push goes to %s", (_, hosts, authority, known) => {
  const registryHosts = [{ registry: "r.example", hosts, server: host("server.example") }];
  const world = new ImageWorld({ registryHosts });
  world.call("POST", "/images/busybox/tag?repo=r.example/x&tag=1");
  world.ask("POST", "/images/r.example/x/push?tag=1", undefined, { "X-Registry-Auth": authOf("dear") });
  const { val } = world.take("find-blob");
  expect([val.in.endpoint.authority, val.in.credentials !== undefined]).toEqual([authority, known]);
});

test("one host for two registries is asked in the path of each", () => {
  const registryHosts = ["a", "b"].map((name) => ({
    registry: `${name}.example`,
    hosts: [host("near.example", { way: { ...WAY, path: `/${name}` } })],
  }));
  const world = new ImageWorld({ registryHosts });
  for (const name of ["a", "b"]) {
    world.ask("POST", `/images/create?fromImage=${name}.example/x&tag=1`);
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
  }
  const first = world.take("layer");
  expect(pathOf(first.val)).toBe("/a");
  world.failAs(first.op, answered(404, "BLOB_UNKNOWN"));
  expect(pathOf(world.take("layer").val)).toBe("/b");
});

test("one host for two registries is told which of them is meant", () => {
  const registryHosts = [{ registry: "_default", hosts: [host("near.example")] }];
  const world = new ImageWorld({ registryHosts });
  for (const name of ["a", "b"]) {
    world.ask("POST", `/images/create?fromImage=${name}.example/x&tag=1`);
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
  }
  const first = world.take("layer");
  expect(endpointOf(first.val).standsFor).toBe("a.example");
  world.failAs(first.op, answered(404, "BLOB_UNKNOWN"));
  expect(endpointOf(world.take("layer").val).standsFor).toBe("b.example");
});

interface FromSource {
  source: { tag: string; val: unknown };
}

function pathOf(layer: FromSource): string | undefined {
  return endpointOf(layer).way?.path;
}

function endpointOf({ source }: FromSource): types.Endpoint {
  return (source.val as { from: { endpoint: types.Endpoint } }).from.endpoint;
}
