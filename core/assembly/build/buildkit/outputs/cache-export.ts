// The cache of a build for a directory of its client (`--cache-to type=local`): the blobs go there, and the client writes its
// `index.json` by what the answer says (moby/buildkit, client/solve.go: `cache.manifest`).

import {
  ClientStore,
  ContentCommandGiveBlobs,
  Failure,
  GivenBlob,
  GivenBlobs,
  Outcome,
  Progress,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { LayerSizes, SizesClient } from "../../../image/archive/layer-sizes";
import { Image } from "../../../image/image";
import { Claims } from "../../../image/layers/claims";
import { Task } from "../../../task";
import { decodeUtf8 } from "../../../text/utf8";
import { isCacheable, KeptCache, MOST_IMAGES } from "../../kept-cache";
import { LocalTarget } from "../options/cache-options";
import { ExportClient, ExportNeeds, Exporting } from "./exporting";

const WRITE = "/containerd.services.content.v1.Content/Write";

export class CacheExport extends Task implements Exporting, SizesClient {
  private readonly sizes: LayerSizes = new LayerSizes([]);
  private readonly claims: Claims = new Claims();
  /** Those whose steps can be told, the result first. */
  private readonly images: Image[] = [];
  private kept: KeptCache | null = null;
  private client: ExportClient | null = null;
  private op: u64 = 0;

  constructor(
    images: Image[],
    private readonly target: LocalTarget,
    private readonly needs: ExportNeeds,
  ) {
    super();
    for (let i = 0; i < images.length && this.images.length < MOST_IMAGES; i++) {
      if (isCacheable(images[i]) && !this.images.includes(images[i])) this.images.push(images[i]);
    }
  }

  begin(client: ExportClient): void {
    this.client = client;
    this.needs.progress.internal("exporting cache to client directory", "");
    const session = this.needs.session;
    if (session === null) return this.fail("no active session: the client that takes the cache has left");
    if (!session.offers(WRITE)) return this.fail(`method ${WRITE} not supported by the client`);
    for (let i = 0; i < this.images.length; i++) this.claims.claimImage(this.images[i]);
    this.sizes.begin(this.images, this);
  }

  sizesKnown(): void {
    if (this.client === null) return;
    const kept = new KeptCache(this.images, this.sizes.all);
    this.kept = kept;
    const blobs: GivenBlob[] = [];
    for (let i = 0; i < kept.digests.length; i++) blobs.push(new GivenBlob(kept.digests[i], kept.contents[i]));
    this.needs.progress.moves("writing layers");
    const store = new ClientStore(this.needs.session!.request, this.target.store);
    this.op = askContent(this, 0, new ContentCommandGiveBlobs(new GivenBlobs(store, blobs)));
  }

  sizesUnknown(why: string): void {
    if (this.client !== null) this.fail(why);
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (this.client === null) return;
    this.op = 0;
    if (failure !== null) return this.fail(failureText(failure));
    const facts = new Map<string, string>();
    facts.set("cache.manifest", decodeUtf8(this.kept!.descriptor));
    const client = this.client!;
    this.close("");
    client.exported(facts);
  }

  progressed(_step: i32, progress: Progress): void {
    if (this.client !== null) this.needs.progress.moved(progress.current);
  }

  cancel(): void {
    const op = this.op;
    this.op = 0;
    if (op != 0) abandon(new Ignored(), 0, op);
    this.close("context canceled");
  }

  /** Whoever says so gets the result without its cache. */
  private fail(why: string): void {
    const client = this.client!;
    this.close(why);
    if (this.target.optional) client.exported(new Map<string, string>());
    else client.exportFailed(why);
  }

  private close(error: string): void {
    this.client = null;
    this.claims.release();
    this.needs.progress.end(error);
  }
}
