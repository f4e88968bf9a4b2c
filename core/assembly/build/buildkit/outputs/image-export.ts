// An image of the store, with names; `push` also sends it to the registries of its names, one after the other.

import { Credentials } from "../../../../../build/bindings/types";
import { Image } from "../../../image/image";
import { Push } from "../../../image/push/push-task";
import { Reference } from "../../../image/reference";
import { imageStore } from "../../../image/store";
import { giveName } from "../../../image/tag";
import { CredentialsClient } from "../../credentials";
import { OpenWork } from "../../run/work";
import { ExportClient, ExportNeeds, Exporting } from "./exporting";
import { Output } from "./output";
import { PushClient, PushTelling } from "./push-telling";

export class ImageExport implements Exporting, CredentialsClient, PushClient {
  private client: ExportClient | null = null;
  private asking: OpenWork | null = null;
  private push: Push | null = null;
  /** How many names are pushed. */
  private count: i32 = 0;

  constructor(
    private image: Image,
    private readonly output: Output,
    private readonly needs: ExportNeeds,
  ) {}

  begin(client: ExportClient): void {
    this.client = client;
    this.keep();
    if (this.output.pushes) this.pushNext();
    else this.finish(this.image.id);
  }

  credentialsFound(credentials: Credentials | null): void {
    this.asking = null;
    if (this.client === null) return;
    const telling = new PushTelling(this.needs.call, this.reference, this.needs.progress, this);
    const push = new Push(telling, this.reference, credentials);
    this.push = push;
    push.begin();
  }

  credentialsMissing(why: string): void {
    this.asking = null;
    this.pushFailed(why);
  }

  pushed(digest: string): void {
    this.push = null;
    if (this.client === null) return;
    this.count += 1;
    if (this.count < this.output.references.length) this.pushNext();
    else this.finish(digest);
  }

  pushFailed(why: string): void {
    this.push = null;
    const client = this.client;
    if (client === null) return;
    this.client = null;
    const shown = `failed to push ${this.reference.canonical}: ${why}`;
    this.needs.progress.end(shown);
    client.exportFailed(shown);
  }

  cancel(): void {
    if (this.client === null) return;
    this.client = null;
    const asking = this.asking;
    if (asking !== null) asking.cancel();
    const push = this.push;
    if (push !== null) push.clientGone();
    this.needs.progress.end("context canceled");
  }

  private get reference(): Reference {
    return this.output.references[this.count];
  }

  /** A client may have removed it meanwhile: it is put back. */
  private keep(): void {
    const progress = this.needs.progress;
    progress.internal("exporting to image", "");
    const kept = imageStore.add(this.image);
    this.image = kept;
    imageStore.show(kept);
    progress.did(`writing image ${kept.id}`);
    const references = this.output.references;
    for (let i = 0; i < references.length; i++) {
      giveName(kept, references[i]);
      progress.did(`naming to ${references[i].canonical}`);
    }
  }

  private pushNext(): void {
    this.needs.progress.moves("pushing layers");
    this.asking = this.needs.credentials.find(this.reference, this);
  }

  private finish(digest: string): void {
    const client = this.client!;
    this.client = null;
    this.needs.progress.end("");
    client.exported(factsOf(this.image, digest, this.output.references));
  }
}

/** What clients are told of an image. `digest`: of its manifest, or its id in a store that knows images by their configs. */
export function factsOf(image: Image, digest: string, references: Reference[]): Map<string, string> {
  const facts = new Map<string, string>();
  facts.set("containerimage.config.digest", image.id);
  facts.set("containerimage.digest", digest);
  const names = references.map<string>((reference: Reference) => reference.canonical);
  if (names.length > 0) facts.set("image.name", names.join(","));
  return facts;
}
