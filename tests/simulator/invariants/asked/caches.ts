// Checks the builder's cache, when no build is under way: the list of its entries has every cache and every step, each in use
// only if a container uses it. A prune of all removes exactly those that nothing uses.

import type { ImageRecord } from "../../../../build/core/record-types.js";
import { Breach } from "../../breach.js";
import type { Ledger } from "../../ledger.js";
import type { Copies } from "./copy.js";

const LIST = "/v1.55/system/df?type=build-cache";
const PRUNE = "/v1.55/build/prune?all=1";
const ALGORITHM = "sha256:";

interface Entry {
  ID: string;
  InUse: boolean;
}

/** Throws a `Breach`. */
export function expectCaches(copies: Copies, ledger: Ledger): void {
  // It is unknown what a damaged record needs.
  if (ledger.keys("damaged/").length > 0) return;
  const steps = stepsIn(ledger);
  const caches = ledger.keys("cache/");
  const used = usedIn(ledger);
  const [listed, pruned] = [copies.ask("GET", LIST), copies.ask("POST", PRUNE)];
  const entries = (JSON.parse(listed.body) as { BuildCache: Entry[] | null }).BuildCache ?? [];
  const expected = [...caches, ...steps.keys()].map((id) => ({ ID: id, InUse: used.has(id) }));
  expectSame("the list of the builder's cache", lines(entries), lines(expected));
  const { CachesDeleted } = JSON.parse(pruned.body) as { CachesDeleted: string[] | null };
  const due = [...caches.filter((id) => !used.has(id)), ...unneeded(ledger, steps, used)];
  expectSame("the prune of the builder's cache", [...(CachesDeleted ?? [])].sort(), due.sort());
}

/** Images that are only the builder's cache, and what each was made of: ids without the algorithm. */
function stepsIn(ledger: Ledger): Map<string, string> {
  return parentsIn(ledger, ({ onlyCache }) => onlyCache === true);
}

function parentsIn(ledger: Ledger, isMeant: (image: ImageRecord) => boolean): Map<string, string> {
  const images = ledger.keys("image/").map((id) => [id, ledger.json<ImageRecord>(`image/${id}`)!] as const);
  const meant = images.filter(([, image]) => isMeant(image));
  return new Map(meant.map(([id, { parent = "" }]) => [withoutAlgorithm(id), withoutAlgorithm(parent)]));
}

/** Ids of what containers use. */
function usedIn({ containers }: Ledger): Set<string> {
  const all = [...containers.values()];
  const sources = all.flatMap(({ mounts }) => mounts.map(({ source = "" }) => source));
  const ids = [...all.map(({ imageId }) => imageId), ...sources.map((source) => source.replace(/^volume:/, ""))];
  return new Set(ids.map(withoutAlgorithm));
}

/** Steps that go, one after the other, because no container and no image needs them. */
function unneeded(ledger: Ledger, steps: ReadonlyMap<string, string>, used: ReadonlySet<string>): string[] {
  const left = parentsIn(ledger, () => true);
  const gone: string[] = [];
  for (;;) {
    const needed = new Set(left.values());
    const next = [...steps.keys()].filter((id) => left.has(id) && !used.has(id) && !needed.has(id));
    if (next.length === 0) return gone;
    for (const id of next) left.delete(id);
    gone.push(...next);
  }
}

function lines(entries: readonly Entry[]): string[] {
  return entries.map(({ ID, InUse }) => `${ID} ${InUse ? "in use" : "free"}`).sort();
}

function expectSame(what: string, told: readonly string[], expected: readonly string[]): void {
  if (told.join() === expected.join()) return;
  throw new Breach("caches", `${what} has ${told.join(", ")}; expected: ${expected.join(", ")}`);
}

function withoutAlgorithm(id: string): string {
  return id.startsWith(ALGORITHM) ? id.slice(ALGORITHM.length) : id;
}
