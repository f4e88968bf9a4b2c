// Checks the database's file before LMDB opens it. LMDB takes an empty file for a new database, and crashes on a
// damaged page without a message. And without its records the engine would remove everything that they describe,
// including volumes with their files.

import { readdirSync } from "node:fs";
import { bytesOf } from "./file-bytes.js";
import { Pages } from "./pages.js";
import { bestSurvey } from "./snapshots.js";
import type { Survey } from "./survey.js";

/**
 * What the database holds; null if there is none. Throws if nothing of it can be read. Also throws if there is none
 * while `owned` directories are not empty, since only records tell who owns their contents. Changes nothing.
 */
export function findDatabase(file: string, owned: readonly string[]): Survey | null {
  const bytes = bytesOf(file);
  if (bytes === null || bytes.length === 0) {
    const left = owned.find(isFilled);
    if (left === undefined) return null;
    throw new Error(
      `${file} is missing or empty, but ${left} is not empty: restore the file or move the directory away`,
    );
  }
  const pages = new Pages(bytes);
  const found = bestSurvey(pages);
  if (pages.metas.every((meta) => meta === null) && (pages.isForeign || found.records().length === 0)) {
    throw new Error(`${file} is damaged: restore an older one, or move the whole data root away`);
  }
  return found;
}

function isFilled(directory: string): boolean {
  try {
    // A separate disk may be mounted here.
    return readdirSync(directory).some((name) => name !== "lost+found");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
