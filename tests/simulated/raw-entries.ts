// Short forms of tar entries for tests.

import type { RawEntry } from "../support/archives/tar.js";

export function file(name: string, body: string): RawEntry {
  return { name, body };
}

export function dir(name: string): RawEntry {
  return { name: `${name}/`, flag: "5", mode: 0o755 };
}

export function symlink(name: string, target: string): RawEntry {
  return { name, flag: "2", target };
}

export function link(name: string, target: string): RawEntry {
  return { name, flag: "1", target };
}
