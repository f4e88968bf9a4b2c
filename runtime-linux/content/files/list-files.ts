// What the files in a directory of a container are, or one file by itself.

import * as fs from "node:fs";
import type { content, engine } from "../../../hosts/shared/index.js";
import { absolutePath, bytesOf, lastPart, textOf } from "../../../hosts/streams/tar/index.js";
import { O_PATH } from "../../kernel.js";
import { splitDevice } from "./copy.js";
import { fileFailure } from "./file-failure.js";
import { openAt } from "./stat.js";
import type { View } from "./view.js";

/** Throws `call`: as `statIn`, and with ENOTDIR if there is no directory to look into. */
export function listIn(view: View, { at, inside, after, limit }: content.Listing): engine.ListedFile[] {
  const path = bytesOf(absolutePath(at.path));
  if (inside) return listDirectory(view, path, { after: bytesOf(after), limit });
  const fd = openAt(view, path, true);
  try {
    const place = view.locate(path);
    return [described(place === "/" ? "" : lastPart(place), fs.fstatSync(fd, { bigint: true }), "")];
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Whatever vanishes meanwhile is left out. Names that are no UTF-8 are told as other texts: the order is that of the texts,
 * as the next page begins after one. If several names are one text, a page that ends with it may leave some of them out.
 */
function listDirectory(view: View, path: string, page: { after: string; limit: number }): engine.ListedFile[] {
  const directory = openDirectory(view, path);
  const listed: engine.ListedFile[] = [];
  try {
    for (const name of namesAfter(page.after, directory)) {
      if (listed.length === page.limit) break;
      const file = Buffer.from(`/proc/self/fd/${directory}/${name}`, "latin1");
      const stat = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (stat) listed.push(described(name, stat, stat.isSymbolicLink() ? fs.readlinkSync(file, "latin1") : ""));
    }
    return listed;
  } finally {
    fs.closeSync(directory);
  }
}

function namesAfter(after: string, directory: number): string[] {
  return fs
    .readdirSync(`/proc/self/fd/${directory}`, "latin1")
    .map((name) => ({ name, told: bytesOf(textOf(name)) }))
    .filter(({ told }) => after === "" || told > after)
    .sort((one, other) => byBytes(one.told, other.told))
    .map(({ name }) => name);
}

function openDirectory(view: View, path: string): number {
  try {
    return view.open(path, O_PATH | fs.constants.O_DIRECTORY);
  } catch (error) {
    throw fileFailure(error, "lstat", path);
  }
}

/** Name and target are bytes, one for each character. */
function described(name: string, stat: fs.BigIntStats, target: string): engine.ListedFile {
  const isDevice = stat.isBlockDevice() || stat.isCharacterDevice();
  return {
    name: textOf(name),
    mode: Number(stat.mode),
    owner: Number(stat.uid),
    group: Number(stat.gid),
    size: stat.size,
    modified: stat.mtimeNs,
    target: textOf(target),
    ...(isDevice ? splitDevice(stat.rdev) : { major: 0, minor: 0 }),
  };
}

function byBytes(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
