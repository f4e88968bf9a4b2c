// The names, registries and credentials of a pull's requests, as seen by the core.

import { describe, expect, test } from "vitest";
import { ImageWorld, makeImage, resolved } from "../../support/image-world.js";
import { authOf } from "./pulls.js";
import { answered } from "../../../support/registry/registry-failures.js";
import { INSECURE, SECURE } from "../../../support/registry/security.js";

describe("names", () => {
  test.each([
    ["fromImage=127.0.0.1:5000/a/b&tag=1", "127.0.0.1:5000", true, "a/b", "1"],
    ["fromImage=localhost/b&tag=1", "localhost", true, "b", "1"],
    ["fromImage=[::1]:5000/b&tag=1", "[::1]:5000", true, "b", "1"],
    ["fromImage=10.1.2.3:5000/b&tag=1", "10.1.2.3:5000", true, "b", "1"],
    ["fromImage=10.2.2.3:5000/b&tag=1", "10.2.2.3:5000", false, "b", "1"],
    ["fromImage=reg.example:80/b&tag=1", "reg.example:80", true, "b", "1"],
    ["fromImage=reg.example/b&tag=1", "reg.example", false, "b", "1"],
    ["fromImage=other.example:99/b&tag=1", "other.example:99", true, "b", "1"],
    ["fromImage=index.docker.io/b:&tag=1", "registry-1.docker.io", false, "library/b", "1"],
    ["fromImage=a/b:2", "registry-1.docker.io", false, "a/b", "2"],
  ])("%s", (query, authority, insecure, repository, reference) => {
    const world = new ImageWorld({ insecureRegistries: ["10.1.0.0/16", "reg.example:80", "other.example"] });
    world.ask("POST", `/images/create?${query}`);
    expect(world.take("resolve").val).toMatchObject({
      endpoint: { authority, security: insecure ? INSECURE : SECURE },
      repository,
      reference,
    });
  });

  test.each([
    ["fromImage=UPPER&tag=1", 400, "invalid reference format: repository name (UPPER) must be lowercase"],
    ["fromImage=x&tag=-bad", 400, "invalid tag format"],
    ["fromImage=scratch&tag=latest", 403, "'scratch' is a reserved name"],
    ["fromImage=x&tag=1&platform=a/b/c/d", 400, /cannot parse platform/],
    ["", 500, `Get "http:": http: no Host in request URL`],
  ])("%s is refused", (query, status, message) => {
    const world = new ImageWorld();
    const answer = world.call("POST", `/images/create?${query}`);
    expect(answer).toEqual({
      status,
      json: { message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
    expect(world.open()).toEqual([]);
  });

  test("of the Hub go to its mirrors first, without credentials, until one has all of the image", () => {
    const image = makeImage(["mirrored"]);
    const registryMirrors = ["https://one.example/", "http://two.example:5000/"];
    const world = new ImageWorld({ registryMirrors });
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1", undefined, {
      "X-Registry-Auth": authOf("dear"),
    });
    const first = world.take("resolve");
    expect([first.val.endpoint, first.val.credentials]).toEqual([
      { authority: "one.example", security: SECURE },
      undefined,
    ]);
    world.failAs(first.op, answered(404, "MANIFEST_UNKNOWN"));
    const second = world.take("resolve");
    expect(second.val.endpoint).toEqual({ authority: "two.example:5000", security: ["plain"] });
    world.succeed(second.op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    world.failAs(world.take("layer").op, answered(404, "BLOB_UNKNOWN"));
    const third = world.take("resolve");
    expect(third.val.endpoint.authority).toBe("registry-1.docker.io");
    expect(third.val.credentials?.password).toBe("dear");
    world.failAs(third.op, answered(404, "MANIFEST_UNKNOWN"));
    expect(world.said(id).at(-1)).toContain("manifest for x:1 not found");
    world.ask("POST", "/images/create?fromImage=other.example/x&tag=1");
    expect(world.take("resolve").val.endpoint.authority).toBe("other.example");
  });

  test("a digest: the full name in the lines, no tag", () => {
    const image = makeImage(["q"]);
    const world = new ImageWorld();
    const id = world.ask("POST", `/images/create?fromImage=r.example/q:ignored@${image.digest}`);
    const { op, val } = world.take("resolve");
    expect(val.reference).toBe(image.digest);
    world.succeed(op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    expect(world.said(id)[0]).toContain(`Pulling from q r.example/q`);
    expect(world.call("GET", `/v1.42/images/r.example/q@${image.digest}/json`).json).toMatchObject({
      RepoTags: [],
      RepoDigests: [`r.example/q@${image.digest}`],
    });
  });

  test("no tag: every tag in the registry's order, one status", () => {
    const [a, b] = [makeImage(["a"]), makeImage(["b"], { config: { Cmd: ["b"] } })];
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=all");
    world.succeed(world.take("tags").op, { tag: "names", val: ["v2", "v1"] });
    for (const [tag, image] of [
      ["v2", a],
      ["v1", b],
    ] as const) {
      const { op, val } = world.take("resolve");
      expect(val.reference).toBe(tag);
      world.succeed(op, resolved(image.manifest));
      world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
      world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    }
    const said = world.said(id);
    expect(said.filter((line) => /^(Pulling from|Digest|Status)/.test(line))).toEqual([
      "Pulling from library/all v2",
      `Digest: ${a.digest}`,
      "Pulling from library/all v1",
      `Digest: ${b.digest}`,
      "Status: Downloaded newer image for all",
    ]);
  });

  test("credentials of the header go to the registry; unreadable ones count as anonymous", () => {
    const world = new ImageWorld();
    world.ask("POST", "/images/create?fromImage=x&tag=1", undefined, { "X-Registry-Auth": authOf("pw") });
    expect(world.take("resolve").val.credentials).toMatchObject({ username: "me", password: "pw" });
    world.ask("POST", "/images/create?fromImage=x&tag=1", undefined, { "X-Registry-Auth": "???" });
    expect(world.take("resolve").val.credentials).toBeUndefined();
  });
});
