// Checks the removal of each image. An image stays while it has child images or containers need it. Its names go with
// it, and so do parents without names, but for those that are only the builder's cache. Children that are only that keep
// no image that is more: it becomes cache itself.

import type { ImageRecord } from "../../../../build/core/record-types.js";
import { Breach } from "../../breach.js";
import { type Ledger, wordOf } from "../../ledger.js";
import type { Copies, Reaction } from "./copy.js";

const IMAGE = "image/";
const REFERENCE = "reference/";
const UP = ["starting", "running", "paused", "restarting", "recycling"];

interface Kept {
  id: string;
  parent: string;
  /** A step that only builds see. */
  onlyCache: boolean;
  /** Canonical names. */
  names: string[];
  children: number;
  /** Other children, which are only the builder's cache. The image is more, and becomes cache instead of going. */
  hidden: number;
  /** Number of containers of this image. */
  users: number;
  /** Number of these that run. */
  running: number;
}

/** Throws a `Breach`. */
export function expectImages(copies: Copies, ledger: Ledger): void {
  // It is unknown what a damaged record needs.
  if (ledger.keys("damaged/").length > 0) return;
  const images = imagesIn(ledger);
  expectNamesOnce(copies.ask("GET", "/v1.55/images/json?all=1"));
  expectPrefixes(copies, images);
  for (const image of images) {
    expectRemoved(copies, image);
    expectParent(copies, image, images);
    expectForced(copies, image);
    expectUntagged(copies, image);
  }
}

function expectNamesOnce({ body }: Reaction): void {
  const names = (JSON.parse(body) as { RepoTags: string[] | null }[]).flatMap(({ RepoTags }) => RepoTags ?? []);
  const twice = names.find((name, at) => name !== "<none>:<none>" && names.indexOf(name) !== at);
  if (twice !== undefined) broken(`two images have the name ${twice}`);
}

/** A part of an id means an image only if no other id begins with it. The builder's cache counts only if it is alone. */
function expectPrefixes(copies: Copies, images: readonly Kept[]): void {
  const firstOf = ({ id }: Kept): string => id.replace(/^sha256:/, "").slice(0, 1);
  for (const first of new Set(images.map(firstOf))) {
    const all = images.filter((image) => firstOf(image) === first);
    const shown = all.filter(({ onlyCache }) => !onlyCache);
    const isOne = (shown.length > 0 ? shown : all).length === 1;
    const { status } = copies.ask("GET", `/v1.55/images/${first}/json`);
    if (status !== (isOne ? 200 : 404)) broken(`an image whose id begins with ${first} is found: ${status}`);
  }
}

/** A removal by id, without force. */
function expectRemoved(copies: Copies, image: Kept): void {
  const { status, records } = copies.ask("DELETE", `/v1.55/images/${image.id}`);
  const stays = image.children > 0 || image.users > 0 || !hasOneName(image);
  if (status !== (stays ? 409 : 200)) broken(`the removal of ${image.id} gets ${status}; ${JSON.stringify(image)}`);
  const removed = removedIn(records).has(IMAGE + image.id);
  if (!stays && removed !== (image.hidden === 0)) broken(`the removal of ${image.id} gets 200; it goes: ${removed}`);
}

/**
 * The parent of a removed image goes, too, if it has no name, nothing needs it, it is more than cache, and `noprune` is not
 * set.
 */
function expectParent(copies: Copies, image: Kept, images: readonly Kept[]): void {
  const parent = images.find(({ id }) => id === image.parent);
  if (parent === undefined || parent.children > 1 || parent.hidden > 0 || parent.users > 0) return;
  if (image.children > 0 || image.hidden > 0 || image.running > 0) return;
  const unnamed = parent.names.map((name) => `/v1.55/images/${name}?force=1`);
  for (const [query, goes] of [["force=1", !parent.onlyCache] as const, ["force=1&noprune=1", false] as const]) {
    const { records } = copies.askInTurn("DELETE", [...unnamed, `/v1.55/images/${image.id}?${query}`]).at(-1)!;
    if (removedIn(records).has(IMAGE + parent.id) !== goes)
      broken(`the parent of ${image.id} ${goes ? "stays" : "goes"} after its removal with ${query}`);
  }
}

/** A removal by id with force. Running containers and child images still prevent it. */
function expectForced(copies: Copies, image: Kept): void {
  const { status } = copies.ask("DELETE", `/v1.55/images/${image.id}?force=1`);
  const stays = image.children > 0 || image.running > 0;
  if (status !== (stays ? 409 : 200)) broken(`the forced removal of ${image.id}: ${status}; ${JSON.stringify(image)}`);
}

/** When the last tag of a repository goes, its digests go, too. */
function expectUntagged(copies: Copies, { names, users }: Kept): void {
  const tags = names.filter((name) => !name.includes("@"));
  const [last] = tags.filter((name) => tags.filter((one) => repositoryOf(one) === repositoryOf(name)).length === 1);
  if (last === undefined || users > 0) return;
  const { status, records } = copies.ask("DELETE", `/v1.55/images/${last}`);
  const gone = removedIn(records);
  const due = names.filter((name) => repositoryOf(name) === repositoryOf(last));
  const left = due.find((name) => !gone.has(REFERENCE + name));
  if (status !== 200 || left !== undefined) broken(`DELETE /images/${last} gets ${status}, and ${left} stays`);
}

function imagesIn(ledger: Ledger): Kept[] {
  const ids = ledger.keys(IMAGE);
  const records = new Map(ids.map((id) => [id, ledger.json<ImageRecord>(IMAGE + id)]));
  const parentOf = (id: string): string => records.get(id)?.parent ?? "";
  const isCache = (id: string): boolean => records.get(id)?.onlyCache ?? false;
  const containers = [...ledger.containers.values()];
  return ids.map((id) => {
    const users = containers.filter(({ imageId }) => imageId === id);
    const children = ids.filter((one) => parentOf(one) === id);
    const shown = children.filter((one) => !isCache(one));
    return {
      ...{ id, parent: parentOf(id), onlyCache: isCache(id) },
      names: ledger.keys(REFERENCE).filter((name) => ledger.text(REFERENCE + name) === id),
      children: isCache(id) ? children.length : shown.length,
      hidden: isCache(id) ? 0 : children.length - shown.length,
      users: users.length,
      running: users.filter((one) => UP.includes(wordOf(one))).length,
    };
  });
}

/** Whether all names are in one repository, and at most one of them is a tag. */
function hasOneName({ names }: Kept): boolean {
  const repositories = new Set(names.map(repositoryOf));
  return repositories.size <= 1 && names.filter((name) => !name.includes("@")).length <= 1;
}

function repositoryOf(name: string): string {
  return name.replace(/@.*$|:[^/]*$/, "");
}

function removedIn(commands: Reaction["records"]): Set<string> {
  return new Set(commands.flatMap((command) => (command.tag === "delete" ? [command.val] : [])));
}

function broken(message: string): never {
  throw new Breach("asked", message);
}
