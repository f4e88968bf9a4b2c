// One layer on its way to a registry (surface §4.4): nothing is sent if the registry has the blob, or can take it from
// another of its repositories.

import {
  ContentCommandBlobOf,
  ContentCommandFindBlob,
  ContentCommandMountBlob,
  ContentCommandUpload,
  Failure,
  MountedBlob,
  Outcome,
  OutcomeSent,
  Progress,
  Repository,
  SentBlob,
  SoughtBlob,
  Upload,
} from "../../../../build/bindings/types";
import { abandon, askContent, cancelTimer, wakeAfter } from "../../ask";
import { Ignored } from "../../ignored";
import { ImageLayer } from "../image";
import { isDamage } from "../layers/layer-damage";
import { pauseAfterUpload, retryingIn } from "../layers/layer-retry";
import { layerStore } from "../layers/layer-store";
import { Uploading, uploadSlots } from "./upload-slots";

const SECOND: u64 = 1_000_000_000;
/** How often one upload may be sent another way: a registry that claims one byte more each time got it without end. */
const OTHER_WAYS: u32 = 5;
/** Tries in a row that may not learn what has arrived. Then there is little hope that it is still there. */
const UNANSWERED: u32 = 5;

/** Is told what becomes of a layer. */
export interface LayerPushOwner {
  told(push: LayerPush, status: string): void;
  moved(push: LayerPush, current: u64, total: u64): void;
  /** The registry has the layer. */
  done(push: LayerPush, status: string): void;
  failed(push: LayerPush, failure: Failure): void;
}

enum Step {
  BlobOf,
  Find,
  Mount,
  Upload,
  Pause,
}

export class LayerPush extends Uploading {
  /** What the registry has the layer as; null until that is known. */
  blob: SentBlob | null = null;
  /** The command in flight; 0 if there is none. */
  private op: u64 = 0;
  /** Timer of a pause; 0 if there is none. */
  private timer: u64 = 0;
  private secondsLeft: u32 = 0;
  private attempts: u32 = 0;
  private source: i32 = 0;
  private over: bool = false;

  constructor(
    private readonly owner: LayerPushOwner,
    private readonly to: Repository,
    readonly layer: ImageLayer,
    /** Paths of repositories that may have the layer. */
    private readonly sources: string[],
    /** Size of its files in bytes: the total that progress lines tell. */
    private readonly size: u64,
  ) {
    super();
  }

  /** 12 digits of the DiffID, as in progress lines. */
  get id(): string {
    return this.layer.diffId.slice(7, 19);
  }

  begin(): void {
    this.op = askContent(this, Step.BlobOf, new ContentCommandBlobOf(this.layer.chain));
  }

  giveUp(): void {
    if (this.over) return;
    this.over = true;
    if (this.op != 0) abandon(new Ignored(), 0, this.op);
    if (this.timer != 0) cancelTimer(this.timer);
    uploadSlots.leave(this);
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (this.over) return;
    switch (step) {
      case Step.BlobOf:
        return this.tookBlob(outcome);
      case Step.Find:
        return failure === null ? this.done("Layer already exists") : this.mountNext();
      case Step.Mount:
        return failure === null ? this.done(`Mounted from ${this.sources[this.source - 1]}`) : this.mountNext();
      case Step.Upload:
        return this.tookUpload(outcome, failure);
    }
  }

  progressed(_step: i32, progress: Progress): void {
    if (!this.over) this.owner.moved(this, progress.current, this.size);
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    this.secondsLeft -= 1;
    if (this.secondsLeft > 0) return this.pause();
    this.upload();
  }

  private tookBlob(outcome: Outcome | null): void {
    if (outcome === null) return this.upload();
    const blob = (<OutcomeSent>outcome).value;
    this.blob = blob;
    const sought = new SoughtBlob(this.to, blob.digest);
    this.op = askContent(this, Step.Find, new ContentCommandFindBlob(sought));
  }

  /** Why a registry does not have a blob, or does not mount it, is told better by its answer to the upload. */
  private mountNext(): void {
    if (this.source == this.sources.length) return this.upload();
    const source = this.sources[this.source];
    this.source += 1;
    const mounted = new MountedBlob(this.to, this.blob!.digest, source);
    this.op = askContent(this, Step.Mount, new ContentCommandMountBlob(mounted));
  }

  private upload(): void {
    this.attempts += 1;
    const upload = new Upload(this.to, this.layer.chain, OTHER_WAYS, UNANSWERED);
    this.op = askContent(this, Step.Upload, new ContentCommandUpload(upload));
  }

  private tookUpload(outcome: Outcome | null, failure: Failure | null): void {
    if (failure === null) {
      this.blob = (<OutcomeSent>outcome!).value;
      return this.done("Pushed");
    }
    if (isDamage(failure)) layerStore.noteDamage(this.layer.chain);
    this.secondsLeft = pauseAfterUpload(this.attempts, failure);
    if (this.secondsLeft > 0) return this.pause();
    this.over = true;
    // The others are given up before another one gets the slot.
    this.owner.failed(this, failure);
    uploadSlots.leave(this);
  }

  private pause(): void {
    this.timer = wakeAfter(this, Step.Pause, SECOND);
    this.owner.told(this, retryingIn(this.secondsLeft));
  }

  private done(status: string): void {
    this.over = true;
    uploadSlots.leave(this);
    this.owner.done(this, status);
  }
}
