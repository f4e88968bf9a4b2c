// An import (surface §2.22, §6.3): receives the tar, unpacks it as a layer, and makes the image.

import {
  ContentCommandDropArchive,
  ContentCommandReceive,
  Failure,
  Outcome,
  OutcomeReceived,
  Progress,
  Receive,
  TarSource,
} from "../../../../build/bindings/types";
import { abandon, askContent } from "../../ask";
import { Call } from "../../call";
import { Ignored } from "../../ignored";
import { internal, Refusal } from "../../refusal";
import { engine } from "../../state";
import { Task } from "../../task";
import { newImage } from "../image";
import { emitImageEvent } from "../image-event";
import { LayerOwner, takeOnlyLayer } from "../layers/archived-layer";
import { Claims } from "../layers/claims";
import { LayerFetch } from "../layers/layer-fetch";
import { ProgressStream, StreamWriter } from "../progress-stream";
import { imageStore } from "../store";
import { giveName } from "../tag";
import { importRefusal } from "./import-refusal";
import { ImportedImage } from "./imported-image";

/** Nanoseconds between two progress lines. */
const LINE_INTERVAL: u64 = 100_000_000;

export class Import extends Task implements StreamWriter, LayerOwner {
  private readonly stream: ProgressStream;
  private readonly archive: string = engine.ids.next();
  private readonly claims: Claims = new Claims();
  /** The reception; 0 when it has ended. */
  private op: u64 = 0;
  /** DiffID and ChainID of the layer. */
  private diffId: string = "";
  /** The web server has answered. */
  private answered: bool = false;
  /** Bytes that it said to send; 0 if it did not say. */
  private total: u64 = 0;
  private toldAt: u64 = 0;

  constructor(
    call: Call,
    private readonly image: ImportedImage,
    /** Of the web server; empty if the tar is the body. */
    private readonly address: string,
  ) {
    super();
    this.stream = new ProgressStream(call);
  }

  begin(source: TarSource): void {
    this.stream.begin(this);
    this.op = askContent(
      this,
      0,
      new ContentCommandReceive(new Receive(this.archive, source, engine.options.unpackedLimit)),
    );
  }

  progressed(_step: i32, progress: Progress): void {
    this.total = progress.total;
    this.announce();
    const now = engine.now.monotonic;
    if (progress.current == 0 || now - this.toldAt < LINE_INTERVAL) return;
    this.toldAt = now;
    this.stream.amount("Importing", "", "", progress.current, this.total);
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.op = 0;
    if (failure !== null) return this.fail(failure);
    if (this.address.length > 0) this.announce();
    if (this.total > 0) this.stream.amount("Importing", "", "", this.total, this.total);
    this.diffId = (<OutcomeReceived>outcome!).value;
    if (takeOnlyLayer(this.archive, null, this.diffId, this.claims, this)) this.makeImage();
  }

  /** A body ends with its client. What has arrived completely becomes an image nevertheless. */
  clientGone(): void {
    if (this.op != 0 && this.address.length > 0) abandon(new Ignored(), 0, this.op);
  }

  layerMoved(_fetch: LayerFetch): void {}

  layerEnded(failure: Failure | null): void {
    if (failure !== null) return this.fail(failure);
    this.claims.keep(this.diffId);
    this.makeImage();
  }

  private announce(): void {
    if (this.answered) return;
    this.answered = true;
    this.stream.status(`Downloading from ${this.address}`);
  }

  private makeImage(): void {
    const parsed = newImage(this.image.write(this.diffId));
    if (parsed.image === null) return this.refuse(internal(parsed.error));
    const image = imageStore.add(parsed.image!);
    const name = this.image.name;
    if (name !== null) giveName(image, name);
    emitImageEvent("import", image.id, image.id, image);
    this.finish();
    this.stream.status(image.id);
    this.stream.end();
  }

  private fail(failure: Failure): void {
    this.refuse(importRefusal(failure));
  }

  private refuse(refusal: Refusal): void {
    this.finish();
    this.stream.refuse(refusal);
  }

  private finish(): void {
    this.claims.release();
    askContent(new Ignored(), 0, new ContentCommandDropArchive(this.archive));
  }
}
