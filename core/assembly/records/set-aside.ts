// Records that cannot be used. They are kept as they are, under `damaged/` and their keys, and whatever belongs to them
// on the machine stays, too: it may be all that a user has left. They are named in `/info` until they are removed, or
// until there is a good record of the same key again; those of a kind that nobody knows, until the next start. Where
// records were lost whose keys nobody knows, whatever the host finds that nobody speaks of counts as theirs.

import { Deed, Stored } from "../../../build/bindings/types";
import { deleteRecord, storeRecord } from "../ask";
import { reasons } from "../reason";
import { Found, tellSwept } from "./found";
import {
  CONFIG_RECORDS,
  CONTAINER_RECORDS,
  ENGINE_RECORDS,
  EXEC_RECORDS,
  HELD_RECORDS,
  IMAGE_RECORDS,
  LAYER_RECORDS,
  NETWORK_RECORDS,
  REFERENCE_RECORDS,
  SET_ASIDE,
  VOLUME_RECORDS,
} from "./kinds";
import { Remains } from "./remains";

/** Kinds of records that may need layers; and those that are of one. */
const ON_LAYERS: string[] = [CONTAINER_RECORDS, CONFIG_RECORDS, IMAGE_RECORDS];

/** In place of images that were lost: it keeps the layers that nobody else needs, until images are pruned. */
const LOST_IMAGES: string = "image/lost";

/** Kinds of what was under way: the start that sets one aside has made an end of it. */
const PASSING: string[] = [HELD_RECORDS, EXEC_RECORDS];

/** Kinds that somebody can remove, or that come again. */
const KNOWN: string[] = ON_LAYERS.concat([
  LAYER_RECORDS,
  REFERENCE_RECORDS,
  NETWORK_RECORDS,
  VOLUME_RECORDS,
  ENGINE_RECORDS,
]).concat(PASSING);

export class SetAside {
  /** Their keys, without `damaged/`. */
  private readonly keys: Set<string> = new Set<string>();
  /** Those of `open`, by key; empty afterwards. */
  private readonly read: Map<string, Uint8Array> = new Map<string, Uint8Array>();
  private readonly remains: Map<string, Remains> = new Map<string, Remains>();
  private opening: bool = false;
  private lostSome: bool = false;
  private doubtful: bool = false;

  /** All records, before any is used. */
  begin(records: Stored[]): void {
    this.opening = true;
    for (let i = 0; i < records.length; i++) {
      const key = records[i].key;
      if (key.startsWith(SET_ASIDE)) this.keys.add(key.slice(SET_ASIDE.length));
      else this.read.set(key, records[i].value);
    }
    // What has come again since then is not missed any more; nor is what held a run still, which went on at that start,
    // or said that an exec had begun.
    const keys = this.keys.values();
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (!isAmong(KNOWN, key))
        tellSwept(`record ${key}`, "nobody knows such records, and it was told of at an earlier start");
      if (this.read.has(key) || isAmong(PASSING, key) || !isAmong(KNOWN, key)) this.forget(key);
      else this.tell(key, "it was at an earlier start");
    }
  }

  /** Sets one of them aside, once. */
  take(key: string, why: string): void {
    if (!this.read.has(key)) return;
    storeRecord(SET_ASIDE + key, this.read.get(key));
    deleteRecord(key);
    this.read.delete(key);
    this.keys.add(key);
    this.tell(key, why);
  }

  /** There were more records, whose keys nobody knows. */
  loseSome(): void {
    // It is read at every start until this one is kept.
    deleteRecord("");
    this.lostSome = true;
    this.doubtful = true;
    reasons.push(new Found("records", Deed.SetAside, "they are lost, and nobody knows their keys"));
  }

  /** A record stands under a key that is not its own: nobody knows of whom there is none. */
  doubt(): void {
    this.doubtful = true;
  }

  /** In `open`: whether what nobody speaks of may belong to a record that was lost. */
  get doubts(): bool {
    return this.opening && this.doubtful;
  }

  /** In `open`: whether a record was set aside, or may be one that was lost; it is set aside from now on then. */
  hasOrLost(key: string): bool {
    if (this.has(key)) return true;
    if (!this.doubts) return false;
    this.lose(key, "something of it is here, and records are lost");
    return true;
  }

  /** In `open`: an image may be among the lost ones that needs layers which nobody else does. */
  keepLayers(): void {
    if (!this.has(LOST_IMAGES)) this.lose(LOST_IMAGES, "layers are here that nobody needs, and records are lost");
  }

  /** Nobody wants images back that were lost. Returns whether there were any. */
  forgetImages(): bool {
    const hadLost = this.has(LOST_IMAGES);
    this.forget(LOST_IMAGES);
    return hadLost;
  }

  private lose(key: string, why: string): void {
    storeRecord(SET_ASIDE + key, new Uint8Array(0));
    this.keys.add(key);
    this.tell(key, why);
  }

  /** All have been used or set aside. */
  end(): void {
    this.opening = false;
    this.read.clear();
  }

  has(key: string): bool {
    return this.keys.size > 0 && this.keys.has(key);
  }

  hasContainer(id: string): bool {
    return this.has(CONTAINER_RECORDS + id);
  }

  remainsOf(container: string): Remains {
    if (!this.remains.has(container)) this.remains.set(container, new Remains());
    return this.remains.get(container);
  }

  /** A record of that key is put: in `open` it only takes the place of the damaged one. */
  replaced(key: string): void {
    if (!this.opening) this.forget(key);
  }

  forget(key: string): void {
    if (this.keys.delete(key)) deleteRecord(SET_ASIDE + key);
  }

  /** Those whose keys begin so; the keys are without that. */
  startingWith(prefix: string): string[] {
    const found: string[] = [];
    const keys = this.keys.values();
    for (let i = 0; i < keys.length; i++) if (keys[i].startsWith(prefix)) found.push(keys[i].slice(prefix.length));
    return found;
  }

  /** Nobody knows which layers a container or an image was on whose record cannot be read: none is dropped. */
  get holdsLayers(): bool {
    return this.holdsOwnersOfLayers || this.hasKind(LAYER_RECORDS);
  }

  /** Containers or images. */
  get holdsOwnersOfLayers(): bool {
    for (let i = 0; i < ON_LAYERS.length; i++) if (this.hasKind(ON_LAYERS[i])) return true;
    return false;
  }

  /** For `/info`. */
  warnings(): string[] {
    const warnings: string[] = [];
    if (this.lostSome) warnings.push("WARNING: records are lost; what is here of them was set aside");
    const keys = this.keys.values();
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] == LOST_IMAGES) {
        warnings.push("WARNING: images may be lost; the layers that no other one needs stay until images are pruned");
        continue;
      }
      const fate = isAmong(KNOWN, keys[i])
        ? "set aside, with all that belongs to it"
        : "set aside until the next start";
      warnings.push(`WARNING: the record ${keys[i]} is damaged and was ${fate}`);
    }
    return warnings.sort();
  }

  private hasKind(prefix: string): bool {
    if (this.keys.size == 0) return false;
    const keys = this.keys.values();
    for (let i = 0; i < keys.length; i++) if (keys[i].startsWith(prefix)) return true;
    return false;
  }

  private tell(key: string, why: string): void {
    reasons.push(new Found(`record ${key}`, Deed.SetAside, why));
  }
}

/** Nothing on the machine can belong to a record of a kind that is not `KNOWN`, and no request can remove it. */
function isAmong(kinds: string[], key: string): bool {
  for (let i = 0; i < kinds.length; i++) if (key.startsWith(kinds[i])) return true;
  return false;
}

export const setAside: SetAside = new SetAside();
