// The newest description of the API (tests/swagger), parsed. To unpack and parse it takes almost a second of a processor,
// and a run of all tests needs it in a dozen processes: the first of them keeps it as JSON, which takes milliseconds to
// read.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ARCHIVE = new URL("../../swagger/swagger.tar.br", import.meta.url);
/** From the archive's place: a bundled program is in another one. */
const FOLDER = "../../build/swagger/";
const READER = "../support/swagger.ts";
/** Newer than any. */
const NEWEST = "1.999";

/** The description as JSON. `archive`: the one in tests/swagger. */
export async function newestDescription(archive: URL = ARCHIVE): Promise<string> {
  const file = keptAt(archive);
  if (existsSync(file)) return readFileSync(file, "utf8");
  const json = JSON.stringify(await parsedNewest(archive));
  mkdirSync(fileURLToPath(new URL(FOLDER, archive)), { recursive: true });
  // Other processes may do the same now.
  writeFileSync(`${file}.${process.pid}`, json);
  renameSync(`${file}.${process.pid}`, file);
  return json;
}

/** Another archive has another place, and so has another way of reading it. */
function keptAt(archive: URL): string {
  const hash = createHash("sha256");
  for (const source of [archive, new URL(READER, archive)]) hash.update(readFileSync(source));
  return fileURLToPath(new URL(`${FOLDER}${hash.digest("hex").slice(0, 16)}.json`, archive));
}

/** Loads what it takes only now. */
async function parsedNewest(archive: URL): Promise<unknown> {
  const [{ parse }, { joinFolded, swaggers, versionOfSwagger }] = await Promise.all([
    import("yaml"),
    import("../swagger.js"),
  ]);
  const all = await swaggers(archive);
  return parse(joinFolded(all.get(versionOfSwagger(NEWEST, all.keys())) ?? ""), { merge: true });
}
