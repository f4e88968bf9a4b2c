// Replaces a damaged database by a new one. The damaged one is kept beside it, since there may be more in it than can
// be read today. There is a database at every moment.

import { linkSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { syncPath, syncUpwards } from "../../../runtime-linux/directories.js";
import type { Survey } from "./survey.js";

/** Called with what is kept, under which name, and why. */
export type DamageTold = (what: string, why: string) => void;

/** Gives the damaged database a second name. If a crash makes it run again, there is still only one. */
export async function keepDamaged(directory: string, name: string, damage: Survey, told: DamageTold): Promise<void> {
  const { ino } = statSync(join(directory, name));
  let kept = "";
  for (let number = 1; kept === ""; number++) {
    const path = join(directory, `damaged-${number}.mdb`);
    const there = statSync(path, { throwIfNoEntry: false });
    if (there === undefined) linkSync(join(directory, name), path);
    if (there === undefined || there.ino === ino) kept = path;
  }
  await syncPath(directory);
  told(`database ${kept}`, whatIsDamaged(damage));
}

/** The new file is complete at once: its pages are flushed. */
export async function putInPlace(draft: string, directory: string, name: string): Promise<void> {
  await syncPath(join(draft, name));
  renameSync(join(draft, name), join(directory, name));
  rmSync(draft, { recursive: true });
  await syncUpwards(directory);
}

function whatIsDamaged({ damaged, hasLost, hasLostEntries }: Survey): string {
  const shown = damaged.slice(0, MOST_PAGES).join(", ");
  const more = damaged.length > MOST_PAGES ? ` and ${damaged.length - MOST_PAGES} more` : "";
  const where = damaged.length === 0 ? "its head or its list of free pages" : `page ${shown}${more}`;
  const lost = [...(hasLost ? ["records"] : []), ...(hasLostEntries ? ["events of the past"] : [])].join(" and ");
  const what = lost === "" ? "" : ` but ${lost}`;
  return `${where} is damaged: all${what} is in a new one`;
}

const MOST_PAGES = 20;
