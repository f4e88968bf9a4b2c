// What the builder keeps from one build to the next: a directory of `RUN --mount=type=cache`, or the files that a client has
// sent; and its record. On the machine it is a volume with its id as the name, which no client can see as a volume.

import { FieldReader } from "../../records/field-reader";
import { FieldWriter } from "../../records/field-writer";
import { Fields } from "../../records/fields";
import { isFullId } from "../../text/hex";

const RECORD_BYTES: i32 = 512;

export class BuildCache {
  /** Nanoseconds since 1970. */
  lastUsed: i64;
  /** How many steps and builds have used it, without those that hold it and those of `noted`. */
  uses: i64 = 0;
  /** Bytes of its files after its last use. */
  size: i64 = 0;

  // ---------------------------------------------------------------- not in the record
  /** Steps that hold it. */
  holders: i32 = 0;
  /** Uses that are over, and not recorded yet: see `NotedUses`. */
  noted: i32 = 0;
  /** When the newest of these ended; nanoseconds since 1970. */
  notedAt: i64 = 0;
  /** Its only holder does not share it. */
  exclusive: bool = false;
  /** Its files are there. */
  ready: bool = true;

  constructor(
    readonly id: string,
    /** What a mount must ask for to get it: see `mountKey`. Of a client's files: see `KeptFiles`. */
    readonly key: string,
    /** `id` of the mount, or the name of the client's directory. */
    readonly name: string,
    /** Nanoseconds since 1970. */
    readonly created: i64,
    /** It is what a client has sent. */
    readonly ofClient: bool = false,
  ) {
    this.lastUsed = created;
  }

  /** As clients see it. */
  get allUses(): i64 {
    return this.uses + this.holders + this.noted;
  }

  /** Nanoseconds since 1970. */
  get newestUse(): i64 {
    return max(this.lastUsed, this.notedAt);
  }

  /** What a container that has it mounted has been lent. */
  get source(): string {
    return `volume:${this.id}`;
  }

  record(): Uint8Array {
    const fields = new FieldWriter(RECORD_BYTES);
    cacheFields(fields, this);
    return fields.take();
  }
}

function cacheFields(fields: Fields, given: BuildCache | null): BuildCache {
  const id = fields.text("id", given === null ? "" : given.id);
  const key = fields.text("key", given === null ? "" : given.key);
  const name = fields.text("name", given === null ? "" : given.name);
  const created = fields.number("created", given === null ? 0 : given.created);
  const ofClient = fields.optionalBool("ofClient", given !== null && given.ofClient);
  const cache = given === null ? new BuildCache(id, key, name, created, ofClient) : given;
  cache.lastUsed = fields.number("lastUsed", cache.lastUsed);
  cache.uses = fields.within("uses", cache.uses, 0, i64.MAX_VALUE);
  cache.size = fields.within("size", cache.size, 0, i64.MAX_VALUE);
  return cache;
}

/** Reads the cache `id`; sets a problem if the record is invalid. */
export function readCache(fields: FieldReader, id: string): BuildCache {
  const cache = cacheFields(fields, null);
  if (cache.id != id) fields.refuse("it is another cache's");
  else if (!isFullId(id)) fields.refuse("its id is not valid");
  return cache;
}
