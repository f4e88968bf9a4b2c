// The API reference: a file for each described version, loaded on first use.

import type { Reference } from "../reference/reference.js";
import { NEWEST_VERSION, OLDEST_VERSION } from "../session/versions.js";

/** Versions with a file, oldest first. The build fills them in. */
declare const DESCRIBED_VERSIONS: readonly string[];

/** Versions that the engine supports, newest first. */
export const VERSIONS: readonly string[] = Array.from(
  { length: NEWEST_VERSION - OLDEST_VERSION + 1 },
  (_, back) => `1.${NEWEST_VERSION - back}`,
);

/** Loads a version's reference, or that of the nearest older described version. Rejects if it cannot be fetched. */
export async function loadReference(version: string): Promise<Reference> {
  const described = DESCRIBED_VERSIONS.findLast((one) => minorOf(one) <= minorOf(version)) ?? DESCRIBED_VERSIONS[0];
  const answer = await fetch(`api/v${described}.json`);
  if (!answer.ok) throw new Error(`the reference of API ${version} cannot be read: ${answer.status}`);
  return (await answer.json()) as Reference;
}

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}
