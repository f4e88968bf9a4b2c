// Random files, tars and changes from a seed, for comparing their effects.

import type { FileSystem } from "../../hosts/simulated/files/file-system.js";
import { rawTar, type RawEntry } from "../support/archives/tar.js";
import { dir, file, symlink } from "./raw-entries.js";

/** The operations that random changes use. */
export type Files = Pick<
  FileSystem,
  | "read"
  | "write"
  | "append"
  | "list"
  | "linkStatus"
  | "makeDirectory"
  | "remove"
  | "removeDirectory"
  | "rename"
  | "link"
  | "symlink"
  | "changeMode"
>;

/** Numbers from 0 up to a bound, from a seed. */
export function numbers(seed: number): (bound: number) => number {
  let state = seed * 2654435761;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function removeAll(files: Files, path: string): void {
  if (files.linkStatus(path).kind !== "directory") return files.remove(path);
  for (const name of files.list(path)) removeAll(files, `${path}/${name}`);
  files.removeDirectory(path);
}

const NAMES = ["a", "b", "c", "é"];

function randomPath(random: (bound: number) => number): string {
  return Array.from({ length: 1 + random(3) }, () => NAMES[random(NAMES.length)]).join("/");
}

/**
 * Directories, files and links without conflicts: parents are directories. Whiteouts cover only names in the tar
 * `below`, because overlayfs shows the names of others.
 */
export function randomTar(random: (bound: number) => number, below: Buffer = rawTar([])): Buffer {
  const hideable = new Set(namesIn(below).map((name) => name.replace(/\/$/, "")));
  const files = new Map<string, RawEntry>();
  for (let count = 0; count < 8; count++) {
    const path = randomPath(random);
    const parts = path.split("/");
    const parents = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
    if (parents.some((parent) => files.has(parent) && files.get(parent)?.flag !== "5") || files.has(path)) continue;
    for (const parent of parents) files.set(parent, dir(latin1(parent)));
    const name = latin1(path);
    const made = [file(name, `${count}`), dir(name), symlink(name, "a")];
    if (hideable.has(name)) made.push(file(name.replace(/[^/]+$/, ".wh.$&"), ""));
    files.set(path, made[random(made.length)]!);
  }
  return rawTar([...files.values()]);
}

function latin1(name: string): string {
  return Buffer.from(name).toString("latin1");
}

/** A random change by a process, and its result: `done`, or the error's code. */
export function randomChange(files: Files, random: (bound: number) => number): string {
  const [path, other, number] = [`/${randomPath(random)}`, `/${randomPath(random)}`, random(1000)];
  const changes = [
    () => files.write(path, bytes(`${number}`)),
    () => files.append(path, bytes("+")),
    () => files.makeDirectory(path),
    () => files.remove(path),
    () => files.removeDirectory(path),
    () => files.rename(path, other),
    () => files.link(path, other),
    () => files.symlink(other.slice(1), path),
    () => files.changeMode(path, 0o600 + (number % 0o100)),
    () => removeAll(files, path),
    () => (removeAll(files, path), files.makeDirectory(path)),
  ];
  const change = changes[random(changes.length)]!;
  const told = `${change.toString().replace(/^.*?files[.,]\s*/, "")} ${path} ${other}`;
  try {
    change();
    return `${told}: done`;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return `${told}: ${code}`;
  }
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

/** Names in a tar of small files. */
export function namesIn(tar: Uint8Array): string[] {
  const names: string[] = [];
  for (let at = 0; tar[at];) {
    const field = (from: number, length: number): string =>
      Buffer.from(tar.subarray(at + from, at + from + length))
        .toString("latin1")
        .replace(/\0.*/s, "");
    const isExtension = field(156, 1) === "x";
    if (!isExtension) names.push(field(0, 100));
    at += 512 + Math.ceil(Number.parseInt(field(124, 12), 8) / 512) * 512;
  }
  return names;
}
