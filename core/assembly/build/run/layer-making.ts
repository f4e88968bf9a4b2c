// Makes a layer of what a step of a build has written.

import {
  Commit,
  Committed,
  ContentCommandCommit,
  ContentCommandDropArchive,
  Failure,
  Outcome,
  OutcomeCommitted,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { failureText } from "../../failure/text";
import { Ignored } from "../../ignored";
import { LayerOwner, takeOnlyLayer } from "../../image/layers/archived-layer";
import { chainOn } from "../../image/layers/chain";
import { Claims } from "../../image/layers/claims";
import { LayerFetch } from "../../image/layers/layer-fetch";
import { layerStore } from "../../image/layers/layer-store";
import { engine } from "../../state";
import { Task } from "../../task";

/** Waits for a layer. */
export interface LayerClient {
  /** `diffId`: empty if nothing was written. */
  layerMade(diffId: string): void;
  layerNotMade(why: string): void;
}

export class LayerMaking extends Task implements LayerOwner {
  private readonly archive: string = engine.ids.next();
  private diffId: string = "";
  /** The layers below stay until the new one is there, even if the build is given up. */
  private readonly base: Claims = new Claims();
  private cancelled: bool = false;

  /** `container`: whose files were written, on top of the chain `below`. The layer is claimed for `claims`. */
  constructor(
    private readonly container: string,
    private readonly below: string | null,
    private readonly claims: Claims,
    private readonly client: LayerClient,
    /** Where only the run had something mounted. */
    private readonly mountPoints: string[] = [],
    /** As in `commit`. */
    private readonly spent: bool = false,
  ) {
    super();
  }

  begin(): void {
    this.base.claimStack(this.below);
    const commit = new Commit(this.archive, this.container, this.below, this.mountPoints, this.spent);
    askContent(this, 0, new ContentCommandCommit(commit));
  }

  /** The client is told nothing, and a layer that is under way goes as soon as it is there. */
  cancel(): void {
    this.cancelled = true;
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return this.failed(failure);
    if (this.cancelled) return this.finish();
    const committed: Committed = (<OutcomeCommitted>outcome!).value;
    if (committed.empty) return this.finish();
    this.diffId = committed.diffId;
    if (takeOnlyLayer(this.archive, this.below, this.diffId, this.claims, this)) this.finish();
  }

  layerMoved(_fetch: LayerFetch): void {}

  layerEnded(failure: Failure | null): void {
    if (failure !== null) return this.failed(failure);
    const chain = chainOn(this.below, this.diffId);
    if (this.cancelled) layerStore.release(chain);
    else this.claims.keep(chain);
    this.finish();
  }

  private finish(): void {
    if (!this.cancelled) this.client.layerMade(this.diffId);
    this.clear();
  }

  private failed(failure: Failure): void {
    if (!this.cancelled) this.client.layerNotMade(failureText(failure));
    this.clear();
  }

  private clear(): void {
    this.base.release();
    askContent(new Ignored(), 0, new ContentCommandDropArchive(this.archive));
  }
}
