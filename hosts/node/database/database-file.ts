// The database's file, looked at before LMDB opens it: LMDB takes an empty one for a new one, and dies of a damaged page
// without a word. Without its records the engine would sweep all that they speak of, volumes with their files, too.

import { readdirSync } from "node:fs";
import { bytesOf } from "./file-bytes.js";
import { Pages } from "./pages.js";
import { bestSurvey } from "./snapshots.js";
import type { Survey } from "./survey.js";

/**
 * What the database holds; null if there is none. Throws when nothing of it can be read, and when there is none though
 * something stands in `owned`, whose owners only the records tell. Nothing is touched.
 */
export function findDatabase(file: string, owned: readonly string[]): Survey | null {
  const bytes = bytesOf(file);
  if (bytes === null || bytes.length === 0) {
    const left = owned.find(isFilled);
    if (left === undefined) return null;
    throw new Error(
      `${file} is missing or empty, but something is left in ${left}: put the one back or move the other away`,
    );
  }
  const pages = new Pages(bytes);
  const found = bestSurvey(pages);
  if (pages.metas.every((meta) => meta === null) && (pages.isForeign || found.records().length === 0)) {
    throw new Error(`${file} is damaged: put back an older one, or move the whole data root away`);
  }
  return found;
}

function isFilled(directory: string): boolean {
  try {
    // A disk of its own may be mounted here.
    return readdirSync(directory).some((name) => name !== "lost+found");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
