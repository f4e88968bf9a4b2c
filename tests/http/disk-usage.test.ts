// The disk usage of images, containers and volumes, from stored figures.
import { expect, test } from "vitest";
import { REFERENCE, SIMULATED } from "../support/allowed-skips.js";
import { pause, until } from "../support/commands.js";
import { messageOf } from "../support/engine-client.js";
import { onOwnEngines, testExcept } from "../support/on-engines.js";

interface Container {
  Id: string;
  SizeRw?: number;
  SizeRootFs: number;
}

interface Volume {
  Name: string;
  UsageData: { Size: number; RefCount: number };
}

interface Sums {
  ActiveCount: number;
  TotalCount: number;
  TotalSize: number;
  Reclaimable: number;
  Items?: unknown[];
}

interface Usage {
  LayersSize: number;
  Images: { Id: string; Containers: number; SharedSize: number; Size: number }[];
  Containers: Container[];
  Volumes: Volume[];
  BuildCache: unknown[] | null;
}

interface NewUsage {
  ImageUsage: Sums;
  ContainerUsage: Sums;
  VolumeUsage: Sums;
  BuildCacheUsage: Sums;
}

const WRITTEN = 3 << 20;
const WRITES = ["sh", "-c", "dd if=/dev/zero of=/big bs=1M count=3 2>/dev/null; echo hello > /data/file"];

onOwnEngines("disk usage", (engine, kind) => {
  test("an ended container, its volume, its image", async () => {
    const id = await engine().create({ Cmd: WRITES, Volumes: { "/data": {} } });
    await engine().start(id);
    await engine().wait(id);
    const usage = await usageUntil((found) => sizeOf(found, id) === WRITTEN && found.Volumes[0]?.UsageData.Size === 6);
    const [image] = usage.Images;
    expect(usage.Images.length).toBe(1);
    expect(usage.LayersSize).toBe(image!.Size);
    expect([image!.Containers, image!.SharedSize]).toEqual([1, 0]);
    expect(usage.Containers.find(({ Id }) => Id === id)?.SizeRootFs).toBe(WRITTEN + image!.Size);
    expect(usage.Volumes.map(({ UsageData }) => UsageData)).toEqual([{ Size: 6, RefCount: 1 }]);
    expect(usage.BuildCache).toEqual(engine().expected("df-build-cache", [], null));
    await engine().must(204, "DELETE", `/containers/${id}?v=1`);
    expect((await engine().read<Usage>("/system/df")).Volumes).toEqual([]);
  });

  test("an image in use twice, a committed one that shares its layers", async () => {
    const ids = [await engine().create(), await engine().create()];
    const { Id } = (await engine().must(201, "POST", `/commit?container=${ids[0]}&repo=twin`, {})).json<{
      Id: string;
    }>();
    const { Images, LayersSize } = await engine().read<Usage>("/system/df");
    const twin = Images.find((image) => image.Id === Id)!;
    const base = Images.find((image) => image.Id !== Id)!;
    expect([base.Containers, twin.Containers]).toEqual([2, 0]);
    expect([base.SharedSize, twin.SharedSize]).toEqual([base.Size, base.Size]);
    expect(LayersSize).toBe(base.Size);
    await engine().must(200, "DELETE", `/images/twin`);
    for (const id of ids) await engine().remove(id);
  });

  test("a running container is measured while requests ask for it", async () => {
    const id = await engine().running({
      Cmd: ["sh", "-c", `${WRITES[2]}; echo done; sleep 1000`],
      Volumes: { "/data": {} },
    });
    await until("it to have written", async () => (await engine().logs(id)).stdout === "done\n");
    const [listed] = await engine().read<Container[]>("/containers/json?size=1");
    expect(listed?.SizeRw).toBe(WRITTEN);
    expect(sizeOf(await engine().read<Usage>("/system/df"), id)).toBe(WRITTEN);
    await engine().must(204, "DELETE", `/containers/${id}?v=1&force=1`);
  });

  testExcept(kind, { simulated: SIMULATED.killed, reference: REFERENCE.killed })(
    "the figures before kill -9 are the first answer after it, and changes since are measured without a request",
    async () => {
      const Cmd = ["sh", "-c", `${WRITES[2]}; echo done; sleep 1000`];
      const id = await engine().running({ Cmd, Volumes: { "/data": {} } });
      await until("it to have written", async () => (await engine().logs(id)).stdout === "done\n");
      await killedAndStarted();
      const before = await usageUntil(
        (usage) => sizeOf(usage, id) === WRITTEN && usage.Volumes[0]?.UsageData.Size === 6,
      );
      expect([sizeOf(before, id), before.Volumes[0]?.UsageData]).toEqual([WRITTEN, { Size: 6, RefCount: 1 }]);
      await killedAndStarted();
      expect(figures(await engine().read<Usage>("/system/df"))).toEqual(figures(before));
      await engine().must(204, "DELETE", `/containers/${id}?v=1&force=1`);
    },
  );

  testExcept(kind, { reference: REFERENCE.after141 })("sums from 1.52 on, with lists on request", async () => {
    const at = async <T>(version: string, query: string): Promise<T> =>
      (await engine().must(200, "GET", `/system/df${query}`, undefined, { version })).json<T>();
    const id = await engine().create();
    const old = await at<Usage & Partial<NewUsage>>("1.51", "");
    expect(old).not.toHaveProperty("ImageUsage");
    const both = await at<Usage & NewUsage>("1.52", "");
    expect(both.ImageUsage).toEqual({ ActiveCount: 1, TotalCount: 1, TotalSize: both.LayersSize, Reclaimable: 0 });
    expect(both.ContainerUsage).toEqual({ ActiveCount: 0, TotalCount: 1, TotalSize: 0, Reclaimable: 0 });
    expect(both.Containers.map(({ Id }) => Id)).toEqual([id]);
    const verbose = await at<Usage & NewUsage>("1.52", "?verbose=1");
    expect(Object.keys(verbose).sort()).toEqual(["BuildCacheUsage", "ContainerUsage", "ImageUsage", "VolumeUsage"]);
    expect(verbose.ImageUsage.Items).toEqual(both.Images);
    expect(verbose.ContainerUsage.Items?.length).toBe(1);
    const brief = await at<NewUsage>("1.52", "?verbose=False");
    expect([Object.keys(brief).length, brief.ImageUsage]).toEqual([4, both.ImageUsage]);
    const refused = await engine().call("GET", "/system/df?verbose=yes", undefined, { version: "1.52" });
    expect([refused.status, messageOf(refused)]).toEqual([400, "invalid value for verbose: yes"]);
    expect(await at<Usage>("1.51", "?verbose=yes")).toEqual(old);
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("kinds can be chosen from 1.42 on", async () => {
    const keys = async (version: string, query: string): Promise<string[]> =>
      Object.keys((await engine().must(200, "GET", `/system/df${query}`, undefined, { version })).json<object>());
    expect(await keys("1.42", "?type=container&type=volume")).toEqual(["Containers", "Volumes"]);
    expect(await keys("1.51", "?type=image")).toEqual(["LayersSize", "Images"]);
    expect(await keys("1.52", "?type=build-cache")).toEqual(["BuildCache", "BuildCacheUsage"]);
    expect((await keys("1.41", "?type=odd")).length).toBeGreaterThan(4);
    const refused = await engine().call("GET", "/system/df?type=odd", undefined, { version: "1.42" });
    expect([refused.status, messageOf(refused)]).toEqual([400, "unknown object type: odd"]);
  });

  async function killedAndStarted(): Promise<void> {
    await engine().daemon.end("SIGKILL");
    await engine().daemon.start();
  }

  /** The figures are updated a moment after the end or start. */
  async function usageUntil(holds: (usage: Usage) => boolean): Promise<Usage> {
    for (let round = 0; ; round++) {
      const usage = await engine().read<Usage>("/system/df");
      if (holds(usage) || round === 1000) return usage;
      await pause(50);
    }
  }
});

function figures({ Containers, Volumes }: Usage): unknown {
  return [
    Containers.map(({ Id, SizeRw, SizeRootFs }) => [Id, SizeRw, SizeRootFs]),
    Volumes.map(({ Name, UsageData }) => [Name, UsageData]),
  ];
}

function sizeOf({ Containers }: Usage, id: string): number | undefined {
  return Containers.find(({ Id }) => Id === id)?.SizeRw;
}
