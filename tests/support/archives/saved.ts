// Reads an archive of `docker save` by its `manifest.json`, whatever its members are called.
import { posix } from "node:path";
import { sha256 } from "./images.js";
import { readTar } from "./read-tar.js";

export interface SavedImage {
  /** The image id: digest of the config. */
  readonly id: string;
  readonly tags: readonly string[] | null;
  readonly parent: string | undefined;
  /** Digests of the layers' tars as they are in the archive. */
  readonly layers: readonly string[];
  /** The digests according to the config. */
  readonly diffIds: readonly string[];
}

interface Listed {
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  readonly Layers: readonly string[];
  readonly Parent?: string;
}

/** Null for an archive whose list is `null`. */
export async function readSaved(archive: Uint8Array): Promise<SavedImage[] | null> {
  const members = await membersOf(archive);
  const list = JSON.parse(text(members, "manifest.json")) as Listed[] | null;
  return list?.map((listed) => imageOf(listed, members)) ?? null;
}

/** The bytes of each file; a repeated layer may be a link to another. */
export async function membersOf(archive: Uint8Array): Promise<Map<string, Buffer>> {
  const members = await readTar(archive);
  const files = new Map(members.map((member) => [member.name, Buffer.from(member.text, "latin1")]));
  for (const { name, type, target } of members) {
    if (type !== "symlink") continue;
    files.set(name, files.get(posix.join(posix.dirname(name), target)) ?? Buffer.alloc(0));
  }
  return files;
}

function imageOf(listed: Listed, members: ReadonlyMap<string, Buffer>): SavedImage {
  const config = JSON.parse(text(members, listed.Config)) as { rootfs: { diff_ids: string[] } };
  return {
    id: digestIn(members, listed.Config),
    tags: listed.RepoTags,
    parent: listed.Parent,
    layers: listed.Layers.map((name) => digestIn(members, name)),
    diffIds: config.rootfs.diff_ids,
  };
}

function text(members: ReadonlyMap<string, Buffer>, name: string): string {
  const bytes = members.get(name);
  if (bytes === undefined) throw new Error(`the archive has no ${name}, only ${[...members.keys()].join(", ")}`);
  return bytes.toString();
}

function digestIn(members: ReadonlyMap<string, Buffer>, name: string): string {
  text(members, name);
  return `sha256:${sha256(members.get(name)!)}`;
}
