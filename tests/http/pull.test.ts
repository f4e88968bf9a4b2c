// Pull from a real registry: the lines of the answer, what is stored, and what is not fetched again.
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../support/registry/docker-registry.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { busyboxLayer, tarOf } from "../support/archives/images.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";
import { askPull, pullLines, shortId, smallImage } from "../support/registry/pulls.js";
import { zstdFrame } from "../support/registry/zstd-frame.js";
import { digestOf, packImage, packIndex, pushImage, pushManifest } from "../support/registry/push-image.js";

onEngines(
  "pull",
  (engine, kind) => {
    let registry: DockerRegistry;
    beforeAll(async () => {
      registry = await startDockerRegistry(engine().daemon.netns);
    });
    afterAll(async () => registry.close());

    test("one layer: every line in its order", async () => {
      const image = packImage(await smallImage("one", 1));
      await pushImage(registry, "one", ["1"], image);
      const lines = await pullLines(engine(), `fromImage=${registry.host}/one&tag=1`);
      const layer = shortId(image.layers[0]?.bytes);
      const steady = lines.filter((line) => line["status"] !== "Downloading" && line["status"] !== "Extracting");
      const all = [
        { status: "Pulling from one", id: "1" },
        { status: "Pulling fs layer", progressDetail: {}, id: layer },
        { status: "Verifying Checksum", progressDetail: {}, id: layer },
        { status: "Download complete", progressDetail: {}, id: layer },
        { status: "Pull complete", progressDetail: {}, id: layer },
        { status: `Digest: ${image.digest}` },
        { status: `Status: Downloaded newer image for ${registry.host}/one:1` },
      ];
      const told = all.filter(({ status }) => steady.some((line) => line["status"] === status));
      expect(steady).toEqual(engine().expected("pull-lines", all, told));
      expect(steady.length).toBeGreaterThan(4);
      const total = image.layers[0]?.bytes.length;
      const extracting = lines.filter((line) => line["status"] === "Extracting");
      expect(extracting.at(-1)).toMatchObject({ id: layer, progressDetail: { current: total, total } });
      const found = await engine().read<Json>(`/images/${registry.host}/one:1/json`);
      expect(found).toMatchObject({
        Id: image.id,
        RepoTags: [`${registry.host}/one:1`],
        RepoDigests: [`${registry.host}/one@${image.digest}`],
      });
    });

    test("each pull has an event, even if nothing is new; a failed one has none", async () => {
      await pushImage(registry, "told", ["1"], packImage(await smallImage("told", 1)));
      const since = await stamp(engine());
      for (const tag of ["1", "1"]) await pullLines(engine(), `fromImage=${registry.host}/told&tag=${tag}`);
      await askPull(engine(), `fromImage=${registry.host}/told&tag=none`);
      const events = await past(engine(), since, { type: ["image"] });
      const told = { ID: `${registry.host}/told:1`, Attributes: { name: `${registry.host}/told` } };
      expect(events.map(({ Action, Actor }) => [Action, Actor])).toEqual([
        ["pull", told],
        ["pull", told],
      ]);
    });

    test("again: nothing but three lines", async () => {
      const image = packImage(await smallImage("again", 2));
      await pushImage(registry, "again", ["1", "2"], image);
      await pullLines(engine(), `fromImage=${registry.host}/again&tag=1`);
      const lines = (tag: string, status: string): Json[] => [
        { status: "Pulling from again", id: tag },
        { status: `Digest: ${image.digest}` },
        { status: `Status: ${status} for ${registry.host}/again:${tag}` },
      ];
      expect(await pullLines(engine(), `fromImage=${registry.host}/again&tag=1`)).toEqual(
        lines("1", "Image is up to date"),
      );
      expect(await pullLines(engine(), `fromImage=${registry.host}/again&tag=2`)).toEqual(
        lines("2", "Downloaded newer image"),
      );
    });

    test("five layers: announced in order, extracted strictly base first, waiting beyond three", async () => {
      const image = packImage(await smallImage("five", 5, 200_000));
      await pushImage(registry, "five", ["1"], image);
      const lines = await pullLines(engine(), `fromImage=${registry.host}/five&tag=1`);
      const ids = image.layers.map((layer) => shortId(layer.bytes));
      const of = (status: string): unknown[] =>
        lines.filter((line) => line["status"] === status).map((line) => line["id"]);
      expect(lines.slice(1, 6).map((line) => [line["status"], line["id"]])).toEqual(
        ids.map((id) => ["Pulling fs layer", id]),
      );
      expect(of("Pull complete")).toEqual(ids);
      expect([...new Set(of("Extracting"))]).toEqual(ids);
      expect([...of("Download complete")].sort()).toEqual([...ids].sort());
      expect(of("Waiting")).toEqual(ids.slice(3));
    });

    test("existing layers are not pulled again", async () => {
      const base = await smallImage("base", 2);
      const more = { ...base, layers: [...base.layers, await tarOf([{ name: "more", body: "more" }])] };
      const [first, second] = [packImage(base), packImage(more)];
      await pushImage(registry, "base", ["1"], first);
      await pushImage(registry, "derived", ["1"], second);
      await pullLines(engine(), `fromImage=${registry.host}/base&tag=1`);
      const lines = await pullLines(engine(), `fromImage=${registry.host}/derived&tag=1`);
      const shared = first.layers.map((layer) => shortId(layer.bytes));
      for (const id of shared) {
        expect(lines.filter((line) => line["id"] === id).map((line) => line["status"])).toEqual(["Already exists"]);
      }
    });

    test("by digest", async () => {
      const image = packImage(await smallImage("digest", 1));
      await pushImage(registry, "digested", ["1"], image);
      const ref = `${registry.host}/digested@${image.digest}`;
      for (const query of [
        `fromImage=${registry.host}/digested&tag=${image.digest}`,
        `fromImage=${encodeURIComponent(ref)}`,
      ]) {
        const lines = await pullLines(engine(), query);
        expect(lines[0]).toEqual({ status: "Pulling from digested", id: ref });
        expect(lines.at(-1)?.["status"]).toMatch(new RegExp(`^Status: .* for ${ref}$`));
      }
      const found = await engine().read<{ RepoTags: string[]; RepoDigests: string[] }>(`/images/${ref}/json`);
      expect([found.RepoTags, found.RepoDigests]).toEqual([[], [ref]]);
    });

    test("OCI manifests and layers", async () => {
      const spec = await smallImage("oci", 2);
      const image = packImage(spec, "oci");
      await pushImage(registry, "oci", ["1"], image);
      await pullLines(engine(), `fromImage=${registry.host}/oci&tag=1`);
      expect((await engine().read<{ Id: string }>(`/images/${registry.host}/oci:1/json`)).Id).toBe(image.id);
      const plain = packImage(
        spec,
        "oci",
        spec.layers.map((bytes) => ({ mediaType: "application/vnd.oci.image.layer.v1.tar", bytes })),
      );
      await pushImage(registry, "plain", ["1"], plain);
      await pullLines(engine(), `fromImage=${registry.host}/plain&tag=1`);
    });

    testExcept(kind, { reference: REFERENCE.zstd })("layers compressed with zstd", async () => {
      const spec = await smallImage("zstd", 2, 100_000);
      const layers = spec.layers.map((layer) => ({
        mediaType: "application/vnd.oci.image.layer.v1.tar+zstd",
        bytes: zstdFrame(layer),
      }));
      const image = packImage(spec, "oci", layers);
      await pushImage(registry, "zstd", ["1"], image);
      await pullLines(engine(), `fromImage=${registry.host}/zstd&tag=1`);
      expect((await engine().read<{ Id: string }>(`/images/${registry.host}/zstd:1/json`)).Id).toBe(image.id);
    });

    test("an index: this machine's platform, or the one asked for", async () => {
      const own = packImage(await smallImage("own", 1), "oci");
      const other = packImage({ ...(await smallImage("other", 1)), architecture: "s390x" }, "oci");
      for (const image of [own, other]) await pushImage(registry, "index", [image.digest], image);
      const arch = process.arch === "x64" ? "amd64" : process.arch;
      const index = packIndex([
        ["linux/s390x", other],
        [`linux/${arch}`, own],
      ]);
      await pushManifest(registry, "index", "1", index);
      const lines = await pullLines(engine(), `fromImage=${registry.host}/index&tag=1`);
      expect(lines.at(-2)).toEqual({ status: `Digest: ${digestOf(index.bytes)}` });
      const found = await engine().read<{ Id: string; RepoDigests: string[] }>(`/images/${registry.host}/index:1/json`);
      expect([found.Id, found.RepoDigests]).toEqual([own.id, [`${registry.host}/index@${digestOf(index.bytes)}`]]);
      await pullLines(engine(), `fromImage=${registry.host}/index&tag=1&platform=linux/s390x`);
      expect((await engine().read<{ Id: string }>(`/images/${registry.host}/index:1/json`)).Id).toBe(other.id);
      const none = await pullLines(engine(), `fromImage=${registry.host}/index&tag=1&platform=linux/mips64le`);
      expect(none.at(-1)?.["error"]).toMatch(/^no matching manifest for linux\/mips64le in the manifest list entries/);
    });

    test("a pulled image runs; whiteouts, opaque directories, owners, modes, links", async () => {
      const upper = await tarOf([
        { name: "etc/.wh.group", body: "" },
        { name: "hidden/", type: "directory", mode: 0o755 },
        { name: "hidden/.wh..wh..opq", body: "" },
        { name: "hidden/new", body: "new" },
        { name: "own", body: "x", uid: 12, gid: 34, mode: 0o4751 },
        { name: "soft", type: "symlink", linkname: "own" },
        { name: "hard", type: "link", linkname: "own", uid: 12, gid: 34, mode: 0o4751 },
        { name: "fifo", type: "fifo", mode: 0o644 },
        { name: "when", body: "x", mtime: new Date("2001-02-03T04:05:06Z") },
      ]);
      const lower = await tarOf([
        { name: "hidden/", type: "directory", mode: 0o755 },
        { name: "hidden/old", body: "old" },
      ]);
      const image = packImage({
        reference: null,
        config: { Cmd: ["true"] },
        layers: [await busyboxLayer(), lower, upper],
      });
      await pushImage(registry, "tree", ["1"], image);
      await pullLines(engine(), `fromImage=${registry.host}/tree&tag=1`);
      const Image = `${registry.host}/tree:1`;
      const script =
        "ls /etc; ls /hidden; stat -c '%u %g %a %h' /own; readlink /soft; stat -c %F /fifo; stat -c %Y /when";
      const { stdout } = await engine().run({ Image, Cmd: ["sh", "-c", script] });
      const lines = stdout.trimEnd().split("\n");
      expect(lines).not.toContain("group");
      expect(lines).not.toContain("old");
      expect(lines.slice(-5)).toEqual([
        "new",
        "12 34 4751 2",
        "own",
        "fifo",
        String(Date.parse("2001-02-03T04:05:06Z") / 1000),
      ]);
    });

    test("without a tag every tag is pulled", async () => {
      const [a, b] = [packImage(await smallImage("tag-a", 1)), packImage(await smallImage("tag-b", 1))];
      await pushImage(registry, "alltags", ["a"], a);
      await pushImage(registry, "alltags", ["b"], b);
      const lines = await pullLines(engine(), `fromImage=${registry.host}/alltags`);
      const pulled = lines.filter((line) => line["status"] === "Pulling from alltags").map((line) => line["id"]);
      expect(pulled.sort()).toEqual(["a", "b"]);
      expect(lines.at(-1)).toEqual({ status: `Status: Downloaded newer image for ${registry.host}/alltags` });
    });

    test("unknown names and bad references", async () => {
      const unknown = await askPull(engine(), `fromImage=${registry.host}/nothing&tag=1`);
      expect(unknown.status).toBe(404);
      expect(messageOf(unknown)).toContain(`manifest for ${registry.host}/nothing:1 not found: manifest unknown`);
      for (const query of [
        `fromImage=upper/CASE&tag=1`,
        `fromImage=${registry.host}/x&tag=-bad`,
        "fromImage=a//b&tag=1",
      ]) {
        expect([query, (await askPull(engine(), query)).status]).toEqual([query, 400]);
      }
      const scratch = await askPull(engine(), "fromImage=scratch&tag=latest");
      expect([scratch.status, messageOf(scratch)]).toEqual([403, "'scratch' is a reserved name"]);
    });
  },
  { missing: dockerRegistryMissing() },
);
