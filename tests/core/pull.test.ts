// Pulls, seen from the core: what it asks of registry and disk, and what the client reads.

import { describe, expect, test } from "vitest";
import { digestOf, encode, ImageWorld, INDEX, makeImage, makeIndex, resolved, shortId } from "./image-world.js";
import type { MadeImage } from "./image-world.js";

describe("an image of five layers", () => {
  const image = makeImage(["a", "b", "c", "d", "e"]);
  const ids = image.blobs.map(shortId);

  test("is resolved, announced, fetched three at a time, completed base first, and named", () => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/v1.41/images/create?fromImage=box&tag=1");
    const { op, val } = world.take("resolve");
    expect(val).toMatchObject({
      endpoint: { authority: "registry-1.docker.io", insecure: false },
      repository: "library/box",
      reference: "1",
    });
    expect(val.credentials).toBeUndefined();
    expect(world.answer(id).status).toBe(0);
    world.succeed(op, resolved(image.manifest));
    expect(world.answer(id).headers).toContain("Content-Type: application/json");
    const config = world.take("blob");
    expect(config.val).toMatchObject({ digest: image.id, size: BigInt(image.config.length) });
    world.succeed(config.op, { tag: "bytes", val: image.config });
    expect(world.said(id)).toEqual([
      "Pulling from library/box 1",
      ...ids.map((layer) => `Pulling fs layer ${layer}`),
      `Waiting ${ids[3]}`,
      `Waiting ${ids[4]}`,
    ]);
    expect(world.open()).toEqual(["layer", "layer", "layer"]);
    const layers = [world.take("layer"), world.take("layer"), world.take("layer")];
    expect(layers.map(({ val }) => [val.chain, val.parent, val.diffId])).toEqual(
      [0, 1, 2].map((at) => [image.chains[at], image.chains[at - 1], image.diffIds[at]]),
    );

    // The third is first: what it is to extract waits for those below.
    world.progress(layers[2]!.op, "downloading", 500, 1002);
    world.progress(layers[2]!.op, "verifying", 1002, 1002);
    world.progress(layers[2]!.op, "downloaded", 1002, 1002);
    expect(world.open()).toEqual(["layer"]);
    world.progress(layers[2]!.op, "extracting", 1002, 1002);
    world.succeed(layers[2]!.op, { tag: "size", val: 30n });
    expect(world.said(id).slice(8)).toEqual([
      `Downloading ${ids[2]}`,
      `Verifying Checksum ${ids[2]}`,
      `Download complete ${ids[2]}`,
    ]);
    world.progress(layers[0]!.op, "extracting", 400, 1000);
    world.succeed(layers[0]!.op, { tag: "size", val: 10n });
    expect(world.lines(id).slice(11)).toEqual([
      { status: "Verifying Checksum", progressDetail: {}, id: ids[0] },
      { status: "Download complete", progressDetail: {}, id: ids[0] },
      expect.objectContaining({ status: "Extracting", progressDetail: { current: 400, total: 1000 }, id: ids[0] }),
      {
        status: "Extracting",
        progressDetail: { current: 1000, total: 1000 },
        progress: `[${"=".repeat(50)}>]      1kB/1kB`,
        id: ids[0],
      },
      { status: "Pull complete", progressDetail: {}, id: ids[0] },
    ]);
    world.succeed(layers[1]!.op, { tag: "size", val: 20n });
    const before = world.said(id).length;
    expect(world.said(id).slice(-3)).toEqual([
      `Pull complete ${ids[1]}`,
      `Extracting ${ids[2]}`,
      `Pull complete ${ids[2]}`,
    ]);
    expect(world.call("GET", "/images/json").json).toHaveLength(1);
    for (const size of [40n, 50n]) world.succeed(world.take("layer").op, { tag: "size", val: size });
    expect(world.said(id).slice(before).slice(-3)).toEqual([
      `Pull complete ${ids[4]}`,
      `Digest: ${image.digest}`,
      "Status: Downloaded newer image for box:1",
    ]);
    expect(world.answer(id).over).toBe(true);
    expect(world.open()).toEqual([]);
    expect(world.call("GET", "/v1.41/images/box:1/json").json).toMatchObject({
      Id: image.id,
      RepoTags: ["box:1"],
      RepoDigests: [`box@${image.digest}`],
      Size: 150,
      RootFS: { Layers: image.diffIds },
    });
    expect(new Set(world.records.keys())).toEqual(
      new Set([
        ...new ImageWorld().records.keys(),
        `config/${image.id}`,
        `image/${image.id}`,
        ...image.chains.map((chain) => `layer/${chain}`),
        "reference/docker.io/library/box:1",
        `reference/docker.io/library/box@${image.digest}`,
      ]),
    );
  });

  test("outlives a restart; without one of its layers it is set aside, and the others stay until it is pulled again", () => {
    const world = new ImageWorld();
    pull(world, "box:1", image);
    const again = new ImageWorld({ records: world.records, chains: [...image.chains, ...chainsOf(world)] });
    expect(again.call("GET", "/images/box:1/json").json).toMatchObject({ Id: image.id, RepoTags: ["box:1"] });
    expect(again.dropped()).toEqual([]);
    const top = image.chains[4]!;
    const left = chainsOf(world).filter((chain) => chain !== top);
    const without = new ImageWorld({ records: world.records, chains: left });
    expect(without.call("GET", "/images/box:1/json").status).toBe(404);
    expect(without.dropped()).toEqual([]);
    const damaged = () => [...without.records.keys()].filter((key) => key.startsWith("damaged/"));
    expect(damaged().sort()).toEqual([
      `damaged/config/${image.id}`,
      `damaged/image/${image.id}`,
      `damaged/layer/${top}`,
      "damaged/reference/docker.io/library/box:1",
      `damaged/reference/docker.io/library/box@${image.digest}`,
    ]);
    pull(without, "box:1", image);
    expect(without.call("GET", "/images/box:1/json").status).toBe(200);
    expect(damaged()).toEqual([]);
  });

  test("layers that a crash left without an image are dropped", () => {
    const world = new ImageWorld({ chains: [...chainsOf(new ImageWorld()), ...image.chains] });
    expect(new Set(world.dropped())).toEqual(new Set(image.chains));
  });

  test("amounts come at most every 100 ms; from 1.52 on without a bar", () => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/v1.52/images/create?fromImage=box&tag=1");
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    const layer = world.take("layer");
    for (let current = 1; current <= 60; current++) {
      world.progress(layer.op, "downloading", current * 10, 1000);
      world.sleep(10);
    }
    const amounts = world.lines(id).filter((line) => line["status"] === "Downloading");
    expect(amounts.map((line) => line["progressDetail"])).toEqual(
      [10, 110, 210, 310, 410, 510].map((current) => ({ current, total: 1000 })),
    );
    expect(amounts.every((line) => !("progress" in line))).toBe(true);
  });

  test("a client that does not read gets no more than its credit, then the newest lines", () => {
    const world = new ImageWorld({ reading: false });
    const id = world.ask("POST", "/v1.41/images/create?fromImage=box&tag=1");
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    const layer = world.take("layer");
    for (let current = 1; current <= 6000; current++) {
      world.sleep(100);
      world.progress(layer.op, "downloading", current, 6000);
    }
    expect(world.answer(id).unread).toBeGreaterThan(400_000);
    expect(world.answer(id).unread).toBeLessThan(1 << 20);
    const sent = world.lines(id).length;
    world.read(id);
    const late = world.lines(id).slice(sent);
    expect(late.map((line) => line["progressDetail"])).toEqual([{ current: 6000, total: 1000 }]);
  });
});

describe("what is there already", () => {
  const image = makeImage(["x", "y"]);

  test("is not asked for again: up to date, or a new name for it", () => {
    const world = new ImageWorld();
    pull(world, "box:1", image);
    for (const [tag, status] of [
      ["1", "Image is up to date"],
      ["2", "Downloaded newer image"],
    ]) {
      const id = world.ask("POST", `/images/create?fromImage=docker.io/library/box&tag=${tag}&platform=linux/s390x`);
      world.succeed(world.take("resolve").op, resolved(image.manifest));
      expect(world.said(id).slice(0, 3)).toEqual([
        `Pulling from library/box ${tag}`,
        `Digest: ${image.digest}`,
        `Status: ${status} for box:${tag}`,
      ]);
      expect(world.said(id)[3]).toMatch(/^WARNING: .* wanted linux\/s390x, actual: linux\/amd64$/);
      expect(world.open()).toEqual([]);
    }
  });

  test("layers of another image already exist", () => {
    const world = new ImageWorld();
    pull(world, "box:1", image);
    const more = makeImage(["z"], { on: image });
    const id = world.ask("POST", "/images/create?fromImage=more&tag=1");
    world.succeed(world.take("resolve").op, resolved(more.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: more.config });
    const [x, y, z] = more.blobs.map(shortId);
    expect(world.said(id).slice(1)).toEqual([`Already exists ${x}`, `Already exists ${y}`, `Pulling fs layer ${z}`]);
    expect(world.take("layer").val.chain).toBe(more.chains[2]);
    expect(world.open()).toEqual([]);
  });
});

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
    expect(world.take("resolve").val).toMatchObject({ endpoint: { authority, insecure }, repository, reference });
  });

  test.each([
    ["fromImage=UPPER&tag=1", 400, "invalid reference format: repository name (UPPER) must be lowercase"],
    ["fromImage=x&tag=-bad", 400, "invalid tag format"],
    ["fromImage=scratch&tag=latest", 403, "'scratch' is a reserved name"],
    ["fromImage=x&tag=1&platform=a/b/c/d", 400, /cannot parse platform/],
    ["fromSrc=-", 501, "importing images is not built yet"],
  ])("%s is refused", (query, status, message) => {
    const world = new ImageWorld();
    const answer = world.call("POST", `/images/create?${query}`);
    expect(answer).toEqual({
      status,
      json: { message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
    expect(world.open()).toEqual([]);
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

  test("credentials of the header go to the registry; what cannot be read is nobody's", () => {
    const world = new ImageWorld();
    world.ask("POST", "/images/create?fromImage=x&tag=1", undefined, { "X-Registry-Auth": authOf("pw") });
    expect(world.take("resolve").val.credentials).toMatchObject({ username: "me", password: "pw" });
    world.ask("POST", "/images/create?fromImage=x&tag=1", undefined, { "X-Registry-Auth": "???" });
    expect(world.take("resolve").val.credentials).toBeUndefined();
  });
});

describe("an index", () => {
  const own = makeImage(["own"]);
  const arm = makeImage(["arm"], { architecture: "arm64" });
  const attestation = makeImage(["said"], { architecture: "unknown" });
  const index = makeIndex([
    [{ os: "unknown", architecture: "unknown" }, attestation],
    [{ os: "linux", architecture: "arm64", variant: "v8" }, arm],
    [{ os: "linux", architecture: "amd64" }, own],
  ]);

  test.each([
    ["", own],
    ["&platform=linux/arm64", arm],
  ])("its entry for the machine or the platform asked for%s", (query, image) => {
    const world = new ImageWorld();
    const id = world.ask("POST", `/images/create?fromImage=x&tag=1${query}`);
    world.succeed(world.take("resolve").op, resolved(index, INDEX));
    expect(world.said(id)).toEqual(["Pulling from library/x 1"]);
    const { op, val } = world.take("resolve");
    expect(val.reference).toBe(image.digest);
    world.succeed(op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    expect(world.said(id).slice(-2)).toEqual([`Digest: ${digestOf(index)}`, "Status: Downloaded newer image for x:1"]);
  });

  test("within an index is followed; nothing that fits is an error in the stream", () => {
    const world = new ImageWorld();
    const outer = encode(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: INDEX,
        manifests: [{ mediaType: INDEX, digest: digestOf(index), size: index.length }],
      }),
    );
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1&platform=linux/mips64le");
    world.succeed(world.take("resolve").op, resolved(outer, INDEX));
    world.succeed(world.take("resolve").op, resolved(index, INDEX));
    const error = "no matching manifest for linux/mips64le in the manifest list entries";
    expect(world.lines(id).at(-1)).toEqual({ errorDetail: { message: error }, error });
    expect(world.answer(id).over).toBe(true);
  });
});

describe("what goes wrong", () => {
  const image = makeImage(["f", "g", "h", "i", "j"]);

  test.each([
    ["not-found", "MANIFEST_UNKNOWN", 404, "manifest for r.example/x:1 not found: told"],
    ["not-found", "NAME_UNKNOWN", 404, /^pull access denied for r.example\/x, repository does not exist .*: told$/],
    ["denied", "DENIED", 404, /^pull access denied for r.example\/x, .*'docker login': told$/],
    ["unauthorized", "UNAUTHORIZED", 404, /^pull access denied for r.example\/x/],
    ["unreachable", "", 500, "told"],
    ["registry", "UNKNOWN", 500, "told"],
    ["corrupt", "", 500, "told"],
  ] as const)("at the manifest: %s %s is an HTTP error", (kind, code, status, message) => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=r.example/x&tag=1");
    world.fail(world.take("resolve").op, kind, "told", { code });
    expect(world.answer(id)).toMatchObject({ status, over: true });
    expect(JSON.parse(world.answer(id).text)).toEqual({
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });

  test("refused credentials are a 401", () => {
    const world = new ImageWorld();
    const auth = Buffer.from(JSON.stringify({ username: "me!", password: "wrong!!!!" })).toString("base64");
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1", undefined, { "X-Registry-Auth": auth });
    world.fail(world.take("resolve").op, "unauthorized", "unauthorized: authentication required");
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
  ])("a manifest that is none: %j", (document, type, status) => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
    world.succeed(world.take("resolve").op, resolved(encode(JSON.stringify(document)), type));
    expect(world.answer(id)).toMatchObject({ status, over: true });
    expect(world.open()).toEqual([]);
  });

  test.each([
    ["a config that cannot be had", null, "gone"],
    ["a config of other bytes", encode('{"rootfs":{"diff_ids":[]}}'), /^image config verification failed/],
    ["a config that is no JSON", encode("{"), "unexpected EOF"],
    ["a config without rootfs", encode("{}"), "invalid rootfs in image configuration"],
  ])("%s is an error in the stream", (_what, bytes, error) => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    const { op } = world.take("blob");
    if (bytes === null) world.fail(op, "not-found", "gone");
    else world.succeed(op, { tag: "bytes", val: bytes });
    const last = world.lines(id).at(-1) as { error: string };
    expect(last).toEqual({
      errorDetail: { message: last.error },
      error: typeof error === "string" ? error : expect.stringMatching(error),
    });
    expect(world.answer(id).over).toBe(true);
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

  test("at a layer: the error ends the stream, what was fetched is dropped, what is under way given up", () => {
    const world = new ImageWorld();
    const records = new Set(world.records.keys());
    const id = begin(world, "x:1", image);
    const [first, second, third] = [world.take("layer"), world.take("layer"), world.take("layer")];
    world.succeed(first.op, { tag: "size", val: 1n });
    const fourth = world.take("layer");
    world.fail(second.op, "corrupt", "filesystem layer verification failed for digest sha256:0");
    expect(world.said(id).at(-1)).toBe("filesystem layer verification failed for digest sha256:0");
    expect(world.answer(id).over).toBe(true);
    expect(world.dropped()).toEqual([image.chains[0]]);
    const given = [world.take("abandon").val, world.take("abandon").val];
    expect(new Set(given)).toEqual(new Set([third.op, fourth.op]));
    expect(world.open()).toEqual([]);
    // One of them was done before it heard.
    world.succeed(third.op, { tag: "size", val: 1n });
    world.fail(fourth.op, "interrupted", "context canceled");
    expect(world.dropped()).toEqual([image.chains[2]]);
    expect(world.open()).toEqual([]);
    expect(new Set(world.records.keys())).toEqual(records);
    expect(world.call("GET", `/images/${image.id}/json`).status).toBe(404);
    // All three may download again.
    begin(world, "x:1", image);
    expect(world.open()).toEqual(["layer", "layer", "layer"]);
  });

  test("a full disk", () => {
    const world = new ImageWorld();
    const id = begin(world, "x:1", image);
    world.fail(world.take("layer").op, "exhausted", "write /etc/x: no space left on device");
    expect(world.said(id).at(-1)).toBe("failed to register layer: write /etc/x: no space left on device");
  });

  test.each(["resolve", "blob"] as const)("a client that goes away at the %s", (step) => {
    const world = new ImageWorld();
    const id = world.ask("POST", "/images/create?fromImage=x&tag=1");
    if (step === "blob") world.succeed(world.take("resolve").op, resolved(image.manifest));
    const { op } = world.take(step);
    world.hangUp(id);
    expect(world.take("abandon").val).toBe(op);
    world.fail(op, "interrupted", "context canceled");
    expect(world.open()).toEqual([]);
  });
});

describe("two pulls", () => {
  const image = makeImage(["s", "t"]);

  test("share the work, and both are told", () => {
    const world = new ImageWorld();
    const [one, two] = [begin(world, "x:1", image), begin(world, "x:2", image)];
    expect(world.open()).toEqual(["layer", "layer"]);
    const layers = [world.take("layer"), world.take("layer")];
    world.progress(layers[0]!.op, "downloading", 5, 1000);
    for (const { op } of layers) world.succeed(op, { tag: "size", val: 1n });
    for (const [id, name] of [
      [one, "x:1"],
      [two, "x:2"],
    ] as const) {
      expect(world.said(id)).toContain(`Downloading ${shortId(image.blobs[0]!)}`);
      expect(world.said(id).at(-1)).toBe(`Status: Downloaded newer image for ${name}`);
      expect(world.answer(id).over).toBe(true);
    }
    expect(world.call("GET", "/images/x:2/json").json).toMatchObject({ RepoTags: ["x:1", "x:2"] });
    expect(world.dropped()).toEqual([]);
  });

  test("when the registry refuses one's credentials the other goes on with its own", () => {
    const world = new ImageWorld();
    const single = makeImage(["single"]);
    const [bad, good] = [begin(world, "x:1", single, "bad"), begin(world, "x:2", single, "good")];
    world.fail(world.take("layer").op, "unauthorized", "");
    expect(world.answer(bad).over).toBe(true);
    expect(world.answer(good).over).toBe(false);
    const { op, val } = world.take("layer");
    expect(val.source).toMatchObject({ val: { from: { credentials: { password: "good" } } } });
    world.succeed(op, { tag: "size", val: 1n });
    expect(world.said(good).at(-1)).toBe("Status: Downloaded newer image for x:2");
  });

  test("one client goes: the other's goes on; both go: the work is given up, and can be taken up again", () => {
    const world = new ImageWorld();
    const [one, two] = [begin(world, "x:1", image), begin(world, "x:2", image)];
    const [first, second] = [world.take("layer"), world.take("layer")];
    world.hangUp(one);
    expect(world.open()).toEqual([]);
    world.succeed(first.op, { tag: "size", val: 1n });
    expect(world.said(two)).toContain(`Pull complete ${shortId(image.blobs[0]!)}`);
    world.hangUp(two);
    expect(world.take("abandon").val).toBe(second.op);
    expect(world.dropped()).toEqual([image.chains[0]]);
    const three = begin(world, "x:3", image);
    expect(world.open()).toEqual(["layer"]);
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
    // The host gives the abandoned one up at last: it is asked for once more.
    world.fail(second.op, "interrupted", "context canceled");
    const again = world.take("layer");
    expect(again.val.chain).toBe(image.chains[1]);
    world.succeed(again.op, { tag: "size", val: 1n });
    expect(world.said(three).at(-1)).toBe("Status: Downloaded newer image for x:3");
  });
});

describe("a pull and a load of the same layer", () => {
  const image = makeImage(["both"]);

  test.each([
    ["pull", "load"],
    ["load", "pull"],
  ] as const)("when what the %s brings is bad the %s goes on with its own", (first, then) => {
    const world = new ImageWorld();
    const ask = { pull: () => begin(world, "x:1", image), load: () => beginLoad(world, image) };
    const [failing, going] = [ask[first](), ask[then]()];
    expect(world.open()).toEqual(["layer"]);
    const bad = world.take("layer");
    expect(bad.val.source.tag).toBe(first === "pull" ? "registry" : "archived");
    world.fail(bad.op, "corrupt", "bad bytes");
    expect(world.answer(failing).text).toContain("bad bytes");
    expect(world.answer(failing).over).toBe(true);
    expect(world.answer(going).over).toBe(false);
    const good = world.take("layer");
    expect(good.val).toMatchObject({
      chain: image.chains[0],
      source: { tag: then === "pull" ? "registry" : "archived" },
    });
    world.succeed(good.op, { tag: "size", val: 1n });
    expect(world.answer(going).over).toBe(true);
    expect(world.answer(going).text).not.toContain("bad bytes");
    expect(world.dropped()).toEqual([]);
    expect(world.call("GET", `/images/${image.id}/json`).status).toBe(200);
  });

  test("one that waits takes over from one that goes away", () => {
    const world = new ImageWorld();
    const pulling = begin(world, "x:1", image);
    const { op } = world.take("layer");
    world.hangUp(pulling);
    world.done(world.take("abandon").op);
    const loading = beginLoad(world, image);
    world.fail(op, "interrupted", "context canceled");
    const again = world.take("layer");
    expect(again.val.source.tag).toBe("archived");
    world.succeed(again.op, { tag: "size", val: 1n });
    expect(world.said(loading)).toEqual(["Loaded image: loaded:1"]);
  });
});

/** Loads an image of one layer, until that is to be unpacked. */
function beginLoad(world: ImageWorld, { config }: MadeImage): bigint {
  const id = world.ask("POST", "/images/load", encode("tar"));
  const val = ["manifest.json", "c.json", "0.tar"].map((path) => ({ path, size: 1n }));
  world.succeed(world.take("ingest").op, { tag: "ingested", val });
  const list = [{ Config: "c.json", RepoTags: ["loaded:1"], Layers: ["0.tar"] }];
  world.succeed(world.take("read").op, { tag: "bytes", val: encode(JSON.stringify(list)) });
  world.succeed(world.take("read").op, { tag: "bytes", val: config });
  return id;
}

/** Asks for an image and answers until its layers are to be fetched. */
function begin(world: ImageWorld, name: string, image: MadeImage, password?: string): bigint {
  const [repository, tag] = name.split(":");
  const headers = password === undefined ? {} : { "X-Registry-Auth": authOf(password) };
  const id = world.ask("POST", `/images/create?fromImage=${repository}&tag=${tag}`, undefined, headers);
  world.succeed(world.take("resolve").op, resolved(image.manifest));
  world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
  return id;
}

/** Base64 in the alphabet of URLs, filled up, as clients send it. */
function authOf(password: string): string {
  const header = Buffer.from(JSON.stringify({ username: "me", password })).toString("base64url");
  return header.padEnd(Math.ceil(header.length / 4) * 4, "=");
}

function pull(world: ImageWorld, name: string, image: MadeImage): void {
  const id = begin(world, name, image);
  while (world.open().includes("layer")) world.succeed(world.take("layer").op, { tag: "size", val: 1n });
  if (!world.answer(id).over) throw new Error(`the pull of ${name} has not ended`);
}

/** Chains of the images a world begins with. */
function chainsOf(world: ImageWorld): string[] {
  return [...world.records.keys()].filter((key) => key.startsWith("layer/")).map((key) => key.slice(6));
}
