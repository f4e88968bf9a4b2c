// What the files in a directory are, or one file by itself.

import { refusedCall } from "../../shared/index.js";
import type { content, engine } from "../../shared/index.js";
import { absolutePath, bytesOf } from "../../streams/tar/index.js";
import { FileError } from "../files/file-system.js";
import type { Inode } from "../files/inode.js";
import { byBytes } from "./archives.js";
import { modeOf, openView, placeAt, sizeOf, type Looks } from "./view.js";

/** Throws `call`: as `statIn`, and with ENOTDIR if there is no directory to look into. */
export function listIn({ at, inside, after, limit }: content.Listing, looks: Looks): engine.ListedFile[] {
  const path = absolutePath(at.path);
  const { inode, name } = placeAt(openView(at.view, looks).mounts, path, true);
  if (!inside) return [described(name, inode)];
  if (inode.kind !== "directory") throw refusedCall(new FileError("ENOTDIR", path), "lstat", path);
  const before = bytesOf(after);
  const later = byBytes(inode.entries).filter(([entry]) => after === "" || bytesOf(entry) > before);
  return later.slice(0, limit).map(([entry, file]) => described(entry, file));
}

function described(name: string, file: Inode): engine.ListedFile {
  const { kind, uid, gid, modified, target, major, minor } = file;
  return {
    name,
    mode: modeOf(file),
    owner: uid,
    group: gid,
    size: BigInt(sizeOf(file)),
    modified,
    target: kind === "symlink" ? target : "",
    major,
    minor,
  };
}
