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
      [{ authority: "near.example:5000", security: ["plain"], way: WAY }, false],
      [{ authority: "registry-1.docker.io", security: SECURE }, true],
    ]);
  });

  test("hosts that know tags for a tag, and the server in place of the registry", () => {
    expect(asked(world, "/images/create?fromImage=r.example:5000/x&tag=1")).toEqual([
      [{ authority: "one.example", security: SECURE, way }, false],
      [{ authority: "itself.example", ...own }, true],
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
      [{ authority: "every.example", security: SECURE, way: WAY }, false],
      [{ authority: "other.example", security: SECURE }, true],
    ]);
  });
});

test.each([
  ["the first host that takes pushes, without credentials", [host("a", { pushes: false }), host("b")], "b", false],
  ["the server if none does", [host("a", { pushes: false })], "server.example", true],
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

function pathOf({ source }: { source: { tag: string; val: unknown } }): string | undefined {
  return (source.val as { from: { endpoint: types.Endpoint } }).from.endpoint.way?.path;
}
