// The embedded busybox: a real image, always the same, whose programs run.
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isStatic } from "../../runtime-linux/launch/elf.js";
import { embeddedBusybox } from "../../runtime-linux/embedded-image.js";
import { keepBusybox, keptBusybox } from "../../runtime-linux/kept-image.js";
import { must } from "../support/commands.js";
import { ROOT } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const scratch = mkdtempSync(join(tmpdir(), "coracle-embedded-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const image = await whole(await embeddedBusybox());
const missing = image === undefined ? "no static busybox is installed" : null;

describeUnless(missing, "the embedded image", () => {
  const directory = join(scratch, "image");

  test("it is an archive with a manifest, a config and a layer that belong together", async () => {
    mkdirSync(directory);
    writeFileSync(join(scratch, "image.tar"), image!);
    await must(["tar", "-xf", join(scratch, "image.tar"), "-C", directory]);
    const [manifest] = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8")) as Manifest[];
    expect(manifest!.RepoTags).toEqual(["busybox:latest"]);

    const bytes = readFileSync(join(directory, manifest!.Config));
    expect(manifest!.Config).toBe(`${sha256(bytes)}.json`);
    const config = JSON.parse(bytes.toString()) as Config;
    const layer = readFileSync(join(directory, manifest!.Layers[0]!));
    expect(config.rootfs).toEqual({ type: "layers", diff_ids: [`sha256:${sha256(layer)}`] });
    expect(config.config).toEqual({ Cmd: ["sh"], Env: [expect.stringMatching(/^PATH=.*:\/bin$/)] });
    expect(config.os).toBe("linux");
  });

  test("its layer is a root file system whose programs run", async () => {
    const root = join(scratch, "root");
    mkdirSync(root);
    const [manifest] = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8")) as Manifest[];
    await must(["tar", "-xpf", join(directory, manifest!.Layers[0]!), "-C", root]);
    expect(statSync(join(root, "tmp")).mode & 0o7777).toBe(0o1777);
    expect(statSync(join(root, "bin/sh")).ino).toBe(statSync(join(root, "bin/busybox")).ino);
    expect(readFileSync(join(root, "etc/passwd"), "utf8")).toMatch(/^root:x:0:0:root:\/root:\/bin\/sh$/m);
    if (process.getuid?.() !== 0) return console.log("not tried: running its programs needs root");
    const said = await must(["chroot", root, "/usr/bin/env", "-i", "/bin/sh", "-c", "echo it runs; ls / | /bin/wc -l"]);
    expect(said).toBe("it runs\n10\n");
  });

  test("the same program gives the same bytes, another one gives different bytes", async () => {
    expect(sha256((await whole(await embeddedBusybox()))!)).toBe(sha256(image!));
    const copy = join(scratch, "busybox");
    writeFileSync(copy, readFileSync("/bin/busybox"), { mode: 0o755 });
    utimesSync(copy, 1_600_000_000, 1_600_000_000);
    const other = (await whole(await embeddedBusybox([copy])))!;
    expect(sha256(other)).not.toBe(sha256(image!));
    expect(other.includes('"created":"2020-09-13T12:26:40Z"')).toBe(true);
  });

  test("made ahead it is the same, and is taken for the same file only", async () => {
    const kept = join(scratch, "kept");
    const program = join(scratch, "own/busybox");
    for (const directory of [kept, join(scratch, "own")]) mkdirSync(directory);
    writeFileSync(program, readFileSync("/bin/busybox"), { mode: 0o755 });
    for (let turn = 0; turn < 2; turn++) await keepBusybox(kept, [join(scratch, "none"), program]);
    expect(readdirSync(kept)).toHaveLength(1);
    const ahead = await keptBusybox(kept, [program]);
    expect(sha256(ahead!)).toBe(sha256((await whole(await embeddedBusybox([program])))!));

    utimesSync(program, 1_600_000_000, 1_600_000_000);
    expect(await keptBusybox(kept, [program])).toBe(undefined);
    await keepBusybox(kept, [program]);
    expect(readdirSync(kept)).toHaveLength(1);
    expect(Buffer.from((await keptBusybox(kept, [program]))!).includes('"created":"2020-09-13T12:26:40Z"')).toBe(true);
  });

  test("the build has made it ahead", async () => {
    const ahead = await keptBusybox(join(ROOT, "build"));
    if (ahead === undefined) return console.log("not tried: this busybox was installed after the build");
    expect(sha256(ahead)).toBe(sha256(image!));
  });
});

test("without a static busybox there is no image", async () => {
  expect(await embeddedBusybox([join(scratch, "none")])).toBe(undefined);
  expect(isStatic(readFileSync(process.execPath))).toBe(false);
  expect(await embeddedBusybox([process.execPath])).toBe(undefined);
  writeFileSync(join(scratch, "script"), "#!/bin/sh\n".padEnd(100));
  expect(await embeddedBusybox([join(scratch, "script")])).toBe(undefined);
  await keepBusybox(scratch, [join(scratch, "none"), join(scratch, "script")]);
  expect(readdirSync(scratch).filter((name) => name.startsWith("busybox-"))).toEqual([]);
});

interface Manifest {
  Config: string;
  RepoTags: string[];
  Layers: string[];
}

interface Config {
  os: string;
  config: unknown;
  rootfs: unknown;
}

async function whole(archive: AsyncIterable<Uint8Array> | undefined): Promise<Buffer | undefined> {
  if (archive === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
