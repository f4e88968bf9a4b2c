// `type=docker` and `type=oci`: the client gets an archive of the image, as `docker save` writes it, or without what is Docker's
// own. Whoever wants the first, but takes no files, has it loaded into the store.

import {
  ContentCommandSendImages,
  Failure,
  Outcome,
  Progress,
  SavedMember,
  SentImages,
} from "../../../../../build/bindings/types";
import { abandon, askContent } from "../../../ask";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { LayerSizes, SizesClient } from "../../../image/archive/layer-sizes";
import { manifestOf, savedLayout, savedMembers } from "../../../image/archive/saved-archive";
import { SavedImage, SavedImages } from "../../../image/archive/saved-images";
import { Image } from "../../../image/image";
import { Claims } from "../../../image/layers/claims";
import { WantedPlatforms } from "../../../image/platform-parameter";
import { Task } from "../../../task";
import { digestOf } from "../../../text/sha256";
import { ExportClient, ExportNeeds, Exporting, sendProblem } from "./exporting";
import { factsOf, ImageExport } from "./image-export";
import { Output, OutputKind } from "./output";

export class ImagesExport extends Task implements Exporting, SizesClient {
  private readonly sizes: LayerSizes = new LayerSizes([]);
  private readonly claims: Claims = new Claims();
  private readonly saved: SavedImage;
  private client: ExportClient | null = null;
  private instead: ImageExport | null = null;
  private op: u64 = 0;

  constructor(
    private readonly image: Image,
    private readonly output: Output,
    private readonly needs: ExportNeeds,
  ) {
    super();
    this.saved = new SavedImage(image);
  }

  begin(client: ExportClient): void {
    const isDocker = this.output.kind == OutputKind.Docker;
    const problem = sendProblem(this.needs.session);
    if (isDocker && problem.length > 0) {
      const instead = new ImageExport(this.image, this.output, this.needs);
      this.instead = instead;
      return instead.begin(client);
    }
    this.client = client;
    this.needs.progress.internal(`exporting to ${isDocker ? "docker" : "oci"} image format`, "");
    if (problem.length > 0) return this.fail(problem);
    this.claims.claimStack(this.image.chain);
    for (let i = 0; i < this.output.references.length; i++) this.saved.tags.push(this.output.references[i]);
    this.sizes.begin([this.image], this);
  }

  sizesKnown(): void {
    if (this.client === null) return;
    this.needs.progress.did("exporting layers");
    this.needs.progress.did(`exporting manifest ${this.manifest}`);
    this.needs.progress.did(`exporting config ${this.image.id}`);
    this.needs.progress.moves("sending tarball");
    const images = new SentImages(this.needs.session!.request, this.members(), this.needs.output);
    this.op = askContent(this, 0, new ContentCommandSendImages(images));
  }

  sizesUnknown(why: string): void {
    if (this.client !== null) this.fail(why);
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (this.client === null) return;
    this.op = 0;
    if (failure !== null) return this.fail(failureText(failure));
    const client = this.client!;
    this.close("");
    client.exported(factsOf(this.image, this.manifest, this.output.references));
  }

  progressed(_step: i32, progress: Progress): void {
    if (this.client !== null) this.needs.progress.moved(progress.current);
  }

  cancel(): void {
    const instead = this.instead;
    if (instead !== null) return instead.cancel();
    const op = this.op;
    this.op = 0;
    if (op != 0) abandon(new Ignored(), 0, op);
    this.close("context canceled");
  }

  private get manifest(): string {
    return digestOf(manifestOf(this.saved, this.sizes.all));
  }

  private members(): SavedMember[] {
    const images = new SavedImages(new WantedPlatforms());
    images.all.push(this.saved);
    return this.output.kind == OutputKind.Docker
      ? savedMembers(images, this.sizes.all)
      : savedLayout(images, this.sizes.all);
  }

  private fail(why: string): void {
    const client = this.client!;
    this.close(why);
    client.exportFailed(why);
  }

  private close(error: string): void {
    this.client = null;
    this.claims.release();
    this.needs.progress.end(error);
  }
}
