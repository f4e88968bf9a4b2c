// What was chosen from the files of a chain. Nobody can change them, so the same choice has the same result: a step of
// a cached build that copies from another stage or image needs no host.

import { Chosen, MissingFiles } from "../../../../build/bindings/types";
import { JsonWriter } from "../../json/writer";
import { sha256Hex } from "../../text/sha256";

/** Of the newest choices; forgotten with the engine. */
const MOST_CHOICES: i32 = 256;
/** A choice of more files is made again. */
const MOST_FILES: i32 = 64;
/** So is one with longer names than these in sum. */
const LARGEST: i32 = 16 * 1024;
/** Of all names in all answers. */
const MOST_CHARACTERS: i32 = 512 * 1024;

/** What is chosen, as in `selection`. */
export class Wanted {
  constructor(
    readonly patterns: string[],
    readonly missing: MissingFiles,
    readonly anyDepth: bool,
    readonly owners: bool,
  ) {}

  /** A digest: a wish may be as large as a Dockerfile. */
  key(chain: string): string {
    const json = new JsonWriter();
    json.beginObject();
    json.stringField("chain", chain);
    json.stringArrayField("patterns", this.patterns);
    json.stringArrayField("missing", this.missing.ignored);
    json.stringArrayField("excluded", this.missing.patterns);
    json.boolField("byRoot", this.missing.byRoot);
    json.boolField("anyDepth", this.anyDepth);
    json.boolField("owners", this.owners);
    json.endObject();
    return sha256Hex(json.take());
  }
}

/** An answer, and how many characters of names it has. */
class Known {
  constructor(
    readonly chosen: Chosen,
    readonly size: i32,
  ) {}
}

class KnownChoices {
  /** By key, the least recently used first. */
  private readonly known: Map<string, Known> = new Map<string, Known>();
  /** Of all answers. */
  private size: i32 = 0;

  /** Null if it is not known. */
  find(chain: string, wanted: Wanted): Chosen | null {
    const key = wanted.key(chain);
    if (!this.known.has(key)) return null;
    const found = this.known.get(key);
    this.known.delete(key);
    this.known.set(key, found);
    return found.chosen;
  }

  keep(chain: string, wanted: Wanted, chosen: Chosen): void {
    const size = sizeOf(chosen);
    if (chosen.files.length > MOST_FILES || size > LARGEST) return;
    const key = wanted.key(chain);
    if (this.known.has(key)) return;
    while (this.known.size == MOST_CHOICES || this.size + size > MOST_CHARACTERS) this.forgetOldest();
    this.known.set(key, new Known(chosen, size));
    this.size += size;
  }

  private forgetOldest(): void {
    const oldest = this.known.keys()[0];
    this.size -= this.known.get(oldest).size;
    this.known.delete(oldest);
  }
}

function sizeOf(chosen: Chosen): i32 {
  let size = 0;
  for (let i = 0; i < chosen.files.length; i++) size += chosen.files[i].path.length;
  return size;
}

export const knownChoices: KnownChoices = new KnownChoices();
