// All images: look-up by id, by tag and digest, and by prefix of an id (surface §2.4). Images share their layers.

import { deleteRecord } from "../ask";
import { Container } from "../container/container";
import { forgetDefaults } from "../container/create/image-defaults";
import { containerStore } from "../container/store";
import { jsonError, parseJson } from "../json/reader";
import { FieldReader } from "../records/field-reader";
import { CONFIG_RECORDS, IMAGE_RECORDS, LAYER_RECORDS, REFERENCE_RECORDS } from "../records/kinds";
import { putRecord } from "../records/put";
import { setAside } from "../records/set-aside";
import { badParameter, notFound, Refusal } from "../refusal";
import { engine } from "../state";
import { isHex } from "../text/hex";
import { decodeUtf8, encodeUtf8 } from "../text/utf8";
import { Image, parseImage } from "./image";
import { layerStore, StoredLayer } from "./layers/layer-store";
import { MOST_REPOSITORIES } from "./limits";
import { ImageRecord, readImageRecord, writeImageRecord } from "./records";
import { isIdentifier, parseReference, Reference, referenceError } from "./reference";

/** The image that was found, or the reason why none was. */
export class ImageLookup {
  constructor(
    readonly image: Image | null,
    readonly refusal: Refusal | null,
  ) {}
}

const ALGORITHM = "sha256:";

export class ImageStore {
  /** How often a name, or an id's prefix, may have changed its meaning. */
  renamings: i32 = 0;
  private readonly byId: Map<string, Image> = new Map<string, Image>();
  /** Canonical text of a tag or digest → image id. */
  private readonly idByReference: Map<string, string> = new Map<string, string>();
  /** Records read at a restart, until `mend` has all of them. */
  private restored: Map<string, ImageRecord> = new Map<string, ImageRecord>();
  private configs: Map<string, Uint8Array> = new Map<string, Uint8Array>();

  get count(): i32 {
    return this.byId.size;
  }

  /** How many are more than the builder's cache. */
  get shownCount(): i32 {
    const all = this.all();
    let count = 0;
    for (let i = 0; i < all.length; i++) if (!all[i].onlyCache) count += 1;
    return count;
  }

  all(): Image[] {
    return this.byId.values();
  }

  /** Finds an image by full id. */
  find(id: string): Image | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }

  /** By tag or digest; a reference with both is looked up by its digest. */
  named(reference: Reference): Image | null {
    const key = keyOf(reference);
    return this.idByReference.has(key) ? this.find(this.idByReference.get(key)) : null;
  }

  /**
   * Looks up by full id, then by tag or digest (`latest` if neither is given), then by a prefix that only one id has.
   */
  lookUp(text: string): ImageLookup {
    const id = text.startsWith(ALGORITHM) ? text.slice(ALGORITHM.length) : text;
    if (isIdentifier(id)) {
      const image = this.find(ALGORITHM + id);
      return image === null ? noSuchImage(ALGORITHM + id) : new ImageLookup(image, null);
    }
    const reference = parseReference(text);
    if (reference === null) return new ImageLookup(null, badParameter(referenceError()));
    const named = this.named(reference.withDefaultTag());
    if (named !== null) return new ImageLookup(named, null);
    const prefixed = this.withPrefix(id);
    return prefixed === null ? noSuchImage(reference.withDefaultTag().familiar) : new ImageLookup(prefixed, null);
  }

  /** Adds an image whose layers all exist; returns the existing one if there is one. */
  add(image: Image): Image {
    const known = this.find(image.id);
    if (known !== null) return known;
    this.hold(image);
    for (let i = 0; i < image.layers.length; i++) layerStore.record(image.layers[i].chain);
    putRecord(CONFIG_RECORDS + image.id, image.config);
    this.putImage(image);
    return image;
  }

  /** A client has asked for it: from now on it is more than the builder's cache. */
  show(image: Image): void {
    if (!image.onlyCache) return;
    image.onlyCache = false;
    this.renamings += 1;
    this.putImage(image);
  }

  /** It is only the builder's cache from now on: no client sees it, but steps of builds are made of it. */
  hide(image: Image): void {
    image.onlyCache = true;
    this.renamings += 1;
    this.putImage(image);
  }

  /** A build has found a step of it: of the builder's cache, what was not used for the longest time goes first. */
  used(image: Image): void {
    if (!image.onlyCache || this.find(image.id) !== image) return;
    image.lastUsed = engine.now.wall;
    image.uses += 1;
    this.putImage(image);
  }

  /** Notes that a repository has the image. The newest ones are kept. */
  noteRepository(image: Image, name: string): void {
    const repositories = image.repositories;
    if (repositories.includes(name)) return;
    repositories.push(name);
    if (repositories.length > MOST_REPOSITORIES) repositories.splice(0, repositories.length - MOST_REPOSITORIES);
    this.putImage(image);
  }

  /** Writes the record with those fields of an image that can change. */
  putImage(image: Image): void {
    putRecord(IMAGE_RECORDS + image.id, writeImageRecord(image));
  }

  /** Writes all records again, including those of layers. */
  putAll(): void {
    const images = this.byId.values();
    for (let i = 0; i < images.length; i++) {
      putRecord(CONFIG_RECORDS + images[i].id, images[i].config);
      this.putImage(images[i]);
    }
    const keys = this.idByReference.keys();
    for (let i = 0; i < keys.length; i++) {
      putRecord(REFERENCE_RECORDS + keys[i], encodeUtf8(this.idByReference.get(keys[i])));
    }
    layerStore.putAll();
  }

  /** Removes an image without references. Returns the layers that were dropped, top first. */
  remove(image: Image): StoredLayer[] {
    this.byId.delete(image.id);
    forgetDefaults(image.id);
    this.renamings += 1;
    deleteRecord(IMAGE_RECORDS + image.id);
    deleteRecord(CONFIG_RECORDS + image.id);
    const dropped: StoredLayer[] = [];
    for (let i = image.layers.length - 1; i >= 0; i--) {
      const layer = layerStore.release(image.layers[i].chain);
      if (layer !== null) dropped.push(layer);
    }
    return dropped;
  }

  /** Makes a tag or digest refer to an image. Returns the image that it referred to before, or null. */
  setReference(reference: Reference, image: Image): Image | null {
    const former = this.named(reference);
    if (former !== null && former.id == image.id) return former;
    if (former !== null) removeFrom(former, reference);
    this.attach(reference, image);
    this.show(image);
    putRecord(REFERENCE_RECORDS + keyOf(reference), encodeUtf8(image.id));
    return former;
  }

  removeReference(reference: Reference): void {
    const image = this.named(reference);
    if (image !== null) removeFrom(image, reference);
    this.idByReference.delete(keyOf(reference));
    this.renamings += 1;
    deleteRecord(REFERENCE_RECORDS + keyOf(reference));
  }

  /** Containers made from the image, or that mount it, running or not. */
  usedBy(image: Image): Container[] {
    const users: Container[] = [];
    const containers = containerStore.all();
    for (let i = 0; i < containers.length; i++) {
      if (containers[i].imageId == image.id || containers[i].mountsImage(image.id)) users.push(containers[i]);
    }
    return users;
  }

  /** Whether other images are made of it that clients see. */
  hasChildren(image: Image): bool {
    return this.isParent(image, false);
  }

  /** Whether steps that are only the builder's cache are made of it. */
  hasHiddenChildren(image: Image): bool {
    return this.isParent(image, true);
  }

  private isParent(image: Image, hidden: bool): bool {
    const all = this.all();
    for (let i = 0; i < all.length; i++) {
      if (all[i].parent == image.id && all[i].onlyCache == hidden) return true;
    }
    return false;
  }

  /** An image, its parent, and so on. */
  lineOf(image: Image): Image[] {
    const line: Image[] = [];
    let at: Image | null = image;
    // A damaged record might close a circle.
    while (at !== null && line.length < this.count) {
      line.push(at);
      at = this.find(at.parent);
    }
    return line;
  }

  /** Ids of an image and all its descendants. */
  descendants(image: Image): string[] {
    const family: string[] = [image.id];
    const all = this.all();
    for (let at = 0; at < family.length; at++) {
      for (let i = 0; i < all.length; i++) {
        if (all[i].parent == family[at] && !family.includes(all[i].id)) family.push(all[i].id);
      }
    }
    return family;
  }

  /** Reads a record at a restart; returns why it is invalid, or empty. `mend` must follow. */
  restore(key: string, value: Uint8Array): string {
    if (key.startsWith(CONFIG_RECORDS)) {
      this.configs.set(key.slice(CONFIG_RECORDS.length), value);
      return "";
    }
    if (key.startsWith(REFERENCE_RECORDS)) {
      this.idByReference.set(key.slice(REFERENCE_RECORDS.length), decodeUtf8(value));
      return "";
    }
    const json = parseJson(value);
    if (json === null) return jsonError();
    if (key.startsWith(LAYER_RECORDS)) return layerStore.restore(key.slice(LAYER_RECORDS.length), json);
    const fields = new FieldReader(json);
    const record = readImageRecord(fields);
    if (fields.problem.length == 0) this.restored.set(key.slice(IMAGE_RECORDS.length), record);
    return fields.problem;
  }

  /**
   * After a restart: sets aside incomplete images, which a crash never leaves, with everything that belongs to them,
   * and drops layers that nobody needs.
   */
  mend(chains: string[]): void {
    layerStore.keepOnly(chains);
    const ids = this.configs.keys();
    for (let i = 0; i < ids.length; i++) this.mendImage(ids[i], this.configs.get(ids[i]));
    const orphans = this.restored.keys();
    for (let i = 0; i < orphans.length; i++) setAside.take(IMAGE_RECORDS + orphans[i], "its config is missing");
    this.restored.clear();
    this.configs.clear();
    this.mendReferences();
    layerStore.claimed = true;
    for (let i = 0; i < chains.length; i++) layerStore.sweep(chains[i]);
  }

  private mendImage(id: string, config: Uint8Array): void {
    const problem = this.imageProblem(id, config);
    if (problem.length > 0) {
      setAside.take(CONFIG_RECORDS + id, problem);
      setAside.take(IMAGE_RECORDS + id, problem);
    } else {
      const image = parseImage(config).image!;
      image.recall(this.restored.get(id));
      this.hold(image);
    }
    this.restored.delete(id);
  }

  /** Why the image is invalid. */
  private imageProblem(id: string, config: Uint8Array): string {
    const parsed = parseImage(config);
    const image = parsed.image;
    if (image === null) return parsed.error;
    if (image.id != id) return "it does not match its digest";
    if (!this.restored.has(id)) return "its record is missing";
    for (let i = 0; i < image.layers.length; i++) {
      if (layerStore.find(image.layers[i].chain) === null) return `its layer ${image.layers[i].chain} is missing`;
    }
    return "";
  }

  private mendReferences(): void {
    const keys = this.idByReference.keys();
    for (let i = 0; i < keys.length; i++) {
      const reference = parseReference(keys[i]);
      const image = this.find(this.idByReference.get(keys[i]));
      if (reference !== null && image !== null && keyOf(reference) == keys[i]) {
        this.attach(reference, image);
        continue;
      }
      const id = this.idByReference.get(keys[i]);
      this.idByReference.delete(keys[i]);
      setAside.take(REFERENCE_RECORDS + keys[i], `there is no image ${id}`);
    }
  }

  private hold(image: Image): void {
    this.byId.set(image.id, image);
    this.renamings += 1;
    image.size = 0;
    for (let i = 0; i < image.layers.length; i++) {
      const chain = image.layers[i].chain;
      layerStore.claim(chain);
      image.size += layerStore.find(chain)!.size;
    }
  }

  private attach(reference: Reference, image: Image): void {
    this.idByReference.set(keyOf(reference), image.id);
    this.renamings += 1;
    image.references.push(single(reference));
    image.references.sort((a: Reference, b: Reference) => (a.canonical < b.canonical ? -1 : 1));
  }

  /**
   * Null if no id has this prefix, or more than one. Images that are only the builder's cache count if no other has it: no
   * list shows them.
   */
  private withPrefix(prefix: string): Image | null {
    if (!isHex(prefix)) return null;
    const shown: Image[] = [];
    const hidden: Image[] = [];
    const all = this.all();
    for (let i = 0; i < all.length; i++) {
      if (all[i].id.startsWith(ALGORITHM + prefix)) (all[i].onlyCache ? hidden : shown).push(all[i]);
    }
    const found = shown.length > 0 ? shown : hidden;
    return found.length == 1 ? found[0] : null;
  }
}

function noSuchImage(familiar: string): ImageLookup {
  return new ImageLookup(null, notFound(`No such image: ${familiar}`));
}

/** A reference with both tag and digest counts as its digest. */
function single(reference: Reference): Reference {
  if (reference.digest.length == 0 || reference.tag.length == 0) return reference;
  return new Reference(reference.domain, reference.path, "", reference.digest);
}

function keyOf(reference: Reference): string {
  return single(reference).canonical;
}

function removeFrom(image: Image, reference: Reference): void {
  const key = keyOf(reference);
  for (let i = image.references.length - 1; i >= 0; i--) {
    if (image.references[i].canonical == key) image.references.splice(i, 1);
  }
}

export const imageStore: ImageStore = new ImageStore();
