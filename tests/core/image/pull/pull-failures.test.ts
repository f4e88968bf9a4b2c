// Failing pulls, as seen by the core: what the client reads, and what is kept.

import { describe, expect, test } from "vitest";
import { encode, ImageWorld, INDEX, makeImage, resolved } from "../../support/image-world.js";
import { begin } from "./pulls.js";
import {
  answered,
  exchange,
  FULL_DISK,
  GIVEN_UP,
  OTHER_BYTES,
  REFUSED,
} from "../../../support/registry/registry-failures.js";

describe("failures", () => {
  const image = makeImage(["f", "g", "h", "i", "j"]);

  test.each([
    [answered(404, "MANIFEST_UNKNOWN"), 404, "manifest for r.example/x:1 not found: manifest unknown: told"],
    [answered(404), 404, "manifest for r.example/x:1 not found: received unexpected HTTP status: 404 Not Found"],
    [answered(404, "NAME_UNKNOWN"), 404, "repository r.example/x not found: name unknown: told"],
    [answered(403, "DENIED"), 404, /^pull access denied for r.example\/x, .*'docker login': denied: told$/],
    [answered(401, "UNAUTHORIZED"), 404, /^pull access denied for r.example\/x/],
    [exchange({ tag: "no-credentials" }), 500, 'Get "https://r.example/v2/": no basic auth credentials'],
    [REFUSED, 500, 'Get "https://r.example/v2/": dial tcp r.example:443: connect: connection refused'],
    [answered(401, "DENIED"), 404, /^pull access denied for r.example\/x, .*'docker login': denied: told$/],
    [answered(404, "BLOB_UNKNOWN"), 500, "blob unknown: told"],
    [answered(418, "TEAPOT"), 500, "unknown: told"],
    [answered(500, "UNKNOWN"), 500, "received unexpected HTTP status: 500 Internal Server Error"],
    [OTHER_BYTES, 500, "filesystem layer verification failed for digest sha256:0"],
  ] as const)("at the manifest: %j is an HTTP error", (failure, status, message) => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=r.example/x&tag=1");
    do {
      world.failAs(world.take("resolve").op, failure);
      world.wait(2);
    } while (world.open().length > 0);
    expect(world.answer(id)).toMatchObject({ status, over: true });
    expect(JSON.parse(world.answer(id).text)).toEqual({
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });

  test("refused credentials are a 401", () => {
    const world = new ImageWorld();
    const auth = Buffer.from(JSON.stringify({ username: "me!", password: "wrong!!!!" })).toString("base64");
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1", undefined, { "X-Registry-Auth": auth });
    world.failAs(world.take("resolve").op, answered(401));
    expect([world.answer(id).status, JSON.parse(world.answer(id).text)]).toEqual([
      401,
      { message: "unauthorized: authentication required" },
    ]);
  });

  test.each([
    [{ schemaVersion: 1, fsLayers: [] }, "application/vnd.docker.distribution.manifest.v1+prettyjws", 400],
    [{ schemaVersion: 2, mediaType: "application/json", spec: 1 }, "", 400],
    [{ schemaVersion: 2, layers: [], manifests: [] }, INDEX, 400],
    [
      {
        schemaVersion: 2,
        config: { mediaType: "application/vnd.docker.plugin.v1+json", digest: image.id, size: 1 },
        layers: [],
      },
      "application/vnd.docker.distribution.manifest.v2+json",
      400,
    ],
    ["no manifest", "", 500],
  ])("an invalid manifest: %j", (document, type, status) => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
    world.succeed(world.take("resolve").op, resolved(encode(JSON.stringify(document)), type));
    expect(world.answer(id)).toMatchObject({ status, over: true });
    expect(world.open()).toEqual([]);
  });

  test.each([
    ["a config that cannot be fetched", null, "blob unknown: gone"],
    ["a config with different bytes", encode('{"rootfs":{"diff_ids":[]}}'), /^image config verification failed/],
    ["a config that is not JSON", encode("{"), "unexpected EOF"],
    ["a config without rootfs", encode("{}"), "invalid rootfs in image configuration"],
    [
      "a config with numbers instead of texts",
      encode('{"config":{"Env":5},"rootfs":{"diff_ids":[]}}'),
      "json: cannot unmarshal number into Go struct field Config.config.Env of type []string",
    ],
    ["a config with a word instead of a time", encode('{"created":"x","rootfs":{}}'), /^parsing time "x" as "2006-/],
    [
      "a config with words instead of layers",
      encode('{"rootfs":{"diff_ids":["x"]}}'),
      /^invalid diffID for layer 0: "x"/,
    ],
    [
      "a config with one step too many",
      encode('{"rootfs":{"diff_ids":[]},"history":[{"empty_layer":true},{}]}'),
      "too many non-empty layers in History section",
    ],
  ])("%s is an error in the stream", (_what, bytes, error) => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    const { op } = world.take("blob");
    if (bytes === null) world.failAs(op, answered(404, "BLOB_UNKNOWN", "gone"));
    else world.succeed(op, { tag: "bytes", val: bytes });
    const last = world.lines(id).at(-1) as { error: string };
    expect(last).toEqual({
      errorDetail: { message: last.error },
      error: typeof error === "string" ? error : expect.stringMatching(error),
    });
    expect(world.answer(id).over).toBe(true);
  });

  test("a config over the size limit is not requested", () => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
    const document = JSON.parse(new TextDecoder().decode(image.manifest)) as { config: { size: number } };
    document.config.size = (4 << 20) + 1;
    world.succeed(world.take("resolve").op, resolved(encode(JSON.stringify(document))));
    expect(world.said(id).at(-1)).toBe(`blob ${image.id} is larger than 4194304 bytes, as max-document-size allows`);
    expect(world.answer(id).over).toBe(true);
    expect(world.open()).toEqual([]);
  });

  test("more or fewer layers than the config says", () => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
    const document = JSON.parse(new TextDecoder().decode(image.manifest)) as { layers: unknown[] };
    document.layers.pop();
    world.succeed(world.take("resolve").op, resolved(encode(JSON.stringify(document))));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    expect(world.said(id).at(-1)).toBe("layers from manifest don't match image configuration");
    expect(world.open()).toEqual([]);
  });

  test("at a layer: the error ends the stream, fetched layers are dropped, pending ones abandoned", () => {
    const world = new ImageWorld();
    const records = new Set(world.records.keys());
    const id = begin(world, "x:1", image);
    const [first, second, third] = [world.take("layer"), world.take("layer"), world.take("layer")];
    world.succeed(first.op, { tag: "size", val: 1n });
    const fourth = world.take("layer");
    world.failAs(second.op, OTHER_BYTES);
    expect(world.said(id).at(-1)).toBe("filesystem layer verification failed for digest sha256:0");
    expect(world.answer(id).over).toBe(true);
    expect(world.dropped()).toEqual([image.chains[0]]);
    const given = [world.take("abandon").val, world.take("abandon").val];
    expect(new Set(given)).toEqual(new Set([third.op, fourth.op]));
    expect(world.open()).toEqual([]);
    // One of them finished before it was cancelled.
    world.succeed(third.op, { tag: "size", val: 1n });
    world.failAs(fourth.op, GIVEN_UP);
    expect(world.dropped()).toEqual([image.chains[2], image.chains[3]]);
    expect(world.open()).toEqual([]);
    expect(new Set(world.records.keys())).toEqual(records);
    expect(world.call("GET", `/images/${image.id}/json`).status).toBe(404);
    // All three download places are free again.
    begin(world, "x:1", image);
    expect(world.open()).toEqual(["layer", "layer", "layer"]);
  });

  test("a full disk", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    world.failAs(world.take("layer").op, FULL_DISK);
    expect(world.said(id).at(-1)).toBe("failed to register layer: write /etc/x: no space left on device");
  });

  test.each(["resolve", "blob"] as const)("a client that leaves at the %s", (step) => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
    if (step === "blob") world.succeed(world.take("resolve").op, resolved(image.manifest));
    const { op } = world.take(step);
    world.hangUp(id);
    expect(world.take("abandon").val).toBe(op);
    world.failAs(op, GIVEN_UP);
    expect(world.open()).toEqual([]);
  });
});
