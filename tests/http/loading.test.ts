// POST /images/load of invalid archives: they are refused in the stream, cannot escape, and leave nothing behind.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { until } from "../support/commands.js";
import type { Json } from "../support/engine-client.js";
import { dockerArchive, imageConfig, sha256, tarOf, type ImageSpec } from "../support/archives/images.js";
import { onEngines } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";
import { RawConnection } from "../support/raw-http.js";
import { readSaved } from "../support/archives/saved.js";
import { rawTar, zstdStored, type RawEntry } from "../support/archives/tar.js";

const LAYER = rawTar([{ name: "a", body: "of a bad archive" }]);
const SPEC: ImageSpec = { reference: "bad:1", config: {}, layers: [LAYER, LAYER] };
const CONFIG: RawEntry = { name: "c.json", body: imageConfig(SPEC) };
const TAR: RawEntry = { name: "l.tar", body: LAYER };
const LISTED = { Config: "c.json", RepoTags: ["bad:1"], Layers: ["l.tar", "l.tar"] };
const OTHER = rawTar([{ name: "b", body: "other" }]);

/** The fault, the archive, and the error (and the reference's, if its message differs). */
const ARCHIVES: readonly [what: string, archive: Buffer, says: RegExp, reference?: RegExp][] = [
  ["a missing list", rawTar([CONFIG, TAR]), /does not contain a manifest\.json/, /repositories: no such file/],
  ["a list that is not JSON", rawTar([{ name: "manifest.json", body: "nope" }]), /^invalid character 'o'/],
  ["JSON other than a list of images", listed({}), /manifest\.json is no list of images/, /cannot unmarshal object/],
  ["a missing config", rawTar([list([LISTED]), TAR]), /"c\.json" does not exist/, /c\.json: no such file/],
  ["a config that is not JSON", listed([{ ...LISTED, Config: "l.tar" }]), /^invalid character 'a'/],
  ["a missing layer", rawTar([list([LISTED]), CONFIG]), /"l\.tar" does not exist/, /l\.tar: no such file/],
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
    "a link to the outside",
    rawTar([list([{ ...LISTED, Config: "s" }]), { name: "s", flag: "2", target: "/etc/passwd" }, CONFIG, TAR]),
    /"s" does not exist/,
    /passwd: no such file/,
  ],
  ["an invalid tag", listed([{ ...LISTED, RepoTags: ["bad"] }]), /^invalid tag "bad"$/],
  ["an invalid name", listed([{ ...LISTED, RepoTags: ["BAD:1"] }]), /^invalid reference format/],
  [
    "an image for another machine",
    rawTar([list([LISTED]), { ...CONFIG, body: String(imageConfig(SPEC)).replace('"linux"', '"windows"') }, TAR]),
    /^cannot load windows image on linux$/,
  ],
];

const WRONG = "json: cannot unmarshal";

/** Invalid parts of a config, and the error (and the reference's, if it differs). */
const CONFIGS: readonly [what: string, changed: Json, says: string, reference?: string][] = [
  [
    "a number for texts",
    { config: { Env: 5 } },
    `${WRONG} number into Go struct field Config.config.Env of type []string`,
  ],
  [
    "numbers among texts",
    { config: { Env: [5] } },
    `${WRONG} number into Go struct field Config.config.Env of type string`,
  ],
  [
    "a number for a command",
    { config: { Cmd: 5 } },
    `${WRONG} number into Go struct field Config.config.Cmd of type string`,
  ],
  [
    "a list of numbers for one",
    { config: { Entrypoint: [5] } },
    `${WRONG} array into Go struct field Config.config.Entrypoint of type string`,
  ],
  [
    "a number for a user",
    { config: { User: 5 } },
    `${WRONG} number into Go struct field Config.config.User of type string`,
  ],
  [
    "a list for labels",
    { config: { Labels: [] } },
    `${WRONG} array into Go struct field Config.config.Labels of type map[string]string`,
  ],
  [
    "numbers for labels",
    { config: { Labels: { a: 5 } } },
    `${WRONG} number into Go struct field Config.config.Labels of type string`,
  ],
  [
    "a list for volumes",
    { config: { Volumes: ["/x"] } },
    `${WRONG} array into Go struct field Config.config.Volumes of type map[string]struct {}`,
  ],
  [
    "a list for ports",
    { config: { ExposedPorts: ["80"] } },
    `${WRONG} array into Go struct field Config.config.ExposedPorts of type nat.PortSet`,
  ],
  [
    "a text for a check",
    { config: { Healthcheck: "x" } },
    `${WRONG} string into Go struct field Config.config.Healthcheck of type container.HealthConfig`,
  ],
  [
    "a text for an interval",
    { config: { Healthcheck: { Interval: "1s" } } },
    `${WRONG} string into Go struct field HealthConfig.config.Healthcheck.Interval of type time.Duration`,
  ],
  [
    "a list for the config",
    { config: [] },
    `${WRONG} array into Go struct field Image.config of type container.Config`,
  ],
  [
    "a text for the old config's flag",
    { container_config: { Tty: "x" } },
    `${WRONG} string into Go struct field Config.container_config.Tty of type bool`,
  ],
  ["a number instead of the system", { os: 5 }, `${WRONG} number into Go struct field Image.os of type string`],
  [
    "a number for the machine",
    { architecture: 5 },
    `${WRONG} number into Go struct field Image.architecture of type string`,
  ],
  ["a number instead of a parent", { parent: 5 }, `${WRONG} number into Go struct field Image.parent of type image.ID`],
  ["a text instead of a size", { Size: "x" }, `${WRONG} string into Go struct field Image.Size of type int64`],
  [
    "a text for features",
    { "os.features": "x" },
    `${WRONG} string into Go struct field Image.os.features of type []string`,
  ],
  [
    "a number for a history",
    { history: 5 },
    `${WRONG} number into Go struct field Image.history of type []image.History`,
  ],
  [
    "numbers for its steps",
    { history: [5] },
    `${WRONG} number into Go struct field Image.history of type image.History`,
  ],
  [
    "a number for a step's comment",
    { history: [{ comment: 5 }] },
    `${WRONG} number into Go struct field History.history.comment of type string`,
  ],
  [
    "more steps than layers",
    { history: [{}, {}, { empty_layer: true }, {}] },
    "too many non-empty layers in History section",
  ],
  ["a word instead of a time", { created: "yesterday" }, 'parsing time "yesterday"', 'parsing time "\\"yesterday\\""'],
  ["an empty time", { created: "" }, 'parsing time ""', 'parsing time "\\"\\""'],
  [
    "a date instead of a time",
    { created: "2020-01-01" },
    'parsing time "2020-01-01"',
    'parsing time "\\"2020-01-01\\""',
  ],
  ["a number instead of a time", { created: 5 }, "Time.UnmarshalJSON: input is not a JSON string", 'parsing time "5"'],
  ["a word instead of a step's time", { history: [{ created: "x" }] }, 'parsing time "x"', 'parsing time "\\"x\\""'],
  ["no layers at all", { rootfs: null }, "invalid image JSON, no RootFS key"],
  [
    "a number instead of layers",
    { rootfs: 5 },
    `${WRONG} number into Go struct field Image.rootfs of type image.RootFS`,
  ],
  [
    "a text for the list of layers",
    { rootfs: { diff_ids: "x" } },
    `${WRONG} string into Go struct field RootFS.rootfs.diff_ids of type []layer.DiffID`,
  ],
  [
    "numbers for layers",
    { rootfs: { diff_ids: [5] } },
    `${WRONG} number into Go struct field RootFS.rootfs.diff_ids of type layer.DiffID`,
  ],
  [
    "words for layers",
    { rootfs: { diff_ids: ["one", "two"] } },
    'invalid diffID for layer 0: "one" is no digest',
    'invalid diffID for layer 0: expected "one"',
  ],
  [
    "fewer layers than the archive has",
    { rootfs: { diff_ids: [] }, history: null },
    "invalid manifest, layers length mismatch: expected 2, got 0",
  ],
];

onEngines("loading", (engine, kind) => {
  test.each(CONFIGS)("a config with %s", async (_, changed, says, reference = says) => {
    const config = { ...(JSON.parse(String(imageConfig(SPEC))) as Json), ...changed };
    const lines = await load(rawTar([list([LISTED]), { name: "c.json", body: JSON.stringify(config) }, TAR]));
    expect(lines).toMatchObject([{ error: expect.any(String) }]);
    expect(
      String(lines[0]?.["error"]).startsWith(kind === "reference" ? reference : says),
      String(lines[0]?.["error"]),
    ).toBe(true);
    expect((await engine().call("GET", "/images/bad:1/json")).status).toBe(404);
  });

  test("a config is parsed like Go does it: names in any case, null for a missing value, unknown names ignored", async () => {
    const { rootfs, ...rest } = JSON.parse(String(imageConfig(SPEC))) as Json;
    const config = {
      ...rest,
      RootFS: rootfs,
      created: null,
      history: null,
      config: { CMD: "one word", Env: null, Xyz: 5 },
      more: [],
    };
    const lines = await load(rawTar([list([LISTED]), { name: "c.json", body: JSON.stringify(config) }, TAR]));
    expect(lines).toEqual([{ stream: "Loaded image: bad:1\n" }]);
    const image = await engine().read<Json>("/images/bad:1/json");
    await engine().must(200, "DELETE", "/images/bad:1");
    expect(image).toMatchObject({ Config: { Cmd: ["one word"] } });
  });

  test.each(ARCHIVES)("%s", async (_, archive, says, reference = says) => {
    const before = await stored();
    const lines = await load(archive);
    expect(lines).toEqual([{ errorDetail: { message: expect.any(String) }, error: expect.any(String) }]);
    const { error } = lines[0] as { error: string };
    expect(error).toMatch(kind === "reference" ? reference : says);
    expect(lines[0]!["errorDetail"]).toEqual({ message: error });
    expect((await engine().call("GET", "/images/bad:1/json")).status).toBe(404);
    // An invalid name is detected after the image is stored.
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

  test("a client that disconnects in the middle leaves nothing; the image can be loaded afterwards", async () => {
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

  test("many concurrent loads of an image give one image", async () => {
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

  /** Size of all layers in bytes. */
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
