// Changes of modes, as `u+x` of chmod(1).

import type { content } from "../../shared/index.js";

/** The mode after all changes. */
export function changedMode(mode: number, isDirectory: boolean, changes: readonly content.ModeChange[]): number {
  let now = mode;
  for (const { removes, keeps, bits, executable, like, who } of changes) {
    const mayRun = isDirectory || (now & 0o111) !== 0;
    const copied = like === undefined ? 0 : (((now >> like) & 7) * 0o111) & who;
    const changed = bits | copied | (mayRun ? executable : 0);
    now = removes ? now & ~changed : (now & keeps) | changed;
  }
  return now;
}
