// The image that an engine has without any registry: `busybox:latest`, built from the system's static busybox. The same
// program gives the same bytes, and so the same image id.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { endOfArchive, headerOf, paddingOf } from "../hosts/streams/tar/index.js";
import type { TarEntry } from "../hosts/streams/tar/index.js";
import { isStatic } from "./launch/elf.js";
import { environment } from "./launch/own-environment.js";
import { goArchitecture } from "./machine/architecture.js";

/** Where Debian's package busybox-static and other distributions install it. */
const PROGRAMS = ["/bin/busybox", "/usr/bin/busybox", "/bin/busybox.static"];

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
  const config = Buffer.from(JSON.stringify(configOf(sha256(layer), built)));
  const configName = `${sha256(config)}.json`;
  const layerName = `${sha256(layer)}/layer.tar`;
  const manifest = [{ Config: configName, RepoTags: ["busybox:latest"], Layers: [layerName] }];
  yield tarOf(
    [
      { name: configName, body: config },
      { name: layerName, body: layer },
      { name: "manifest.json", body: Buffer.from(JSON.stringify(manifest)) },
    ],
    built,
  );
}

type File = Partial<TarEntry> & { name: string; body?: Uint8Array };

/** Each applet is a hard link to the program. */
async function rootfs(program: string, bytes: Uint8Array): Promise<File[]> {
  const { stdout } = await promisify(execFile)(program, ["--list"], { env: environment() });
  const applets = stdout.split("\n").filter((name) => /^[^/\s]+$/.test(name) && name !== "busybox");
  const link = (name: string): File => ({ name, type: "link", target: "bin/busybox", mode: 0o755 });
  return [
    { name: "bin/", mode: 0o755 },
    { name: "bin/busybox", mode: 0o755, body: bytes },
    ...applets.sort().map((applet) => link(`bin/${applet}`)),
    ...DIRECTORIES.map(([name, mode]) => ({ name, mode })),
    { name: "etc/group", body: Buffer.from(GROUP) },
    { name: "etc/passwd", body: Buffer.from(PASSWD) },
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

function tarOf(files: File[], built: Date): Buffer {
  const mtime = BigInt(built.getTime()) * 1_000_000n;
  const entries = files.map(({ body = new Uint8Array(0), ...file }) => {
    const entry = { ...PLAIN, ...(file.name.endsWith("/") && { type: "directory" as const }), ...file };
    return Buffer.concat([headerOf({ ...entry, mtime, size: body.length }), body, paddingOf(body.length)]);
  });
  return Buffer.concat([...entries, endOfArchive()]);
}

const PLAIN: Omit<TarEntry, "name" | "mtime" | "size"> = {
  type: "file",
  mode: 0o644,
  uid: 0,
  gid: 0,
  holes: 0,
  target: "",
  major: 0,
  minor: 0,
  xattrs: new Map(),
};

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
