// Stored layer tars on disk, and the result when they are missing or changed. Needs root.

import { readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TarSplitFile } from "../../../runtime-linux/content/layers/tar-split.js";
import { describeUnless } from "../../support/on-engines.js";
import { digestOf } from "../../support/registry/push-image.js";
import { rawTar } from "../../support/archives/tar.js";
import { failed, missing, openFixture, tree, type Fixture } from "./content-fixture.js";

let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
});
afterEach(() => fixture.close());

const TAR = rawTar([
  { name: "d/", flag: "5", mode: 0o755 },
  { name: "d/secret", body: "of the layer" },
  { name: "large", body: Buffer.alloc(3_000_000, "large") },
]);
const TWICE = rawTar([
  { name: "a", body: "first" },
  { name: "a", body: "second" },
]);

describeUnless(missing, "stored data of a tar", () => {
  test("is a frame, far smaller than the tar; or the whole tar, if files of it are missing", async () => {
    const chain = await fixture.layer(TAR);
    const twice = await fixture.layer(TWICE);
    expect(tree(directory(chain)).filter((name) => !name.startsWith("diff"))).toEqual(["frame", "layer.json"]);
    expect(statSync(join(directory(chain), "frame")).size).toBeLessThan(1000);
    expect(readFileSync(join(directory(twice), "member"))).toEqual(TWICE);
    await fixture.perform({ tag: "drop-chain", val: twice });
    expect(digestOf(await saved(chain))).toBe(digestOf(TAR));
  });

  test("refuses a file larger than any disk", async () => {
    const file = await TarSplitFile.make(join(fixture.root, "frame"));
    const part = { bytes: new Uint8Array(512), place: "large", size: 2 ** 48 };
    await expect(file.add([{ ...part, size: 2 ** 48 - 1 }])).resolves.toBeUndefined();
    await expect(file.add([part])).rejects.toMatchObject({ failure: { tag: "damaged" } });
    await file.abandon();
  });

  test("outlives the engine", async () => {
    const chains = await fixture.stack(TAR, TWICE);
    fixture = openFixture(fixture.root);
    expect(digestOf(await saved(chains[0]!))).toBe(digestOf(TAR));
    expect(digestOf(await saved(chains[1]!))).toBe(digestOf(TWICE));
  });

  test("is missing for layers of earlier versions, which is reported when they are measured", async () => {
    const chain = await fixture.layer(TAR);
    const note = join(directory(chain), "layer.json");
    const { tar: _, ...record } = JSON.parse(readFileSync(note, "utf8")) as { tar: unknown };
    writeFileSync(note, JSON.stringify(record));
    fixture = openFixture(fixture.root);
    const failure = await failed(fixture.perform({ tag: "measure-tar", val: { chain, verify: false } }));
    expect(failure).toEqual({ tag: "no-such", val: { what: "layer-tar", name: chain } });
    expect(
      (await failed(fixture.perform({ tag: "measure-tar", val: { chain: `sha256:${"0".repeat(64)}`, verify: false } })))
        .tag,
    ).toBe("no-such");
  });
});

describeUnless(missing, "a changed tar breaks off", () => {
  test.each<[what: string, damage: (diff: string) => void]>([
    ["other bytes", (diff) => writeFileSync(join(diff, "d/secret"), "of THE layer")],
    ["a file cut short", (diff) => truncateSync(join(diff, "large"), 1000)],
    ["a file that is gone", (diff) => rmSync(join(diff, "large"))],
    ["a frame cut short", (diff) => truncateSync(join(diff, "../frame"), 60)],
    ["a frame that is gone", (diff) => rmSync(join(diff, "../frame"))],
  ])("%s", async (_, damage) => {
    const chain = await fixture.layer(TAR);
    damage(fixture.diff(chain));
    await failed(saved(chain));
  });

  test("follows no link out of the layer", async () => {
    const chain = await fixture.layer(TAR);
    const { root } = fixture;
    const outside = join(root, "outside");
    writeFileSync(outside, "of the HOST!");
    for (const link of ["d/secret", "d"]) {
      rmSync(join(fixture.diff(chain), link), { recursive: true });
      symlinkSync(link === "d" ? root : outside, join(fixture.diff(chain), link));
      writeFileSync(join(root, "secret"), "of the HOST!");
      const pieces: Uint8Array[] = [];
      await failed(take(chain, pieces));
      expect(Buffer.concat(pieces).includes("HOST")).toBe(false);
    }
  });
});

function directory(chain: string): string {
  return join(fixture.diff(chain), "..");
}

/** The tar of a layer, from an archive that contains nothing else. */
async function saved(chain: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await take(chain, pieces);
  const { val } = (await fixture.perform({ tag: "measure-tar", val: { chain, verify: false } })) as { val: bigint };
  return Buffer.concat(pieces).subarray(512, 512 + Number(val));
}

async function take(chain: string, pieces: Uint8Array[]): Promise<void> {
  const members = [{ name: "layer.tar", content: { tag: "layer" as const, val: chain } }];
  for await (const piece of fixture.content.saved(members)) pieces.push(Buffer.from(piece));
}
