// What was chosen from the files of a chain. Nobody can change them, so the same choice has the same result: a step of
// a cached build that copies from another stage or image needs no host.

import { Chosen, MissingFiles } from "../../../../build/bindings/types";
import { JsonWriter } from "../../json/writer";
import { decodeUtf8 } from "../../text/utf8";

/** Of the newest choices; forgotten with the engine. */
const MOST_CHOICES: i32 = 256;
/** A choice of more files is made again. */
const MOST_FILES: i32 = 64;

/** What is chosen, as in `selection`. */
export class Wanted {
  constructor(
    readonly patterns: string[],
    readonly missing: MissingFiles,
    readonly anyDepth: bool,
    readonly owners: bool,
  ) {}

  key(chain: string): string {
    const json = new JsonWriter();
    json.beginObject();
    json.stringField("chain", chain);
    json.stringArrayField("patterns", this.patterns);
    json.stringArrayField("missing", this.missing.paths);
    json.stringArrayField("excluded", this.missing.patterns);
    json.boolField("byRoot", this.missing.byRoot);
    json.boolField("anyDepth", this.anyDepth);
    json.boolField("owners", this.owners);
    json.endObject();
    return decodeUtf8(json.take());
  }
}

class KnownChoices {
  private readonly keys: string[] = [];
  private readonly known: Map<string, Chosen> = new Map<string, Chosen>();

  /** Null if it is not known. */
  find(chain: string, wanted: Wanted): Chosen | null {
    const key = wanted.key(chain);
    return this.known.has(key) ? this.known.get(key) : null;
  }

  keep(chain: string, wanted: Wanted, chosen: Chosen): void {
    const key = wanted.key(chain);
    if (chosen.files.length > MOST_FILES || this.known.has(key)) return;
    if (this.keys.length == MOST_CHOICES) this.known.delete(this.keys.shift());
    this.keys.push(key);
    this.known.set(key, chosen);
  }
}

export const knownChoices: KnownChoices = new KnownChoices();
