// The references of all described versions, for the page's build.

import { joinFolded, swaggers } from "../../../tests/support/swagger.js";
import { referenceFrom } from "./from-swagger.js";
import type { Reference } from "./reference.js";

/** The reference of one described version, which takes a sixteenth of the time. `archive`: as below. */
export async function referenceOf(version: string, archive?: string): Promise<Reference> {
  const text = (await swaggers(archive)).get(version);
  if (text === undefined) throw new Error(`no description of ${version}`);
  return referenceFrom(joinFolded(text), version);
}

/** By version, `1.25` first. `archive`: the directory of the descriptions, if not that of the tests. */
export async function allReferences(archive?: string): Promise<Map<string, Reference>> {
  const texts = [...(await swaggers(archive))];
  return new Map(texts.map(([version, text]) => [version, referenceFrom(joinFolded(text), version)]));
}
