// Prune of containers, of images and of kinds that have no objects: what is removed, what stays, and what is reported.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf } from "../support/engine-client.js";
import { dockerArchive, imageConfig, sha256, tarOf, type ImageSpec } from "../support/archives/images.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";

interface Pruned {
  readonly ContainersDeleted: string[] | null;
  readonly SpaceReclaimed: number;
}

interface PrunedImages {
  readonly ImagesDeleted: Record<string, string>[] | null;
  readonly SpaceReclaimed: number;
}

onEngines("prune", (engine) => {
  test("stopped containers are removed and their space reported; running and paused ones stay", async () => {
    const fresh = await engine().create();
    const filled = await engine().create({ Cmd: ["sh", "-c", "dd if=/dev/zero of=/filled bs=1024 count=200"] });
    await engine().start(filled);
    await engine().wait(filled);
    const running = await engine().running();
    const paused = await engine().running();
    await engine().must(204, "POST", `/containers/${paused}/pause`);
    const stopped = await engine().running({ Volumes: { "/data": {} } });
    await engine().must(204, "POST", `/containers/${stopped}/stop?t=0`);
    const since = await stamp(engine());
    const pruned = await prune();
    expect(pruned.ContainersDeleted?.toSorted()).toEqual([fresh, filled, stopped].sort());
    expect(pruned.SpaceReclaimed).toBeGreaterThanOrEqual(200 * 1024);
    const left = await engine().read<{ Id: string }[]>("/containers/json?all=1");
    expect(left.map(({ Id }) => Id).sort()).toEqual([running, paused].sort());
    const events = await past(engine(), since, { type: ["container"] });
    expect(events.map(({ Action }) => Action)).toEqual(["destroy", "destroy", "destroy", "prune"]);
    const last = events.at(-1);
    expect(last?.Actor).toEqual({ ID: "", Attributes: { reclaimed: String(pruned.SpaceReclaimed) } });
    expect([last?.status, last?.id, last?.from]).toEqual(["prune", undefined, undefined]);
    expect(await prune()).toEqual({ ContainersDeleted: null, SpaceReclaimed: 0 });
    for (const id of [running, paused]) await engine().remove(id);
  });

  test("filters by label and age", async () => {
    const kept = await engine().create({ Labels: { keep: "yes" } });
    const dropped = await engine().create({ Labels: { keep: "no", drop: "1" } });
    expect((await prune({ label: ["other"] })).ContainersDeleted).toBeNull();
    expect((await prune({ until: ["1h"] })).ContainersDeleted).toBeNull();
    expect((await prune({ "label!": ["keep=yes"] })).ContainersDeleted).toEqual([dropped]);
    const soon = [String(Math.ceil(Date.now() / 1000) + 5)];
    expect((await prune({ label: ["keep=yes"], until: soon })).ContainersDeleted).toEqual([kept]);
  });

  test("invalid filters are refused", async () => {
    const cases = [
      [{ name: ["x"] }, 400],
      [{ until: ["1m", "2m"] }, engine().expected("prune-until", 400, 500)],
      [{ until: ["soon"] }, engine().expected("prune-until", 400, 500)],
    ] as const;
    for (const [filters, status] of cases) {
      const answer = await engine().call("POST", `/containers/prune?filters=${encoded(filters)}`);
      expect([filters, answer.status]).toEqual([filters, status]);
      expect(messageOf(answer)).not.toBe("");
    }
  });

  async function prune(filters: unknown = {}): Promise<Pruned> {
    return (await engine().must(200, "POST", `/containers/prune?filters=${encoded(filters)}`)).json<Pruned>();
  }
});

onEngines("prune of images", (engine) => {
  test("images without a name are removed; on request all unused ones, with all their names", async () => {
    const [bare, gone, used] = [
      await specOf(null, "bare"),
      await specOf("gone:1", "gone"),
      await specOf("used:1", "used"),
    ];
    await engine().load(await dockerArchive([bare, gone, used]));
    await engine().must(201, "POST", "/images/gone:1/tag?repo=gone&tag=2");
    const user = await engine().create({ Image: "used:1", Cmd: ["true"] });
    const since = await stamp(engine());
    expect(await prune({ label: ["prune"] })).toEqual({ ImagesDeleted: deleted(bare), SpaceReclaimed: SIZE });
    expect(await prune({ dangling: ["true"], label: ["prune"] })).toEqual(NOTHING);
    const untagged = [{ Untagged: "gone:1" }, { Untagged: "gone:2" }];
    expect(await prune({ dangling: ["false"], label: ["prune"] })).toEqual({
      ImagesDeleted: [...untagged, ...deleted(gone)],
      SpaceReclaimed: SIZE,
    });
    const events = await past(engine(), since, { type: ["image"] });
    expect(events.map(({ Action }) => Action)).toEqual([
      "delete",
      "prune",
      "prune",
      "untag",
      "untag",
      "delete",
      "prune",
    ]);
    expect(events.at(-1)?.Actor).toEqual({ ID: "", Attributes: { reclaimed: String(SIZE) } });
    await engine().remove(user);
    expect((await prune({ dangling: ["0"], label: ["prune"] })).ImagesDeleted).toEqual([
      { Untagged: "used:1" },
      ...deleted(used),
    ]);
    expect((await engine().call("GET", "/images/busybox/json")).status).toBe(200);
  });

  test("filters by label and age", async () => {
    const [one, two] = [await specOf("one:1", "one"), await specOf("two:1", "two")];
    await engine().load(await dockerArchive([one, two]));
    const all = { dangling: ["false"], label: ["prune"] };
    expect(await prune({ ...all, until: ["2023-12-31"] })).toEqual(NOTHING);
    const first = await prune({ ...all, until: ["2024-01-02"], "label!": ["prune=two"] });
    expect(first.ImagesDeleted).toEqual([{ Untagged: "one:1" }, ...deleted(one)]);
    expect((await prune({ ...all, label: ["prune=two"] })).SpaceReclaimed).toBe(SIZE);
  });

  test("an image in use keeps one name", async () => {
    await engine().load(await dockerArchive([await specOf("kept:1", "kept")]));
    await engine().must(201, "POST", "/images/kept:1/tag?repo=kept&tag=2");
    const user = await engine().create({ Image: "kept:1", Cmd: ["true"] });
    const all = { dangling: ["false"], label: ["prune=kept"] };
    expect((await prune(all)).ImagesDeleted).toEqual([{ Untagged: "kept:1" }]);
    expect(await prune(all)).toEqual(NOTHING);
    await engine().remove(user);
    await engine().must(200, "DELETE", "/images/kept:2");
  });

  test("unnamed parents are removed with the last image made from them", async () => {
    await engine().load(await dockerArchive([await specOf("parent:1", "parent")]));
    const container = await engine().create({ Image: "parent:1", Cmd: ["true"] });
    const committed = await engine().must(201, "POST", `/commit?container=${container}`, {});
    await engine().remove(container);
    await engine().must(200, "DELETE", "/images/parent:1");
    const { Id } = committed.json<{ Id: string }>();
    const { ImagesDeleted } = await prune({ label: ["prune=parent"] });
    expect(ImagesDeleted).toContainEqual({ Deleted: Id });
    expect(ImagesDeleted).toEqual(expect.arrayContaining(deleted(await specOf(null, "parent"))));
  });

  test("invalid filters are refused", async () => {
    for (const filters of [{ name: ["x"] }, { dangling: ["perhaps"] }]) {
      const answer = await engine().call("POST", `/images/prune?filters=${encoded(filters)}`);
      expect([filters, answer.status]).toEqual([filters, 400]);
      expect(messageOf(answer).toLowerCase()).toContain(`invalid filter '${Object.keys(filters)[0]}`);
    }
  });

  async function prune(filters: unknown): Promise<PrunedImages> {
    return (await engine().must(200, "POST", `/images/prune?filters=${encoded(filters)}`)).json<PrunedImages>();
  }
});

onEngines("prune with nothing to remove", (engine, kind) => {
  const asked = async (path: string, version = "1.41"): Promise<readonly [number, string]> => {
    const answer = await engine().call("POST", path, undefined, { version });
    return [answer.status, answer.status === 200 ? answer.text : messageOf(answer)];
  };

  test("networks, volumes and the build cache answer that nothing was removed, each in its own format", async () => {
    const since = await stamp(engine());
    expect(await asked("/networks/prune")).toEqual([200, '{"NetworksDeleted":null}\n']);
    expect(await asked("/volumes/prune")).toEqual([200, '{"VolumesDeleted":[],"SpaceReclaimed":0}\n']);
    expect(await asked("/build/prune?all=1")).toEqual([200, '{"CachesDeleted":null,"SpaceReclaimed":0}\n']);
    const events = await past(engine(), since);
    const nothing = { ID: "", Attributes: { reclaimed: "0" } };
    expect(events.map(({ Type, Action, Actor }) => [Type, Action, Actor])).toEqual(
      ["network", "volume", "builder"].map((type) => [type, "prune", nothing]),
    );
  });

  test("a volume in use stays", async () => {
    const id = await engine().create({ Cmd: ["true"], Volumes: { "/data": {} } });
    expect((await asked("/volumes/prune"))[1]).toContain('"VolumesDeleted":[]');
    await engine().remove(id);
  });

  test.each([
    ["networks", { x: ["1"] }, "Invalid filter 'x'"],
    ["volumes", { until: ["1h"] }, "Invalid filter 'until'"],
    ["build", { x: ["1"] }, "failed to prune build cache: Invalid filter 'x'"],
    ["build", { id: ["a", "b"] }, "failed to prune build cache: filters expect only one value"],
    ["build", { until: ["1h", "2h"] }, "failed to prune build cache: filters expect only one value"],
    [
      "build",
      { until: ["1h"], "unused-for": ["1h"] },
      'failed to prune build cache: conflicting filters: "until" and "unused-for"',
    ],
  ])("%s refuse the filters %j", async (what, filters, text) => {
    const ours = text.replace("Invalid filter", "invalid filter");
    const wanted = [400, engine().expected("bad-filter", ours, text)];
    expect(await asked(`/${what}/prune?filters=${encoded(filters)}`)).toEqual(wanted);
  });

  test("known filters have nothing to select", async () => {
    for (const [what, filters] of [
      ["networks", { until: ["1h"], label: ["a"], "label!": ["b"] }],
      ["volumes", { label: ["a"], "label!": ["b"] }],
      ["build", { "unused-for": ["24h"], inuse: ["1"], label: ["a"], type: ["regular"] }],
    ] as const) {
      expect([what, (await asked(`/${what}/prune?filters=${encoded(filters)}`))[0]]).toEqual([what, 200]);
    }
  });

  testExcept(kind, { reference: REFERENCE.after141 })("limits of the cache, by version", async () => {
    const text = (name: string) => `${name} is in bytes and expects an integer, got x: strconv.Atoi: parsing "x": `;
    for (const [name, version, isRead] of [
      ["keep-storage", "1.47", true],
      ["reserved-space", "1.47", false],
      ["keep-storage", "1.48", true],
      ["reserved-space", "1.48", true],
      ["max-used-space", "1.55", true],
      ["min-free-space", "1.55", true],
    ] as const) {
      const [status, message] = await asked(`/build/prune?${name}=x`, version);
      expect([name, version, status]).toEqual([name, version, isRead ? 400 : 200]);
      if (isRead) expect(message).toContain(text(name));
    }
    expect((await asked(`/build/prune?filters=${encoded({ until: ["soon"] })}`, "1.55"))[0]).toBe(400);
  });
});

onEngines("removals that are refused", (engine) => {
  const answered = async (path: string): Promise<unknown[]> => {
    const answer = await engine().call("DELETE", path);
    return [answer.status, answer.status === 204 ? answer.text : messageOf(answer)];
  };

  test("networks: the predefined ones, by name and by id, and missing ones", async () => {
    const networks = await engine().read<{ Id: string; Name: string }[]>("/networks");
    for (const { Id, Name } of networks) {
      const wanted = [403, `${Name} is a pre-defined network and cannot be removed`];
      for (const reference of [Name, Id, Id.slice(0, 12)])
        expect(await answered(`/networks/${reference}`)).toEqual(wanted);
    }
    expect(await answered("/networks/nope")).toEqual([404, "network nope not found"]);
  });

  test("volumes: missing ones, and those in use", async () => {
    expect(await answered("/volumes/nope")).toEqual([404, "get nope: no such volume"]);
    expect(await answered("/volumes/nope?force=1")).toEqual([204, ""]);
    const id = await engine().create({ Cmd: ["true"], HostConfig: { Binds: ["in-use:/data"] } });
    const wanted = [409, `remove in-use: volume is in use - [${id}]`];
    for (const path of ["/volumes/in-use", "/volumes/in-use?force=1"]) expect(await answered(path)).toEqual(wanted);
    await engine().remove(id);
  });
});

/** Size of the only file. */
const SIZE = 1000;
const NOTHING: PrunedImages = { ImagesDeleted: null, SpaceReclaimed: 0 };

/** An image with its own layer. */
async function specOf(reference: string | null, name: string): Promise<ImageSpec> {
  const layers = [await tarOf([{ name, body: name.padEnd(SIZE, ".") }])];
  return { reference, config: { Cmd: ["true"], Labels: { prune: name } }, layers };
}

function deleted(spec: ImageSpec): { Deleted: string }[] {
  return [imageConfig(spec), spec.layers[0]!].map((bytes) => ({ Deleted: `sha256:${sha256(bytes)}` }));
}

function encoded(filters: unknown): string {
  return encodeURIComponent(JSON.stringify(filters));
}
