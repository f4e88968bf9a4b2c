// Checks images and layers: no image in use is removed, every needed layer exists, and every existing layer is needed,
// being fetched or about to be removed.

import type { LayerRecord } from "../../../build/core/record-types.js";
import { Breach } from "../breach.js";
import { UNBELIEVABLE } from "../worlds/liar.js";
import { type Ledger, wordOf } from "../ledger.js";
import { Failures } from "./failures.js";
import { type AtRest, type Invariant, type Seen } from "./invariant.js";
import type { Operations } from "./operations.js";
import type { Replies } from "./replies.js";

const IN_USE = ["starting", "running", "paused", "restarting", "recycling"];

export class Images implements Invariant {
  readonly #undropped = new Failures("drop-chain");
  readonly #operations: Operations;
  readonly #replies: Replies;
  /** Layers from a time with a damaged record, when none is removed. An unneeded one stays until images are pruned. */
  readonly #kept = new Set<string>();
  /** What records claim, and the version of the records. */
  #claimed: ReadonlySet<string> = new Set();
  #version = -1;

  constructor(operations: Operations, replies: Replies) {
    this.#operations = operations;
    this.#replies = replies;
  }

  stepped(seen: Seen): void {
    const { ledger } = seen;
    this.#undropped.stepped(seen);
    if (holdsDamaged(ledger)) return this.#keepAll(ledger);
    this.#machine(ledger, seen.found());
    const changed = ledger.changed.filter((key) => IMAGE_KEYS.test(key));
    if (changed.length === 0) return;
    for (const key of changed) if (key.startsWith("image/") && !ledger.records.has(key)) this.#unused(ledger, key);
    for (const key of changed) if (key.startsWith("layer/") && !ledger.records.has(key)) this.#unclaimed(ledger, key);
    this.#whole(ledger);
  }

  rested({ ledger, found }: AtRest): void {
    if (holdsDamaged(ledger)) return this.#keepAll(ledger);
    this.#machine(ledger, found);
  }

  #keepAll(ledger: Ledger): void {
    for (const chain of ledger.keys("layer/")) this.#kept.add(chain);
  }

  /** Checks that the machine has exactly the layers of the records. */
  #machine(ledger: Ledger, { chains }: AtRest["found"]): void {
    const [kept, there] = [new Set(ledger.keys("layer/")), new Set(chains)];
    for (const chain of chains) {
      if (!kept.has(chain) && !this.#undropped.has(chain) && !this.#operations.speakOf(chain))
        throw new Breach("images", `layer ${chain} exists without a record`);
    }
    for (const chain of kept) {
      if (!there.has(chain)) throw new Breach("images", `layer ${chain} has a record, but does not exist`);
    }
    for (const chain of this.#kept) if (!kept.has(chain)) this.#kept.delete(chain);
    // Nothing claims the layers of an image that is still being fetched, or whose layers are to be flushed.
    if (this.#operations.areAsked(FETCHING)) return;
    // A build holds the layers of what it has made, even if a client removes the image.
    if (this.#replies.areBuilding) return;
    const claimed = this.#claimedIn(ledger);
    for (const chain of kept) {
      if (claimed.has(chain)) this.#kept.delete(chain);
      else if (!this.#kept.has(chain)) throw new Breach("images", `nothing needs layer ${chain}`);
    }
  }

  #claimedIn(ledger: Ledger): ReadonlySet<string> {
    if (this.#version === ledger.version) return this.#claimed;
    this.#version = ledger.version;
    return (this.#claimed = new Set([...chainsOfImages(ledger), ...chainsOfContainers(ledger)]));
  }

  #unused(ledger: Ledger, key: string): void {
    const id = key.slice("image/".length);
    for (const container of ledger.containers.values()) {
      if (container.imageId === id && IN_USE.includes(wordOf(container))) {
        throw new Breach("images", `image ${id} was removed while ${container.id} is ${wordOf(container)}`);
      }
    }
  }

  #unclaimed(ledger: Ledger, key: string): void {
    const chain = key.slice("layer/".length);
    for (const container of ledger.containers.values()) {
      if (container.chain === chain)
        throw new Breach("images", `layer ${chain} was dropped, but ${container.id} needs it`);
    }
  }

  #whole(ledger: Ledger): void {
    const layers = new Set(ledger.keys("layer/"));
    for (const id of ledger.keys("image/")) {
      if (!ledger.records.has(`config/${id}`)) throw new Breach("images", `image ${id} has no config`);
    }
    for (const name of ledger.keys("reference/")) {
      const id = ledger.text(`reference/${name}`);
      if (UNBELIEVABLE.includes(name)) throw new Breach("images", `the invalid image ${name} was accepted`);
      if (!ledger.records.has(`image/${id}`)) throw new Breach("images", `${name} names ${id}, which does not exist`);
    }
    for (const chain of [...chainsOfImages(ledger), ...chainsOfContainers(ledger)]) {
      if (!layers.has(chain)) throw new Breach("images", `something needs layer ${chain}, which does not exist`);
    }
  }
}

/** Whether there is a damaged record. It is unknown which layers it needs, so all stay. */
function holdsDamaged(ledger: Ledger): boolean {
  return ledger.keys("damaged/").some((key) => /^(container|image|config|layer|reference)\//.test(key));
}

const FETCHING = /^content (resolve|blob|layer|ingest|read|commit|drop-archive|flush-layers)$/;
const IMAGE_KEYS = /^(image|config|reference|layer)\//;

/** Layers of images, according to the records. For a missing layer it has the DiffID. */
function chainsOfImages(ledger: Ledger): string[] {
  const layers = ledger.keys("layer/").map((chain) => ({ chain, ...ledger.json<LayerRecord>(`layer/${chain}`) }));
  return ledger.keys("image/").flatMap((id) => {
    const config = ledger.json<{ rootfs: { diff_ids: string[] } }>(`config/${id}`);
    let below: string | undefined;
    return (config?.rootfs.diff_ids ?? []).map((diffId) => {
      below =
        layers.find((layer) => layer.diffId === diffId && (layer.parent ?? "") === (below ?? ""))?.chain ?? diffId;
      return below;
    });
  });
}

function chainsOfContainers(ledger: Ledger): string[] {
  const stacks: string[] = [];
  for (const { chain: top } of ledger.containers.values()) {
    for (let chain = top; chain !== undefined; chain = ledger.json<LayerRecord>(`layer/${chain}`)?.parent) {
      stacks.push(chain);
    }
  }
  return stacks;
}
