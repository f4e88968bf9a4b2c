// The image that an engine has without any registry: `busybox:latest`, built from the system's static busybox. The same
// program gives the same bytes, and so the same image id.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { joined } from "../hosts/shared/index.js";
import { NOTHING, endOfArchive, headerOf, paddingOf } from "../hosts/streams/tar/index.js";
import type { TarEntry } from "../hosts/streams/tar/index.js";
import { answerOf } from "./launch/answer.js";
import { isStatic } from "./launch/elf.js";
import { goArchitecture } from "./machine/architecture.js";

/** Where Debian's package busybox-static and other distributions install it. */
export const PROGRAMS = ["/bin/busybox", "/usr/bin/busybox", "/bin/busybox.static"];

/** A docker-archive for `POST /images/load`. Undefined: the system has no statically linked busybox. */
export async function embeddedBusybox(programs = PROGRAMS): Promise<AsyncIterable<Uint8Array> | undefined> {
  for (const program of programs) {
    const bytes = await readFile(program).catch(() => undefined);
    if (bytes && isStatic(bytes)) return archiveOf(program, bytes);
  }
  return undefined;
}

async function* archiveOf(program: string, bytes: Uint8Array): AsyncIterable<Uint8Array> {
  const built = new Date(Math.floor((await stat(program)).mtimeMs / 1000) * 1000);
  const layer = tarOf(await rootfs(program, bytes), built);
  const diffId = sha256(layer);
  const config = Buffer.from(JSON.stringify(configOf(diffId, built)));
  const configName = `${sha256([config])}.json`;
  const layerName = `${diffId}/layer.tar`;
  const manifest = [{ Config: configName, RepoTags: ["busybox:latest"], Layers: [layerName] }];
  yield* tarOf(
    [
      { name: configName, body: [config] },
      { name: layerName, body: layer },
      { name: "manifest.json", body: [Buffer.from(JSON.stringify(manifest))] },
    ],
    built,
  );
}

type File = Partial<TarEntry> & { name: string; body?: readonly Uint8Array[] };

/** Each applet is a hard link to the program. */
async function rootfs(program: string, bytes: Uint8Array): Promise<File[]> {
  const list = (await answerOf(program, "--list")).split("\n");
  const applets = list.filter((name) => /^[^/\s]+$/.test(name) && name !== "busybox");
  const link = (name: string): File => ({ name, type: "link", target: "bin/busybox", mode: 0o755 });
  return [
    { name: "bin/", mode: 0o755 },
    { name: "bin/busybox", mode: 0o755, body: [bytes] },
    ...applets.sort().map((applet) => link(`bin/${applet}`)),
    ...DIRECTORIES.map(([name, mode]) => ({ name, mode })),
    { name: "etc/group", body: [Buffer.from(GROUP)] },
    { name: "etc/passwd", body: [Buffer.from(PASSWD)] },
    link("usr/bin/env"),
  ];
}

const DIRECTORIES: [name: string, mode: number][] = [
  ["dev/", 0o755],
  ["etc/", 0o755],
  ["home/", 0o755],
  ["proc/", 0o555],
  ["root/", 0o700],
  ["sys/", 0o555],
  ["tmp/", 0o1777],
  ["usr/", 0o755],
  ["usr/bin/", 0o755],
  ["usr/sbin/", 0o755],
  ["var/", 0o755],
  ["var/spool/", 0o755],
  ["var/spool/mail/", 0o755],
  ["var/www/", 0o755],
];

const PASSWD = `root:x:0:0:root:/root:/bin/sh
daemon:x:1:1:daemon:/usr/sbin:/bin/false
bin:x:2:2:bin:/bin:/bin/false
sys:x:3:3:sys:/dev:/bin/false
mail:x:8:8:mail:/var/spool/mail:/bin/false
www-data:x:33:33:www-data:/var/www:/bin/false
nobody:x:65534:65534:nobody:/home:/bin/false
`;

const GROUP = `root:x:0:
daemon:x:1:
bin:x:2:
sys:x:3:
adm:x:4:
tty:x:5:
disk:x:6:
mail:x:8:
www-data:x:33:
users:x:100:
nogroup:x:65534:
`;

/** OCI image spec, image configuration. */
function configOf(diffId: string, built: Date): object {
  const created = built.toISOString().replace(".000Z", "Z");
  const { architecture, variant } = goArchitecture();
  return {
    architecture,
    ...(variant && { variant }),
    os: "linux",
    created,
    config: { Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"], Cmd: ["sh"] },
    rootfs: { type: "layers", diff_ids: [`sha256:${diffId}`] },
    history: [{ created, created_by: "busybox --install /bin", comment: "made of the machine's static busybox" }],
  };
}

/** The pieces of a tar. Large ones are not copied: this takes part of each first start. */
function tarOf(files: readonly File[], built: Date): Uint8Array[] {
  const mtime = BigInt(built.getTime()) * 1_000_000n;
  const pieces = files.flatMap(({ body = [], ...file }) => {
    const size = body.reduce((sum, { length }) => sum + length, 0);
    const type = file.name.endsWith("/") ? "directory" : "file";
    return [headerOf({ ...NOTHING, type, mode: 0o644, ...file, mtime, size }), ...body, paddingOf(size)];
  });
  return smallJoined([...pieces, endOfArchive()]);
}

/** Each piece has to pass through many hands. So small ones that follow one another become one. */
function smallJoined(pieces: readonly Uint8Array[]): Uint8Array[] {
  const result: Uint8Array[] = [];
  const small: Uint8Array[] = [];
  for (const piece of pieces) {
    if (piece.length < SMALL) small.push(piece);
    else result.push(joined(small.splice(0)), piece);
  }
  return [...result, joined(small)];
}

const SMALL = 64 << 10;

function sha256(pieces: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}
