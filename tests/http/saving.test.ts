// Images as an archive, saved and loaded again: GET /images/{name}/get, GET /images/get, and POST /images/load.
import { expect, test } from "vitest";
import { gzipSync } from "node:zlib";
import { REFERENCE } from "../support/allowed-skips.js";
import { startDockerRegistry, dockerRegistryMissing } from "../support/registry/docker-registry.js";
import { until } from "../support/commands.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { busyboxLayer, dockerArchive, imageConfig, sha256, tarOf, type ImageSpec } from "../support/archives/images.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";
import { pullLines, smallImage } from "../support/registry/pulls.js";
import { packImage, pushImage } from "../support/registry/push-image.js";
import { RawConnection } from "../support/raw-http.js";
import { membersOf, readSaved, type SavedImage } from "../support/archives/saved.js";
import { rawTar } from "../support/archives/tar.js";

onEngines("saving", (engine, kind) => {
  /** An image, and what its archive must contain. */
  async function loaded(spec: ImageSpec): Promise<SavedImage> {
    await engine().load(await dockerArchive([spec]));
    return savedOf(spec);
  }

  async function saved(path: string): Promise<SavedImage[] | null> {
    const answer = await engine().must(200, "GET", path);
    expect(answer.header("content-type")).toBe("application/x-tar");
    return readSaved(answer.body);
  }

  async function layersSize(): Promise<number> {
    return (await engine().read<{ LayersSize: number }>("/system/df")).LayersSize;
  }

  test("one image, its layers byte for byte; loaded again it is the same", async () => {
    const spec: ImageSpec = {
      reference: "out:1",
      config: { Cmd: ["true"] },
      layers: [
        await busyboxLayer(),
        rawTar([
          { name: "d/", flag: "5", mode: 0o711, uid: 7 },
          { name: "d/file", body: "body", mode: 0o4755, uid: 1, gid: 2, pax: { mtime: "1600000001.5" } },
          { name: "d/same", flag: "1", target: "d/file" },
          { name: "d/link", flag: "2", target: "nowhere" },
          { name: "bin/.wh.ls" },
        ]),
      ],
    };
    const image = await loaded(spec);
    const archive = (await engine().must(200, "GET", "/images/out:1/get")).body;
    expect(await readSaved(archive)).toEqual([image]);
    await engine().must(200, "DELETE", "/images/out:1");
    expect((await engine().call("GET", "/images/out:1/get")).status).toBe(404);
    await engine().load(gzipSync(archive));
    expect(await engine().read<Json>("/images/out:1/json")).toMatchObject({ Id: image.id, RepoTags: ["out:1"] });
    expect(await saved("/images/out:1/get")).toEqual([image]);
    await engine().must(200, "DELETE", "/images/out:1");
  });

  test("a repository includes all its tags, an id none, and a repeated name is saved once", async () => {
    const layers = [await tarOf([{ name: "a", body: "1" }])];
    const one = await loaded({ reference: "many:1", config: { Cmd: ["1"] }, layers });
    const two = await loaded({ reference: "many:2", config: { Cmd: ["2"] }, layers });
    await engine().must(201, "POST", "/images/many:1/tag?repo=localhost:5000/other/name&tag=x");
    const byId = (images: SavedImage[] | null): SavedImage[] => images!.sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(await saved("/images/many/get"))).toEqual(byId([one, two]));
    expect(await saved("/images/get?names=many:1&names=many:1&names=localhost:5000/other/name:x")).toEqual([
      { ...one, tags: ["many:1", "localhost:5000/other/name:x"] },
    ]);
    for (const id of [one.id, one.id.slice(7), one.id.slice(7, 19), one.id.slice(0, 19)]) {
      expect(await saved(`/images/${id}/get`)).toEqual([{ ...one, tags: null }]);
    }
    expect(await saved(`/images/get?names=${two.id}&names=many:1`)).toHaveLength(2);
    expect(await saved("/images/get")).toBe(null);
    const members = await membersOf((await engine().must(200, "GET", "/images/get?names=many")).body);
    const tops = JSON.parse(members.get("repositories")!.toString()) as Record<string, Record<string, string>>;
    expect(Object.keys(tops["many"] ?? {}).sort()).toEqual(["1", "2"]);
    for (const name of ["many:1", "many:2", "localhost:5000/other/name:x"]) {
      await engine().must(200, "DELETE", `/images/${name}`);
    }
  });

  test("a committed image, with its parent", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "echo new > /new; rm /etc/group"] });
    await engine().start(id);
    await engine().wait(id);
    await engine().must(201, "POST", `/commit?container=${id}&repo=kept&tag=1`, {});
    const [image] = (await saved("/images/kept:1/get"))!;
    expect(image).toMatchObject({ tags: ["kept:1"], parent: undefined });
    expect(image!.layers).toEqual(image!.diffIds);
    expect(image!.layers).toHaveLength(2);
    const both = await saved("/images/get?names=busybox:latest&names=kept:1");
    const parent = both!.find(({ tags }) => tags?.[0] === "busybox:latest")!;
    expect(both!.find(({ tags }) => tags?.[0] === "kept:1")).toEqual({ ...image, parent: parent.id });
    await engine().remove(id);
    await engine().must(200, "DELETE", "/images/kept:1");
  });

  test("a child finds its parent again, even if it comes first in the archive", async () => {
    const committed = async (Image: string, name: string): Promise<string> => {
      const id = await engine().create({ Image, Cmd: ["touch", `/${name}`] });
      await engine().start(id);
      await engine().wait(id);
      const { Id } = (await engine().must(201, "POST", `/commit?container=${id}&repo=${name}&tag=1`, {})).json<Json>();
      await engine().remove(id);
      return String(Id);
    };
    const parent = await committed("busybox", "mother");
    await committed("mother:1", "child");
    const archive = (await engine().must(200, "GET", "/images/get?names=child:1&names=mother:1")).body;
    for (const name of ["child:1", "mother:1"]) await engine().must(200, "DELETE", `/images/${name}`);
    await engine().load(archive);
    const parentOf = async (name: string): Promise<unknown> => (await engine().read(`/images/${name}/json`))["Parent"];
    expect([await parentOf("child:1"), await parentOf("mother:1")]).toEqual([parent, ""]);
    for (const name of ["child:1", "mother:1"]) await engine().must(200, "DELETE", `/images/${name}`);
  });

  test("refusals come before the first byte", async () => {
    for (const [path, text] of [
      ["/images/nothing/get", "No such image: nothing"],
      ["/images/nothing:1/get", "reference does not exist"],
      ["/images/get?names=busybox&names=nothing", "No such image: nothing"],
      [`/images/busybox@sha256:${"a".repeat(64)}/get`, "reference does not exist"],
      ["/images/sha256:abc/get", "No such image: sha256:abc"],
    ] as const) {
      const answer = await engine().call("GET", path);
      expect([path, answer.status, messageOf(answer)]).toEqual([path, 404, text]);
      expect(answer.header("content-type")).toBe("application/json");
    }
    for (const path of ["/images/UPPER/get", "/images/get?names=", "/images/get?names=a,b"]) {
      const answer = await engine().call("GET", path);
      expect([path, answer.status]).toEqual([path, engine().expected("tag-status", 400, 500)]);
      expect(messageOf(answer)).toContain("invalid reference format");
    }
    const missing = await engine().call("GET", `/images/${"f".repeat(64)}/get`);
    expect(missing.status).toBe(engine().expected("image-texts", 404, 500));
  });

  test("each image has an event", async () => {
    const id = (await engine().read<{ Id: string }>("/images/busybox/json")).Id;
    const since = await stamp(engine());
    await engine().must(200, "GET", "/images/busybox/get");
    await engine().call("GET", "/images/get?names=busybox&names=nothing");
    const events = await past(engine(), since, { type: ["image"] });
    expect(events.map(({ Action, Actor }) => [Action, Actor.ID, Actor.Attributes["name"]])).toEqual([["save", id, id]]);
  });

  test("a client that disconnects no longer holds the layers", async () => {
    const before = await layersSize();
    const body = Buffer.alloc(30_000_000, "a body that no buffer on the way can hold");
    await loaded({ reference: "large:1", config: {}, layers: [await tarOf([{ name: "a", body }])] });
    const connection = await RawConnection.open(engine().socketPath);
    connection.send("GET /v1.41/images/large:1/get HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await connection.head()).status).toBe(200);
    connection.close();
    await engine().must(200, "DELETE", "/images/large:1");
    await until("the layers to be dropped", async () => (await layersSize()) === before);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("platforms: from 1.48 one, from 1.52 several", async () => {
    const layers = [await tarOf([{ name: "a", body: "platforms" }])];
    const spec = { reference: "platform:1", config: {}, layers, architecture: "s390x" };
    const image = await loaded(spec);
    const ask = async (version: string, ...architectures: string[]): Promise<[number, string]> => {
      const platforms = architectures.map(
        (architecture) => `platform=${JSON.stringify({ os: "linux", architecture })}`,
      );
      const path = `/images/platform:1/get?${platforms.map(encodeURI).join("&")}`;
      const answer = await engine().call("GET", path, undefined, { version });
      return [answer.status, answer.status === 200 ? (await readSaved(answer.body))![0]!.id : messageOf(answer)];
    };
    expect(await ask("1.55", "s390x")).toEqual([200, image.id]);
    expect(await ask("1.55", "amd64", "s390x")).toEqual([200, image.id]);
    expect(await ask("1.47", "amd64")).toEqual([200, image.id]);
    expect(await ask("1.48", "amd64")).toEqual([404, "no suitable export target found for platform linux/amd64"]);
    expect(await ask("1.51", "amd64", "s390x")).toEqual([400, "multiple platform parameters not supported"]);
    expect(await ask("1.55", "")).toEqual([400, "both OS and Architecture must be provided"]);

    await engine().must(200, "DELETE", "/images/platform:1");
    const other = { ...spec, reference: "platform:2", architecture: "riscv64" };
    const query = `platform=${encodeURIComponent(JSON.stringify({ os: "linux", architecture: "riscv64" }))}`;
    const headers = { "Content-Type": "application/x-tar" };
    const archive = await dockerArchive([spec, other]);
    const answer = await engine().call("POST", `/images/load?${query}`, archive, { version: "1.55", headers });
    expect(answer.text.trim()).toBe(JSON.stringify({ stream: "Loaded image: platform:2\n" }));
    expect((await engine().call("GET", "/images/platform:1/json")).status).toBe(404);
    await engine().must(200, "DELETE", "/images/platform:2");
  });
});

onEngines(
  "saving a pulled image",
  (engine) => {
    test("its layers are those of the registry, uncompressed", async () => {
      const registry = await startDockerRegistry(engine().daemon.netns);
      try {
        const spec = await smallImage("pulled", 2, 100_000);
        await pushImage(registry, "pulled", ["1"], packImage(spec));
        await pullLines(engine(), `fromImage=${registry.host}/pulled&tag=1`);
        const reference = `${registry.host}/pulled:1`;
        const answer = await engine().must(200, "GET", `/images/${reference}/get`);
        expect(await readSaved(answer.body)).toEqual([savedOf({ ...spec, reference })]);
      } finally {
        await registry.close();
      }
    });
  },
  { missing: dockerRegistryMissing() },
);

function savedOf(spec: ImageSpec): SavedImage {
  const diffIds = spec.layers.map((layer) => `sha256:${sha256(layer)}`);
  const tags = spec.reference === null ? null : [spec.reference];
  return { id: `sha256:${sha256(imageConfig(spec))}`, tags, parent: undefined, layers: diffIds, diffIds };
}
