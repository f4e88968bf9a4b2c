// Names in archives (surface §2.13), made from a client's path as Docker does it: Go's path/filepath, but a `/` or `/.`
// at the end is kept, since it tells a link from its target.

import { HostFailure, faultyName } from "../../shared/index.js";
import { bytesOf, textOf } from "./latin1.js";
import { parentOf } from "./names.js";

/** An absolute path without doubled slashes, `.` and `..`. These are resolved as text; the end is kept. */
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

/** The last part of an absolute path; `/` for the root, `.` if the path ends like that. */
export function lastPart(path: string): string {
  return /([^/]+)\/*$/.exec(path)?.[1] ?? "/";
}

/** The name of the archive's first member. The names of members below a directory begin with it. */
export function firstMember(path: string, isDirectory: boolean): string {
  const last = lastPart(path);
  return isDirectory && last !== "/" ? `${last}/` : last;
}

/**
 * Where an absolute path leads after all links are followed. Components that do not exist keep their names. `targetOf`:
 * the target of the link with this name in a directory that has no links on its way; undefined if it is not a link.
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

/** A directory and something else must not replace each other (surface §6.3). Paths are bytes. */
export function refusedKind(path: string, isDirectory: boolean, into: string): HostFailure {
  return faultyName(isDirectory ? "directory-there" : "other-there", textOf(path), textOf(into));
}

/** The kernel's error. */
function tooManyLinks(path: string): HostFailure {
  return new HostFailure({ tag: "call", val: { call: "", path, inside: true, error: "ELOOP" } });
}

/** The kernel's limit (path_resolution(7)). */
const MOST_LINKS = 40;

/** The names of the directories above these names, without the root. */
export function namesAbove(names: Iterable<string>): Set<string> {
  const above = new Set<string>();
  for (const name of names) {
    for (let at = parentOf(name); at !== "" && !above.has(at); at = parentOf(at)) above.add(at);
  }
  return above;
}

/** The names in an archive of absolute paths: without slashes around them. */
export function namesOfPaths(paths: readonly string[]): Set<string> {
  return new Set(paths.map((path) => bytesOf(path.split("/").filter(Boolean).join("/"))));
}
