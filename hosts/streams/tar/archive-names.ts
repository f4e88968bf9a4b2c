// Names of what `archive` moves (surface §2.13), as Docker makes them of a client's path: Go's path/filepath, with a
// `/` or `/.` at the end kept, since it says whether a link is meant or what it leads to.

import { faultyName, HostFailure } from "../../shared/failure.js";
import { textOf } from "./latin1.js";

/** Absolute, without doubled slashes, `.` and `..`, which are resolved by their letters; the end is kept. */
export function absolutePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const clean = `/${parts.join("/")}`;
  if (/(^|\/)\.$/.test(path)) return clean === "/" ? "/." : `${clean}/.`;
  return path.endsWith("/") && clean !== "/" ? `${clean}/` : clean;
}

/** The last part of an absolute path; `/` of the root, `.` if that is how it ends. */
export function lastPart(path: string): string {
  return /([^/]+)\/*$/.exec(path)?.[1] ?? "/";
}

/** The name of the archive's first member; those below a directory begin with it. */
export function firstMember(path: string, isDirectory: boolean): string {
  const last = lastPart(path);
  return isDirectory && last !== "/" ? `${last}/` : last;
}

/**
 * Where an absolute path leads once all links are followed; what does not exist is kept by name. `targetOf`: what the
 * link of that name in a directory, which has no links on its way, leads to; undefined for what is none.
 */
export function followed(path: string, targetOf: (directory: string, name: string) => string | undefined): string {
  const ahead = path.split("/").reverse();
  let at = "";
  for (let links = 0; ahead.length > 0;) {
    const part = ahead.pop();
    if (part === undefined || part === "" || part === ".") continue;
    if (part === "..") {
      at = at.slice(0, Math.max(at.lastIndexOf("/"), 0));
      continue;
    }
    const target = targetOf(at === "" ? "/" : at, part);
    if (target === undefined) {
      at = `${at}/${part}`;
      continue;
    }
    if (++links > MOST_LINKS) throw tooManyLinks(path);
    if (target.startsWith("/")) at = "";
    ahead.push(...target.split("/").reverse());
  }
  return at === "" ? "/" : at;
}

/** A directory and something else shall not take each other's place (surface §6.3). Paths are bytes. */
export function refusedKind(path: string, isDirectory: boolean, into: string): HostFailure {
  return faultyName(isDirectory ? "directory-there" : "other-there", textOf(path), textOf(into));
}

/** As the kernel says it. */
function tooManyLinks(path: string): HostFailure {
  return new HostFailure({ tag: "call", val: { call: "", path, inside: true, error: "ELOOP" } });
}

/** As many as the kernel follows (path_resolution(7)). */
const MOST_LINKS = 40;
