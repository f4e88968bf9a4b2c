// The files of a tar, built up in memory as a tree. No name and no symbolic link leads out of the tree.

import { faultyName } from "../../shared/index.js";
import { cleanName } from "../../streams/tar/index.js";
import { inode, type Inode } from "../files/inode.js";
import type { Change } from "../files/merge.js";

/** A place in the tree where a file stands or can be put. */
export interface Spot {
  directory: Change;
  name: string;
  /** Path from the root, without links. */
  path: string;
}

export class ChangeTree {
  readonly root: Change = directoryChange();

  /** Finds the place for an entry. Makes missing directories and follows links on the way. Throws `faulty-name`. */
  place(name: string): Spot {
    const { parts, last } = split(name);
    const walk = this.#walk(parts, name, true);
    const at = walk.at(-1)!;
    return { directory: at.change, name: last, path: join(at.path, last) };
  }

  /**
   * Finds the file with this name, or returns undefined. Links on the way are followed; with `follow`, the last part
   * too.
   */
  find(name: string, follow = false): { change: Change; path: string } | undefined {
    if (name === "") return { change: this.root, path: "" };
    for (let [rest, links] = [name, 0]; ; links++) {
      if (links > MOST_LINKS) throw faultyName("too-many-links", name);
      const { parts, last } = split(rest);
      const at = this.#walk(parts, name, false).at(-1);
      const change = at?.change.entries.get(last);
      if (!at || !change?.file) return undefined;
      if (!follow || change.file.kind !== "symlink") return { change, path: join(at.path, last) };
      rest = relative(at.path, change.file.target);
      if (rest === "") return { change: this.root, path: "" };
    }
  }

  /** Puts a file in a place and replaces what was there. What the old file hid stays hidden. */
  put({ directory, name }: Spot, file: Inode): Change {
    const there = directory.entries.get(name);
    const change: Change = { file, opaque: there?.opaque ?? false, entries: new Map() };
    directory.entries.set(name, change);
    return change;
  }

  /** The directories on the way, the root first. Empty if one is missing and `make` is false. */
  #walk(parts: string[], name: string, make: boolean): Step[] {
    const ahead = parts.reverse();
    let way: Step[] = [{ change: this.root, path: "" }];
    for (let links = 0; ahead.length > 0;) {
      const part = ahead.pop();
      const at = way.at(-1)!;
      if (part === undefined || part === "" || part === ".") continue;
      if (part === "..") {
        // The parent of the root is the root itself, as in a container.
        if (way.length > 1) way.pop();
        continue;
      }
      const next = at.change.entries.get(part);
      if (next?.file?.kind === "symlink") {
        if (++links > MOST_LINKS) throw faultyName("too-many-links", name);
        if (next.file.target.startsWith("/")) way = [way[0]!];
        ahead.push(...next.file.target.split("/").reverse());
        continue;
      }
      const path = join(at.path, part);
      if (next?.file && next.file.kind !== "directory") {
        throw faultyName("through-other", name, path);
      }
      if (!next?.file && !make) return [];
      way.push({ change: next?.file ? next : this.#implied(at.change, part), path });
    }
    return way;
  }

  /** Makes a directory that no tar entry has named yet. */
  #implied(parent: Change, name: string): Change {
    const made = directoryChange();
    made.implied = true;
    made.opaque = parent.entries.get(name)?.opaque ?? false;
    parent.entries.set(name, made);
    return made;
  }
}

interface Step {
  change: Change;
  path: string;
}

function directoryChange(): Change {
  return { file: inode("directory", null), opaque: false, entries: new Map() };
}

function split(name: string): { parts: string[]; last: string } {
  const parts = name.split("/");
  return { last: parts.pop() ?? "", parts };
}

function join(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

/** Turns a link's target into a name relative to the root. */
function relative(directory: string, target: string): string {
  return cleanName(target.startsWith("/") ? target : `${directory}/${target}`);
}

const MOST_LINKS = 40;
