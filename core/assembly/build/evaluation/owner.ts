// Owners as instructions name them: `user`, `user:group`, by name or number.

import { BuildState } from "./build-state";

/**
 * A user's name alone means the user's own group to BuildKit (moby/buildkit, solver/llbsolver/file/user_linux.go), and the
 * group of that name to the classic builder. A colon behind it, as for chown(1), keeps the steps of both apart in the cache.
 */
export function ownerOf(state: BuildState, owner: string): string {
  if (!state.isBuildKit || owner.length == 0 || owner.includes(":") || isNumber(owner)) return owner;
  return `${owner}:`;
}

function isNumber(text: string): bool {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return false;
  return true;
}

/** For the host. Without a group, the user's name or number is the group's, too. */
export function wholeOwner(owner: string): string {
  return owner.includes(":") ? owner : `${owner}:${owner}`;
}
