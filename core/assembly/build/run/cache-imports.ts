// The images that a client names as a cache. Some are here; for BuildKit, others are in registries, or in directories of the
// client (`client-cache.ts`). Of those, only the config is read at first: the layers follow once a step is found in it.
//
// A cache that is not there is no error, as in BuildKit: a first build has none.

import { Credentials } from "../../../../build/bindings/types";
import { hostPlatform } from "../../image/host-platform";
import { Image } from "../../image/image";
import { layerStore } from "../../image/layers/layer-store";
import { ConfigReader, Pull, PullOwner } from "../../image/pull/pull-task";
import { LayerListener } from "../../image/progress-stream";
import { parseReference, Reference, referenceError } from "../../image/reference";
import { imageStore } from "../../image/store";
import { Refusal } from "../../refusal";
import { CredentialsClient } from "../credentials";
import { hasInlineCache } from "../inline-cache";
import { BuildFacts } from "./build-facts";
import { CacheLayers, FetchClient } from "./cache-layers";
import { DirectoryImport } from "./client-cache";
import { ImportedCache, ImportOwner } from "./imported-cache";
import { OpenWork } from "./work";

/** Waits until it is known which caches there are. */
export interface ImportsClient {
  cachesKnown(): void;
}

/** Bytes of the configs of all images elsewhere that a build keeps. */
const MOST_BYTES: i32 = 16 << 20;

export class CacheImports implements CacheLayers, ImportOwner {
  mayLack: bool = false;
  /** Of the configs that are kept. */
  private bytes: i32 = 0;
  private readonly remote: ImportedCache[] = [];
  /** How many are known: of the names, and of the client's own. */
  private at: i32 = 0;
  private ownAt: i32 = 0;

  constructor(
    private readonly facts: BuildFacts,
    private readonly client: ImportsClient,
  ) {}

  /** Finally calls `cachesKnown`, perhaps at once. */
  begin(): void {
    const lacked = this.facts.options.lackedCaches;
    for (let i = 0; i < lacked.length; i++) this.facts.stream.lacksCache(lacked[i]);
    this.next();
  }

  /** Those that are elsewhere are asked for one after the other. */
  next(): void {
    const names = this.facts.options.cacheFrom;
    while (this.at < names.length) {
      const name = names[this.at++];
      if (this.take(name) || !this.facts.options.onlyCaches) continue;
      return this.ask(new CacheImport(name, this.facts, this));
    }
    const own = this.facts.clientCaches;
    if (this.ownAt < own.length) return this.ask(new DirectoryImport(own[this.ownAt++], this.facts, this));
    this.client.cachesKnown();
  }

  admits(image: Image): bool {
    if (image.config.length > MOST_BYTES - this.bytes) return false;
    this.bytes += image.config.length;
    this.mayLack = true;
    return true;
  }

  fetch(source: Image, client: FetchClient): OpenWork {
    for (let i = 0; i < this.remote.length; i++) {
      if (this.remote[i].isOf(source)) return this.remote[i].fetch(source, client);
    }
    assert(false);
    return this;
  }

  cancel(): void {
    for (let i = 0; i < this.remote.length; i++) this.remote[i].cancel();
  }

  private ask(cache: ImportedCache): void {
    this.remote.push(cache);
    cache.begin();
  }

  /** Clients may remove it while the build uses its layers. */
  private take(name: string): bool {
    const image = imageStore.lookUp(name).image;
    if (image === null || !layerStore.isWhole(image.chain)) return false;
    this.facts.claims.claimImage(image);
    this.facts.cacheSources.push(image);
    return true;
  }
}

/** One image in a registry. */
class CacheImport implements CredentialsClient, PullOwner, ConfigReader, LayerListener, ImportedCache {
  private asking: OpenWork | null = null;
  private pull: Pull | null = null;
  /** As its config says; null until that is known, and if it is no cache. */
  private image: Image | null = null;
  private fetching: bool = false;
  private waiting: FetchClient[] = [];

  constructor(
    private readonly name: string,
    private readonly facts: BuildFacts,
    private readonly imports: CacheImports,
  ) {}

  begin(): void {
    this.facts.stream.importsCache(this.name);
    const named = parseReference(this.name);
    if (named === null) return this.settle(referenceError());
    this.asking = this.facts.credentials.find(named.withDefaultTag(), this);
  }

  credentialsFound(credentials: Credentials | null): void {
    this.asking = null;
    const wanted = this.facts.options.platform;
    const platform = wanted === null ? hostPlatform() : wanted;
    const stream = this.facts.stream.progress.heardBy(this);
    const pull = new Pull(stream, this, this.reference, platform, false, credentials);
    this.pull = pull;
    pull.beginWith(this);
  }

  credentialsMissing(why: string): void {
    this.asking = null;
    this.settle(why);
  }

  configRead(image: Image): void {
    if (!hasInlineCache(image)) return this.passOver("the image has no cache of this engine inside");
    if (!this.imports.admits(image)) return this.passOver("it is too large, together with the caches before it");
    this.image = image;
    this.facts.cacheSources.push(image);
    this.settle("");
  }

  isOf(source: Image): bool {
    const image = this.image;
    return image !== null && image.id == source.id;
  }

  fetch(_source: Image, client: FetchClient): OpenWork {
    const waiting = new Waiting(this, client);
    this.waiting.push(waiting);
    if (this.fetching) return waiting;
    this.fetching = true;
    this.pull!.proceed();
    return waiting;
  }

  /** Each stage that waits for it tells its own client. */
  layerMoved(what: string, id: string, current: u64, total: u64): void {
    for (let i = 0; i < this.waiting.length; i++) this.waiting[i].layerMoved(what, id, current, total);
  }

  pullPauses(): void {
    if (!this.facts.over && !this.fetching) this.facts.stream.pauses();
  }

  pulled(image: Image): void {
    if (this.facts.over) return;
    this.facts.claims.claimImage(image);
    this.tell();
  }

  notPulled(refusal: Refusal): void {
    this.pull = null;
    if (this.facts.over) return;
    if (!this.fetching) return this.settle(refusal.message);
    const sources = this.facts.cacheSources;
    for (let i = 0; i < sources.length; i++) if (this.isOf(sources[i])) sources.splice(i--, 1);
    this.tell();
  }

  cancel(): void {
    this.waiting = [];
    const asking = this.asking;
    this.asking = null;
    if (asking !== null) asking.cancel();
    const pull = this.pull;
    this.pull = null;
    if (pull !== null) pull.clientGone();
  }

  /** Nobody else waits for it if its stage is given up. */
  leave(client: FetchClient): void {
    const at = this.waiting.indexOf(client);
    if (at >= 0) this.waiting.splice(at, 1);
  }

  private get reference(): Reference {
    return parseReference(this.name)!.withDefaultTag();
  }

  /** Its config is not kept, either. */
  private passOver(why: string): void {
    this.pull = null;
    this.settle(why);
  }

  /** `why`: it is no cache; empty if it is one. */
  private settle(why: string): void {
    if (this.facts.over) return;
    this.facts.stream.importedCache(why);
    this.imports.next();
  }

  private tell(): void {
    this.fetching = false;
    const waiting = this.waiting;
    this.waiting = [];
    for (let i = 0; i < waiting.length; i++) waiting[i].layersSettled();
  }
}

/** A stage that waits. */
class Waiting implements FetchClient, OpenWork {
  constructor(
    private readonly source: CacheImport,
    private readonly client: FetchClient,
  ) {}

  layerMoved(what: string, id: string, current: u64, total: u64): void {
    this.client.layerMoved(what, id, current, total);
  }

  layersSettled(): void {
    this.client.layersSettled();
  }

  cancel(): void {
    this.source.leave(this);
  }
}
