// Names in the tar of one file or directory, seen from that file.

import { cleanName, textOf } from "../tar/index.js";
import type { TarEntry } from "../tar/index.js";

export class Below {
  /** The first member's name. */
  #first: string | null = null;

  /** The entry's name below the first member, as text; "" for the first member itself. */
  nameOf({ name }: Pick<TarEntry, "name">): string {
    const clean = cleanName(name);
    this.#first ??= clean;
    return this.within(clean);
  }

  /** The same for the target of a hard link. */
  within(name: string): string {
    const [first, clean] = [this.#first ?? "", cleanName(name)];
    if (clean === first) return "";
    return textOf(first === "" ? clean : clean.slice(first.length + 1));
  }
}

/** A path from the root, without `.` and slashes at its ends. */
export function relative(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** The path of a file below a directory; either may be "". */
export function joinedPath(directory: string, name: string): string {
  return directory === "" || name === "" ? directory + name : `${directory}/${name}`;
}
