// Builds small images for tests: a docker-archive for `docker load`, made from a list of layers.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pack, type Header } from "tar-stream";
import { embeddedBusybox } from "../../../runtime-linux/embedded-image.js";
import { must } from "../commands.js";

export interface ImageSpec {
  /** `name:tag`, or null for an image without a name. */
  readonly reference: string | null;
  /** The `config` object of the image config. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly layers: readonly Buffer[];
  /** GOARCH; the machine's own if not given. */
  readonly architecture?: string;
  /** The steps in the image config; one for each layer if not given. */
  readonly history?: readonly object[];
}

export type TarEntry = Partial<Header> & { readonly name: string; readonly body?: string | Uint8Array };

/** A tar of the entries, in order. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  const whole = collect(tar);
  for (const { body, ...header } of entries) {
    const bytes =
      body === undefined ? Buffer.alloc(0) : typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
    tar.entry({ mtime: EPOCH, ...header, size: bytes.length }, bytes);
  }
  tar.finalize();
  return whole;
}

/** A docker-archive of images, with `manifest.json` last as Docker writes it. */
export async function dockerArchive(images: readonly ImageSpec[]): Promise<Buffer> {
  const entries: TarEntry[] = [];
  const manifest: unknown[] = [];
  for (const image of images) {
    const config = imageConfig(image);
    const configName = `${sha256(config)}.json`;
    entries.push({ name: configName, body: config });
    const layers = image.layers.map((layer) => ({ name: `${sha256(layer)}/layer.tar`, body: layer }));
    entries.push(...layers.filter((layer) => !entries.some((entry) => entry.name === layer.name)));
    const tags = image.reference === null ? null : [image.reference];
    manifest.push({ Config: configName, RepoTags: tags, Layers: layers.map((layer) => layer.name) });
  }
  return tarOf([...entries, { name: "manifest.json", body: JSON.stringify(manifest) }]);
}

/** The bytes of an image's config; their sha256 is the image id. */
export function imageConfig(image: ImageSpec): Buffer {
  return Buffer.from(
    JSON.stringify({
      created: EPOCH.toISOString(),
      architecture: image.architecture ?? goArchitecture(),
      os: "linux",
      config: image.config,
      rootfs: { type: "layers", diff_ids: image.layers.map((layer) => `sha256:${sha256(layer)}`) },
      history:
        image.history ?? image.layers.map(() => ({ created: EPOCH.toISOString(), created_by: "made by a test" })),
    }),
  );
}

/** `busybox:latest` as a docker-archive: the image that our engine includes. */
export async function busyboxArchive(): Promise<Buffer> {
  const archive = await embeddedBusybox();
  if (archive === undefined) throw new Error("this system has no static busybox (Debian package busybox-static)");
  return collect(archive);
}

let cachedLayer: Promise<Buffer> | null = null;

/** A root file system with every busybox applet. */
export function busyboxLayer(): Promise<Buffer> {
  cachedLayer ??= makeBusyboxLayer();
  return cachedLayer;
}

async function makeBusyboxLayer(): Promise<Buffer> {
  const applets = (await must(["/bin/busybox", "--list"])).split("\n").filter((name) => /^[^/\s]+$/.test(name));
  const directories = ["bin/", "dev/", "etc/", "proc/", "root/", "sys/", "usr/", "usr/bin/", "var/"];
  return tarOf([
    ...directories.map((name): TarEntry => ({ name, type: "directory", mode: 0o755 })),
    { name: "tmp/", type: "directory", mode: 0o1777 },
    { name: "bin/busybox", mode: 0o755, body: readFileSync("/bin/busybox") },
    ...applets
      .filter((name) => name !== "busybox")
      .map((name): TarEntry => ({ name: `bin/${name}`, type: "symlink", linkname: "busybox" })),
    {
      name: "etc/passwd",
      mode: 0o644,
      body: "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    },
    { name: "etc/group", mode: 0o644, body: "root:x:0:\nnogroup:x:65534:\n" },
  ]);
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function goArchitecture(): string {
  return process.arch === "x64" ? "amd64" : process.arch;
}

async function collect(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

const EPOCH = new Date("2024-01-01T00:00:00Z");
