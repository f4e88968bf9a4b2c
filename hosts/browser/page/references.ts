// The API's reference, a file for each version that is described; fetched when it is first asked for.

import type { Reference } from "../reference/reference.js";
import { NEWEST_VERSION, OLDEST_VERSION } from "../session/versions.js";

/** Versions that have a file, oldest first. The build fills it in. */
declare const DESCRIBED_VERSIONS: readonly string[];

/** Versions that the engine speaks, newest first. */
export const VERSIONS: readonly string[] = Array.from(
  { length: NEWEST_VERSION - OLDEST_VERSION + 1 },
  (_, back) => `1.${NEWEST_VERSION - back}`,
);

/** Of a version, or of the nearest older one that is described. Rejects when it cannot be fetched. */
export async function loadReference(version: string): Promise<Reference> {
  const described = DESCRIBED_VERSIONS.findLast((one) => minorOf(one) <= minorOf(version)) ?? DESCRIBED_VERSIONS[0];
  const answer = await fetch(`api/v${described}.json`);
  if (!answer.ok) throw new Error(`the reference of API ${version} cannot be read: ${answer.status}`);
  return (await answer.json()) as Reference;
}

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}
