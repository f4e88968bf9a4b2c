// Writes the words of the core's enums for the hosts. Records hold numbers, and readers of records outside the core
// need the words. They come from one place: the enums themselves.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

const ENUMS = [
  { source: "container/lifecycle.ts", name: "Status", list: "STATUSES", word: "StatusWord" },
  { source: "container/mounts/mount-point.ts", name: "MountKind", list: "MOUNT_KINDS", word: "MountKindWord" },
];

/** A module. */
export async function writeEnumWords(root: string): Promise<string> {
  const texts = ENUMS.map(async ({ source, name, list, word }) => {
    const words = wordsOf(await readFile(join(root, "core/assembly", source), "utf8"), name);
    if (words.length === 0) throw new Error(`core/assembly/${source} has no words of ${name}`);
    return (
      `/** In the order of their numbers. */\nexport const ${list} = ${JSON.stringify(words)} as const;\n` +
      `export type ${word} = (typeof ${list})[number];\n`
    );
  });
  return (await Promise.all(texts)).join("\n");
}

function wordsOf(source: string, name: string): string[] {
  const members = new RegExp(`export enum ${name} \\{([^}]*)\\}`).exec(source)?.[1] ?? "";
  return Array.from(members.matchAll(/\w+/g), ([word]) => word.toLowerCase());
}
