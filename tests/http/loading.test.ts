// POST /images/load of archives as nobody should send them: refused in the stream, confined, and nothing of them stays.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { until } from "../support/commands.js";
import type { Json } from "../support/engine-client.js";
import { dockerArchive, imageConfig, sha256, tarOf, type ImageSpec } from "../support/images.js";
import { onEngines } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";
import { RawConnection } from "../support/raw-http.js";
import { readSaved } from "../support/saved.js";
import { rawTar, zstdStored, type RawEntry } from "../support/tar.js";

const LAYER = rawTar([{ name: "a", body: "of a bad archive" }]);
const SPEC: ImageSpec = { reference: "bad:1", config: {}, layers: [LAYER, LAYER] };
const CONFIG: RawEntry = { name: "c.json", body: imageConfig(SPEC) };
const TAR: RawEntry = { name: "l.tar", body: LAYER };
const LISTED = { Config: "c.json", RepoTags: ["bad:1"], Layers: ["l.tar", "l.tar"] };
const OTHER = rawTar([{ name: "b", body: "other" }]);

/** What is wrong, the archive, and what is said of it (by the reference, where its words are its own). */
const ARCHIVES: readonly [what: string, archive: Buffer, says: RegExp, reference?: RegExp][] = [
  ["no list", rawTar([CONFIG, TAR]), /does not contain a manifest\.json/, /repositories: no such file/],
  ["a list that is no JSON", rawTar([{ name: "manifest.json", body: "nope" }]), /^invalid character 'o'/],
  ["no list of images", listed({}), /manifest\.json is no list of images/, /cannot unmarshal object/],
  ["no config", rawTar([list([LISTED]), TAR]), /"c\.json" does not exist/, /c\.json: no such file/],
  ["a config that is no JSON", listed([{ ...LISTED, Config: "l.tar" }]), /^invalid character 'a'/],
  ["no layer", rawTar([list([LISTED]), CONFIG]), /"l\.tar" does not exist/, /l\.tar: no such file/],
  ["too few layers", listed([{ ...LISTED, Layers: ["l.tar"] }]), /layers length mismatch: expected 1, got 2$/],
  [
    "other layers",
    rawTar([list([LISTED]), CONFIG, { name: "l.tar", body: OTHER }]),
    new RegExp(`^invalid diffID for layer 0: expected "sha256:${sha256(LAYER)}", got "sha256:${sha256(OTHER)}"$`),
  ],
  [
    "a layer that is junk",
    rawTar([list([LISTED]), CONFIG, { name: "l.tar", body: Buffer.alloc(3000, "junk") }]),
    /^Error processing tar file\(exit status 1\): archive\/tar: invalid tar header$/,
  ],
  ["a config outside", listed([{ ...LISTED, Config: "../".repeat(20) + "etc/passwd" }]), /passwd/],
  ["a config from the root", listed([{ ...LISTED, Config: "/etc/passwd" }]), /passwd/],
  [
    "a link that leads out",
    rawTar([list([{ ...LISTED, Config: "s" }]), { name: "s", flag: "2", target: "/etc/passwd" }, CONFIG, TAR]),
    /"s" does not exist/,
    /passwd: no such file/,
  ],
  ["a tag that is none", listed([{ ...LISTED, RepoTags: ["bad"] }]), /^invalid tag "bad"$/],
  ["a name that is none", listed([{ ...LISTED, RepoTags: ["BAD:1"] }]), /^invalid reference format/],
  [
    "what the machine cannot run",
    rawTar([list([LISTED]), { ...CONFIG, body: String(imageConfig(SPEC)).replace('"linux"', '"windows"') }, TAR]),
    /^cannot load windows image on linux$/,
  ],
];

onEngines("loading", (engine, kind) => {
  test.each(ARCHIVES)("%s", async (_, archive, says, reference = says) => {
    const before = await stored();
    const lines = await load(archive);
    expect(lines).toEqual([{ errorDetail: { message: expect.any(String) }, error: expect.any(String) }]);
    const { error } = lines[0] as { error: string };
    expect(error).toMatch(kind === "reference" ? reference : says);
    expect(lines[0]!["errorDetail"]).toEqual({ message: error });
    expect((await engine().call("GET", "/images/bad:1/json")).status).toBe(404);
    // A name that is none is found out once the image is there.
    await engine().call("DELETE", `/images/${sha256(imageConfig(SPEC))}`);
    await until("what was unpacked to be dropped", async () => (await stored()) === before);
  });

  test("a layer that is a link to another, in any compression", async () => {
    const link: RawEntry = { name: "d/s", flag: "2", target: "../l.tar" };
    const archive = rawTar([list([{ ...LISTED, Layers: ["l.tar", "d/s"] }]), link, CONFIG, TAR]);
    const compressions = kind === "reference" ? [gzipSync] : [gzipSync, zstdStored];
    for (const compress of compressions) {
      const inner = rawTar([list([LISTED]), CONFIG, { name: "l.tar", body: compress(LAYER) }]);
      for (const body of [archive, compress(archive), compress(inner)]) {
        expect(await load(body)).toEqual([{ stream: "Loaded image: bad:1\n" }]);
        const saved = await engine().must(200, "GET", "/images/bad:1/get");
        const layer = `sha256:${sha256(LAYER)}`;
        expect((await readSaved(saved.body))![0]!.layers).toEqual([layer, layer]);
        await engine().must(200, "DELETE", "/images/bad:1");
      }
    }
  });

  test("a client that goes away in the middle leaves nothing; the image can be loaded then", async () => {
    const [before, whole] = [await stored(), await dockerArchive([SPEC])];
    const connection = await RawConnection.open(engine().socketPath);
    const head = `POST /v1.41/images/load HTTP/1.1\r\nHost: x\r\nContent-Length: ${whole.length}\r\n\r\n`;
    connection.send(head);
    connection.send(whole.subarray(0, whole.length - 2000));
    connection.close();
    await until("what had come to be dropped", async () => (await stored()) === before);
    expect((await engine().call("GET", "/images/bad:1/json")).status).toBe(404);
    expect(await load(whole)).toEqual([{ stream: "Loaded image: bad:1\n" }]);
    await engine().must(200, "DELETE", "/images/bad:1");
  });

  test("the same image by many at once is one", async () => {
    const layers = [LAYER, await tarOf([{ name: "b", body: Buffer.alloc(300_000, "b") }])];
    const archives = await Promise.all(
      [1, 2, 3, 4].map((at) => dockerArchive([{ ...SPEC, layers, reference: `many:${at}` }])),
    );
    const since = await stamp(engine());
    const said = await Promise.all(archives.map(load));
    expect(said).toEqual([1, 2, 3, 4].map((at) => [{ stream: `Loaded image: many:${at}\n` }]));
    const id = `sha256:${sha256(imageConfig({ ...SPEC, layers }))}`;
    const { Id, RepoTags } = await engine().read<{ Id: string; RepoTags: string[] }>("/images/many:1/json");
    expect([Id, RepoTags.toSorted()]).toEqual([id, ["many:1", "many:2", "many:3", "many:4"]]);
    const events = await past(engine(), since, { type: ["image"] });
    expect(events.map(({ Action, Actor }) => [Action, Actor.ID, Actor.Attributes["name"]])).toEqual(
      Array.from({ length: 4 }, () => ["load", id, id]),
    );
    for (const tag of RepoTags) await engine().must(200, "DELETE", `/images/${tag}`);
  });

  async function load(archive: Uint8Array): Promise<Json[]> {
    const headers = { "Content-Type": "application/x-tar" };
    const answer = await engine().must(200, "POST", "/images/load?quiet=1", archive, { headers });
    const lines = answer.text.split("\n").filter((line) => line.trim() !== "");
    return lines.map((line) => JSON.parse(line) as Json);
  }

  /** Bytes of all layers. */
  async function stored(): Promise<number> {
    return (await engine().read<{ LayersSize: number }>("/system/df")).LayersSize;
  }
});

function list(value: unknown): RawEntry {
  return { name: "manifest.json", body: JSON.stringify(value) };
}

function listed(value: unknown): Buffer {
  return rawTar([list(value), CONFIG, TAR]);
}
