// Records that cannot be used. They are kept unchanged, under `damaged/` and their keys, and so are the resources that
// belong to them on the machine: these may be all that a user has left. `/info` lists them until they are removed, or
// until there is a good record with the same key; records of an unknown kind only until the next start. If records with
// unknown keys were lost, any resource without a record counts as belonging to one of them.

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

/** Kinds of records that refer to layers. */
const ON_LAYERS: string[] = [CONTAINER_RECORDS, CONFIG_RECORDS, IMAGE_RECORDS];

/** Stands for lost images: it keeps layers that no other image needs, until images are pruned. */
const LOST_IMAGES: string = "image/lost";

/** Kinds for work in progress. The start that sets such a record aside also ends that work. */
const PASSING: string[] = [HELD_RECORDS, EXEC_RECORDS];

/** Kinds that a client can remove, or that will be written again. */
const KNOWN: string[] = ON_LAYERS.concat([
  LAYER_RECORDS,
  REFERENCE_RECORDS,
  NETWORK_RECORDS,
  VOLUME_RECORDS,
  ENGINE_RECORDS,
]).concat(PASSING);

export class SetAside {
  /** Keys of the records set aside, without `damaged/`. */
  private readonly keys: Set<string> = new Set<string>();
  /** During `open`, the records by key; empty afterwards. */
  private readonly read: Map<string, Uint8Array> = new Map<string, Uint8Array>();
  private readonly remains: Map<string, Remains> = new Map<string, Remains>();
  private opening: bool = false;
  private lostSome: bool = false;
  private doubtful: bool = false;

  /** Takes all records, before any of them is used. */
  begin(records: Stored[]): void {
    this.opening = true;
    for (let i = 0; i < records.length; i++) {
      const key = records[i].key;
      if (key.startsWith(SET_ASIDE)) this.keys.add(key.slice(SET_ASIDE.length));
      else this.read.set(key, records[i].value);
    }
    // A record that exists again replaces the one set aside. Records of
    // work in progress are forgotten: the earlier start ended that work.
    const keys = this.keys.values();
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (!isAmong(KNOWN, key))
        tellSwept(`record ${key}`, "its kind is unknown, and it was reported at an earlier start");
      if (this.read.has(key) || isAmong(PASSING, key) || !isAmong(KNOWN, key)) this.forget(key);
      else this.tell(key, "it was set aside at an earlier start");
    }
  }

  /** Sets a record aside, once. */
  take(key: string, why: string): void {
    if (!this.read.has(key)) return;
    storeRecord(SET_ASIDE + key, this.read.get(key));
    deleteRecord(key);
    this.read.delete(key);
    this.keys.add(key);
    this.tell(key, why);
  }

  /** Some records were lost together with their keys. */
  loseSome(): void {
    // The marker is read at every start until this step is committed.
    deleteRecord("");
    this.lostSome = true;
    this.doubtful = true;
    reasons.push(new Found("records", Deed.SetAside, "they are lost, and their keys are unknown"));
  }

  /** A record has the key of another one. So it is unknown which records are missing. */
  doubt(): void {
    this.doubtful = true;
  }

  /** During `open`: whether a resource without a record may belong to a lost one. */
  get doubts(): bool {
    return this.opening && this.doubtful;
  }

  /** During `open`: whether a record was set aside, or may have been lost; from now on it counts as set aside. */
  hasOrLost(key: string): bool {
    if (this.has(key)) return true;
    if (!this.doubts) return false;
    this.lose(key, "something of it is here, and records are lost");
    return true;
  }

  /** During `open`: a lost image may need layers that no other image needs. */
  keepLayers(): void {
    if (!this.has(LOST_IMAGES)) this.lose(LOST_IMAGES, "some layers belong to no image, and records are lost");
  }

  /** The client gives lost images up. Returns whether there were any. */
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

  /** All records have been used or set aside. */
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

  /** Whether a container whose record was set aside is on the network. */
  isOnNetwork(network: string): bool {
    const all = this.remains.values();
    for (let i = 0; i < all.length; i++) {
      for (let j = 0; j < all[i].joins.length; j++) if (all[i].joins[j].network == network) return true;
    }
    return false;
  }

  /** A record with this key was written. During `open` the damaged one is kept even so. */
  replaced(key: string): void {
    if (!this.opening) this.forget(key);
  }

  forget(key: string): void {
    if (this.keys.delete(key)) deleteRecord(SET_ASIDE + key);
  }

  /** Keys with this prefix, without it. */
  startingWith(prefix: string): string[] {
    const found: string[] = [];
    const keys = this.keys.values();
    for (let i = 0; i < keys.length; i++) if (keys[i].startsWith(prefix)) found.push(keys[i].slice(prefix.length));
    return found;
  }

  /** The layers of a container or image with an unreadable record are unknown, so no layer is dropped. */
  get holdsLayers(): bool {
    return this.holdsOwnersOfLayers || this.hasKind(LAYER_RECORDS);
  }

  /** Records of containers or images. */
  get holdsOwnersOfLayers(): bool {
    for (let i = 0; i < ON_LAYERS.length; i++) if (this.hasKind(ON_LAYERS[i])) return true;
    return false;
  }

  /** Warnings for `/info`. */
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

/** Records of a kind outside `KNOWN` have no resources on the machine, and no request can remove them. */
function isAmong(kinds: string[], key: string): bool {
  for (let i = 0; i < kinds.length; i++) if (key.startsWith(kinds[i])) return true;
  return false;
}

export const setAside: SetAside = new SetAside();
