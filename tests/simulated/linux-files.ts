// A directory of this machine behind the interface of the simulated file systems.

import * as fs from "node:fs";
import type { FileStatus } from "../../hosts/simulated/files/file-system.js";
import type { Files } from "./random-files.js";

export function linuxFiles(root: string): Files {
  const at = (path: string): string => `${root}${path}`;
  return {
    read: (path) => fs.readFileSync(at(path)),
    write: (path, bytes, mode = 0o644) => fs.writeFileSync(at(path), bytes, { mode }),
    append: (path, bytes) => fs.appendFileSync(at(path), bytes, { mode: 0o644 }),
    list: (path) => fs.readdirSync(at(path)).sort(),
    linkStatus: (path) => statusOf(at(path)),
    makeDirectory: (path, mode = 0o755) => void fs.mkdirSync(at(path), { mode }),
    remove: (path) => fs.unlinkSync(at(path)),
    removeDirectory: (path) => fs.rmdirSync(at(path)),
    rename: (from, to) => fs.renameSync(at(from), at(to)),
    link: (existing, path) => fs.linkSync(at(existing), at(path)),
    symlink: (target, path) => fs.symlinkSync(target, at(path)),
    changeMode: (path, mode) => fs.chmodSync(at(path), mode),
  };
}

function statusOf(path: string): FileStatus {
  const stat = fs.lstatSync(path, { bigint: true });
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "symlink";
  return {
    kind,
    mode: Number(stat.mode) & 0o7777,
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    size: Number(stat.size),
    modified: stat.mtimeNs,
    target: kind === "symlink" ? fs.readlinkSync(path) : "",
    links: Number(stat.nlink),
    major: 0,
    minor: 0,
  };
}
