// Prune of containers and of images: what goes, what stays, and what is told of it.
import { expect, test } from "vitest";
import { messageOf } from "../support/engine-client.js";
import { dockerArchive, imageConfig, sha256, tarOf, type ImageSpec } from "../support/images.js";
import { onEngines } from "../support/on-engines.js";
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
  test("what does not run goes, with its space; running and paused containers stay", async () => {
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

  test("labels and age choose", async () => {
    const kept = await engine().create({ Labels: { keep: "yes" } });
    const dropped = await engine().create({ Labels: { keep: "no", drop: "1" } });
    expect((await prune({ label: ["other"] })).ContainersDeleted).toBeNull();
    expect((await prune({ until: ["1h"] })).ContainersDeleted).toBeNull();
    expect((await prune({ "label!": ["keep=yes"] })).ContainersDeleted).toEqual([dropped]);
    const soon = [String(Math.ceil(Date.now() / 1000) + 5)];
    expect((await prune({ label: ["keep=yes"], until: soon })).ContainersDeleted).toEqual([kept]);
  });

  test("filters that are none are refused", async () => {
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
  test("images without a name go; on demand all that no container uses, by all their names", async () => {
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

  test("labels and age choose", async () => {
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

  test("parents without a name go with the last image that was made from them", async () => {
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

  test("filters that are none are refused", async () => {
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

/** Bytes of the only file. */
const SIZE = 1000;
const NOTHING: PrunedImages = { ImagesDeleted: null, SpaceReclaimed: 0 };

/** An image with a layer of its own. */
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
