// Images: list, inspect, tag, delete, load, commit.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { busyboxLayer, dockerArchive, imageConfig, sha256, tarOf, type ImageSpec } from "../support/archives/images.js";

onEngines("images", (engine) => {
  test("an image in the list and in full", async () => {
    const spec: ImageSpec = {
      reference: "shown:1",
      config: { Cmd: ["true"], Env: ["A=1"], Labels: { of: "image" } },
      layers: [await tarOf([{ name: "file", body: "content" }])],
    };
    await engine().load(await dockerArchive([spec]));
    const id = `sha256:${sha256(imageConfig(spec))}`;
    const list = await engine().read<Json[]>("/images/json");
    expect(list.find((item) => item["Id"] === id)).toMatchObject({
      Id: id,
      ParentId: "",
      RepoTags: ["shown:1"],
      Created: Date.parse("2024-01-01T00:00:00Z") / 1000,
      Labels: { of: "image" },
      SharedSize: -1,
      Containers: -1,
    });
    const image = await engine().read<Inspect>("/images/shown:1/json");
    expect(image).toMatchObject({
      Id: id,
      RepoTags: ["shown:1"],
      RepoDigests: [],
      Created: "2024-01-01T00:00:00Z",
      Os: "linux",
      RootFS: { Type: "layers", Layers: [`sha256:${sha256(spec.layers[0] ?? Buffer.alloc(0))}`] },
      Config: { Cmd: ["true"], Env: ["A=1"], Labels: { of: "image" } },
    });
    expect(image.Size).toBe(7);
    for (const ref of [id, id.slice(7), id.slice(7, 19), id.slice(0, 15), "shown:1"]) {
      expect((await engine().read<Inspect>(`/images/${ref}/json`)).Id).toBe(id);
    }
    await engine().must(200, "DELETE", "/images/shown:1");
  });

  test("newest first, filters, and missing images", async () => {
    const names = (items: { RepoTags: string[] }[]): string[] => items.flatMap((item) => item.RepoTags);
    const filtered = async (filters: unknown): Promise<string[]> =>
      names(await engine().read(`/images/json?filters=${encodeURIComponent(JSON.stringify(filters))}`));
    await engine().load(
      await dockerArchive([{ reference: "other:2", config: { Labels: { x: "y" } }, layers: [await busyboxLayer()] }]),
    );
    expect(await filtered({ reference: ["busybox"] })).toEqual(["busybox:latest"]);
    expect(await filtered({ reference: ["oth*:2"] })).toEqual(["other:2"]);
    expect(await filtered({ label: ["x=y"] })).toEqual(["other:2"]);
    expect(await filtered({ dangling: ["true"] })).toEqual([]);
    const bad = await engine().call("GET", `/images/json?filters=${encodeURIComponent('{"colour":["x"]}')}`);
    expect([bad.status, messageOf(bad).toLowerCase()]).toEqual([400, "invalid filter 'colour'"]);
    const missing = await engine().call("GET", "/images/nothing/json");
    expect(missing.status).toBe(404);
    expect(messageOf(missing)).toBe(
      engine().expected(
        "image-texts",
        "No such image: nothing:latest",
        "no such image: nothing: No such image: nothing:latest",
      ),
    );
    await engine().must(200, "DELETE", "/images/other:2");
  });

  test("tag: a new name, a moved name, and refusals", async () => {
    await engine().must(201, "POST", "/images/busybox/tag?repo=localhost:5000/my/box&tag=v1");
    await engine().must(201, "POST", "/images/busybox/tag?repo=untagged-name");
    const tags = (await engine().read<Inspect>("/images/busybox/json")).RepoTags;
    expect(tags).toEqual(
      expect.arrayContaining(["busybox:latest", "localhost:5000/my/box:v1", "untagged-name:latest"]),
    );
    const missing = await engine().call("POST", "/images/nothing/tag?repo=x");
    expect([missing.status, messageOf(missing)]).toEqual([404, "No such image: nothing:latest"]);
    for (const [query, text] of [
      ["repo=UPPER", "must be lowercase"],
      ["repo=a&tag=-bad", "invalid tag format"],
      ["repo=a//b", "invalid reference format"],
    ] as const) {
      const answer = await engine().call("POST", `/images/busybox/tag?${query}`);
      expect([query, answer.status]).toEqual([query, engine().expected("tag-status", 400, 500)]);
      expect(messageOf(answer)).toContain(text);
    }
    const digest = `sha256:${"a".repeat(64)}`;
    const byDigest = await engine().call("POST", `/images/busybox/tag?repo=a@${digest}`);
    expect([byDigest.status, messageOf(byDigest)]).toEqual([400, "refusing to create a tag with a digest reference"]);
    for (const name of ["localhost:5000/my/box:v1", "untagged-name"]) {
      const gone = await engine().must(200, "DELETE", `/images/${name}`);
      expect(gone.json<Json[]>()).toEqual([{ Untagged: name.includes(":v1") ? name : `${name}:latest` }]);
    }
  });

  test("delete: untagged, then deleted from the top down", async () => {
    const layers = [await tarOf([{ name: "a", body: "1" }]), await tarOf([{ name: "b", body: "2" }])];
    const spec: ImageSpec = { reference: "going:1", config: { Cmd: ["x"] }, layers };
    await engine().load(await dockerArchive([spec]));
    const [first, second] = layers.map((layer) => `sha256:${sha256(layer)}`);
    const chain = `sha256:${sha256(Buffer.from(`${first} ${second}`))}`;
    const answer = await engine().must(200, "DELETE", "/images/going:1");
    expect(answer.json()).toEqual([
      { Untagged: "going:1" },
      { Deleted: `sha256:${sha256(imageConfig(spec))}` },
      { Deleted: chain },
      { Deleted: first },
    ]);
    expect((await engine().call("DELETE", "/images/going:1")).status).toBe(404);
  });

  test("delete: a blank name is invalid", async () => {
    for (const blanks of ["%20", "%20%09"]) {
      const refused = await engine().call("DELETE", `/images/${blanks}?force=1`);
      expect([refused.status, messageOf(refused)]).toEqual([400, "image name cannot be blank"]);
    }
  });

  test("delete: an image in use is refused unless forced; the image of a running container is never deleted by id", async () => {
    const spec: ImageSpec = { reference: "used:1", config: { Cmd: ["sleep", "100"] }, layers: [await busyboxLayer()] };
    await engine().load(await dockerArchive([spec]));
    const id = await engine().create({ Image: "used:1" });
    const imageId = sha256(imageConfig(spec));
    const [I, C] = [imageId.slice(0, 12), id.slice(0, 12)];
    const byName = await engine().call("DELETE", "/images/used:1");
    expect([byName.status, messageOf(byName)]).toEqual([
      409,
      `conflict: unable to remove repository reference "used:1" (must force) - container ${C} is using its referenced image ${I}`,
    ]);
    const byId = await engine().call("DELETE", `/images/${imageId}`);
    expect([byId.status, messageOf(byId)]).toEqual([
      409,
      `conflict: unable to delete ${I} (must be forced) - image is being used by stopped container ${C}`,
    ]);
    await engine().start(id);
    const running = await engine().call("DELETE", `/images/${imageId}?force=1`);
    expect([running.status, messageOf(running)]).toEqual([
      409,
      `conflict: unable to delete ${I} (cannot be forced) - image is being used by running container ${C}`,
    ]);
    await engine().remove(id);
    await engine().must(200, "DELETE", "/images/used:1");
  });

  test("load: plain and gzip, several images, the text of the answer, invalid input", async () => {
    const layers = [await busyboxLayer()];
    const archive = await dockerArchive([
      { reference: "multi:1", config: { Cmd: ["one"] }, layers },
      { reference: "multi:2", config: { Cmd: ["two"] }, layers },
    ]);
    const loaded = await load(gzipSync(archive));
    expect(loaded.map((line) => line["stream"])).toEqual(["Loaded image: multi:1\n", "Loaded image: multi:2\n"]);
    for (const [tag, Cmd] of [
      ["1", "one"],
      ["2", "two"],
    ] as const) {
      expect((await engine().read<Inspect>(`/images/multi:${tag}/json`)).Config).toMatchObject({ Cmd: [Cmd] });
      await engine().must(200, "DELETE", `/images/multi:${tag}`);
    }
    const unnamed: ImageSpec = { reference: null, config: { Cmd: ["unnamed"] }, layers };
    const bare = await load(await dockerArchive([unnamed]));
    expect(bare.at(-1)?.["stream"]).toBe(`Loaded image ID: sha256:${sha256(imageConfig(unnamed))}\n`);
    await engine().must(200, "DELETE", `/images/${sha256(imageConfig(unnamed))}`);
    for (const junk of [Buffer.from("not a tar at all".repeat(100)), await tarOf([{ name: "x", body: "y" }])]) {
      expect(Object.keys((await load(junk)).at(-1) ?? {}).sort()).toEqual(["error", "errorDetail"]);
    }
    const broken = archive.subarray(0, 20_000);
    expect((await load(broken)).at(-1)).toHaveProperty("error");
  });

  test("load with quiet=0 reports each new layer", async () => {
    const layer = await tarOf([{ name: "big", body: Buffer.alloc(300_000, "x") }]);
    const lines = await load(await dockerArchive([{ reference: "loud:1", config: {}, layers: [layer] }]), "quiet=0");
    const progress = lines.filter((line) => line["status"] === "Loading layer");
    expect(progress.length).toBeGreaterThanOrEqual(2);
    expect(progress.at(-1)).toMatchObject({
      id: sha256(layer).slice(0, 12),
      progressDetail: { current: layer.length, total: layer.length },
    });
    await engine().must(200, "DELETE", "/images/loud:1");
  });

  test("commit keeps the container's changes", async () => {
    const id = await engine().create({
      Cmd: ["sh", "-c", "echo kept > /kept; rm /etc/group"],
      Labels: { was: "container" },
    });
    await engine().start(id);
    await engine().wait(id);
    const query = `container=${id}&repo=committed&tag=1&comment=why&author=me&changes=${encodeURIComponent('CMD ["cat","/kept"]')}`;
    const made = await engine().must(201, "POST", `/commit?${query}`, {});
    const { Id } = made.json<{ Id: string }>();
    expect(Id).toMatch(/^sha256:[0-9a-f]{64}$/);
    const parent = await engine().read<Inspect>("/images/busybox/json");
    const image = await engine().read<Inspect>("/images/committed:1/json");
    expect(image).toMatchObject({ Id, Comment: "why", Author: "me", Parent: parent.Id });
    expect(image.RootFS.Layers.slice(0, -1)).toEqual(parent.RootFS.Layers);
    expect(image.Config["Cmd"]).toEqual(["cat", "/kept"]);
    expect((await engine().run({ Image: "committed:1", Cmd: undefined })).stdout).toBe("kept\n");
    expect((await engine().run({ Image: "committed:1", Cmd: ["ls", "/etc"] })).stdout).not.toContain("group");
    await engine().remove(id);
    await engine().must(200, "DELETE", "/images/committed:1");
    expect((await engine().call("POST", "/commit?container=nope&repo=x", {})).status).toBe(404);
  });

  test.each<[Json, Json]>([
    [{}, { Hostname: "own", Tty: true, OnBuild: ["RUN made"] }],
    [{ HostConfig: {} }, { Hostname: "own", Tty: true, OnBuild: ["RUN made"] }],
    [{ tty: null }, { Hostname: "", Tty: false, OnBuild: null }],
  ])("commit with the body %j, with or without a field of the config", async (body, expected) => {
    const id = await engine().create({ Cmd: ["true"], Hostname: "own", Tty: true, OnBuild: ["RUN made"] });
    const made = await engine().must(201, "POST", `/commit?container=${id}`, body);
    const { Id } = made.json<{ Id: string }>();
    expect((await engine().read<Inspect>(`/images/${Id}/json`)).Config).toMatchObject(expected);
    await engine().remove(id);
    await engine().must(200, "DELETE", `/images/${Id}`);
  });

  async function load(archive: Uint8Array, query = "quiet=1"): Promise<Json[]> {
    const headers = { "Content-Type": "application/x-tar" };
    const answer = await engine().must(200, "POST", `/images/load?${query}`, archive, { headers });
    const lines = answer.text.split("\n").filter((line) => line.trim() !== "");
    return lines.map((line) => JSON.parse(line) as Json);
  }
});

interface Inspect {
  readonly Id: string;
  readonly RepoTags: readonly string[];
  readonly Size: number;
  readonly Config: Json;
  readonly RootFS: { readonly Layers: readonly string[] };
}
