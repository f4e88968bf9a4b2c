// POST /commit (surface §2.22, §6.3): turns a container's changes into a layer, and the container into an image.

import {
  Commit,
  Committed,
  ContentCommandCommit,
  ContentCommandDropArchive,
  Failure,
  Outcome,
  OutcomeCommitted,
  ProcessCommandPause,
  ProcessCommandResume,
  Subject,
} from "../../../../build/bindings/types";
import { readJsonBody } from "../../api/json-body";
import { flagOf } from "../../api/parameters";
import { askContent, askProcesses } from "../../ask";
import { Call } from "../../call";
import { Container } from "../../container/container";
import { Cause, Status } from "../../container/lifecycle";
import { holdStill, letGoOn } from "../../container/pause/held-still";
import { containerStore } from "../../container/store";
import { containerEvent, emitContainer } from "../../event/emit";
import { eventRing } from "../../event/ring";
import { failureText } from "../../failure/text";
import { Ignored } from "../../ignored";
import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { badParameter, conflict, internal, Refusal } from "../../refusal";
import { line, sendJson, sendRefusal } from "../../reply";
import { engine } from "../../state";
import { Task } from "../../task";
import { resumeCalls } from "../../waiting-calls";
import { Image, newImage } from "../image";
import { LayerOwner, takeOnlyLayer } from "../layers/archived-layer";
import { chainOn } from "../layers/chain";
import { Claims } from "../layers/claims";
import { LayerFetch } from "../layers/layer-fetch";
import { Reference } from "../reference";
import { imageStore } from "../store";
import { giveName, readNewName } from "../tag";
import { Authorship, writeCommittedConfig } from "./committed-config";
import { readNewConfig } from "./new-config";

export function commitContainer(call: Call): Refusal | null {
  const query = call.query;
  let name: Reference | null = null;
  if (query.first("repo").length > 0) {
    const read = readNewName(query.first("repo"), query.first("tag"));
    if (read.refusal !== null) return read.refusal;
    name = read.reference;
  }
  const body = readJsonBody(call.request, true);
  if (body.refusal !== null) return body.refusal;
  const wanted = query.first("container");
  if (wanted.length == 0) return badParameter('invalid name or ID supplied: ""');
  const lookup = containerStore.lookUp(wanted);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.between) {
    container.queue.push(call);
    return null;
  }
  const state = refuseState(container);
  if (state !== null) return state;
  const config = readNewConfig(container, body.json, query.all("changes"));
  if (config.config === null) return config.refusal;

  // Accepted from here on: the work continues even if the client disconnects.
  const authorship = new Authorship(query.first("author"), query.first("comment"));
  new CommitTask(call, container, config.config!, authorship, name).begin(flagOf(query, "pause", true));
  return null;
}

function refuseState(container: Container): Refusal | null {
  if (container.status == Status.Dead) return conflict(`You cannot commit container ${container.id} which is Dead`);
  if (container.status != Status.Removing) return null;
  return conflict(`You cannot commit container ${container.id} which is being removed`);
}

enum Step {
  Pause,
  Commit,
  Resume,
}

class CommitTask extends Task implements LayerOwner {
  private readonly archive: string = engine.ids.next();
  private readonly claims: Claims = new Claims();
  private readonly run: u32;
  private readonly created: i64 = engine.now.wall;
  private paused: bool = false;
  private committed: Committed | null = null;
  private image: Image | null = null;
  private refusal: Refusal | null = null;

  constructor(
    private readonly call: Call,
    private readonly container: Container,
    private readonly config: Json,
    private readonly authorship: Authorship,
    private readonly name: Reference | null,
  ) {
    super();
    this.run = container.run;
  }

  begin(pause: bool): void {
    this.claims.claimStack(this.container.chain);
    if (!pause || this.container.status != Status.Running) return this.takeChanges();
    holdStill(this.container);
    this.container.turning = true;
    askProcesses(this, Step.Pause, new ProcessCommandPause(this.subject()));
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    switch (step) {
      case Step.Pause:
        return this.tookPause(failure);
      case Step.Commit:
        if (failure !== null) return this.failed(failureText(failure));
        return this.makeLayer((<OutcomeCommitted>outcome!).value);
      case Step.Resume:
        this.container.turning = false;
        return this.resumed(failure);
    }
  }

  layerMoved(_fetch: LayerFetch): void {}

  layerEnded(failure: Failure | null): void {
    if (failure !== null) return this.failed(failureText(failure));
    this.claims.keep(this.newChain());
    this.makeImage();
  }

  private subject(): Subject {
    return new Subject(this.container.id, this.run);
  }

  /** The process may have ended meanwhile: then nothing needs to be frozen. */
  private tookPause(failure: Failure | null): void {
    const container = this.container;
    container.turning = false;
    const runs = container.run == this.run && container.status == Status.Running;
    if (failure !== null || !runs) letGoOn(container, this.run);
    if (failure !== null && runs) {
      this.failed(`cannot pause container ${container.id}: ${failureText(failure)}`);
      return resumeCalls(container.queue);
    }
    if (failure === null && runs) {
      this.paused = true;
      container.advance(Cause.Pause);
      emitContainer(container, "pause");
    }
    this.takeChanges();
    resumeCalls(container.queue);
  }

  private takeChanges(): void {
    const commit = new Commit(this.archive, this.container.id, this.container.chain, [], false);
    askContent(this, Step.Commit, new ContentCommandCommit(commit));
  }

  private makeLayer(committed: Committed): void {
    this.committed = committed;
    const below = this.container.chain;
    const isThere = committed.empty || takeOnlyLayer(this.archive, below, committed.diffId, this.claims, this);
    if (isThere) this.makeImage();
  }

  private newChain(): string {
    return chainOn(this.container.chain, this.committed!.diffId);
  }

  private makeImage(): void {
    const container = this.container;
    const committed = this.committed!;
    const bytes = writeCommittedConfig(
      container,
      this.config,
      this.authorship,
      this.created,
      committed.empty ? "" : committed.diffId,
    );
    const parsed = newImage(bytes);
    if (parsed.image === null) return this.failed(parsed.error);
    const image = imageStore.add(parsed.image!);
    this.image = image;
    if (image.id != container.imageId && imageStore.find(container.imageId) !== null) {
      image.parent = container.imageId;
      imageStore.putImage(image);
    }
    const name = this.name;
    if (name !== null) giveName(image, name);
    this.emitCommit(image);
    this.finish();
  }

  private emitCommit(image: Image): void {
    const name = this.name;
    eventRing.emit(
      containerEvent(this.container, "commit")
        .with("comment", this.authorship.comment)
        .with("imageID", image.id)
        .with("imageRef", name === null ? "" : name.familiar),
    );
  }

  private failed(message: string): void {
    this.refusal = internal(message);
    this.finish();
  }

  /** Whatever the result, the container is thawed before the answer. */
  private finish(): void {
    this.claims.release();
    askContent(new Ignored(), 0, new ContentCommandDropArchive(this.archive));
    if (!this.paused) return this.answer();
    if (!this.isStillPaused()) return this.resumed(null);
    this.container.turning = true;
    askProcesses(this, Step.Resume, new ProcessCommandResume(this.subject()));
  }

  /** A container that could not be thawed stays paused, so that a client can try again. */
  private resumed(failure: Failure | null): void {
    letGoOn(this.container, this.run);
    if (failure === null && this.isStillPaused()) {
      this.container.advance(Cause.Unpause);
      emitContainer(this.container, "unpause");
    }
    this.answer();
    resumeCalls(this.container.queue);
  }

  private isStillPaused(): bool {
    return this.container.run == this.run && this.container.status == Status.Paused;
  }

  private answer(): void {
    const refusal = this.refusal;
    if (refusal !== null) return sendRefusal(this.call, refusal);
    const json = new JsonWriter();
    json.beginObject();
    json.stringField("Id", this.image!.id);
    json.endObject();
    sendJson(this.call, 201, line(json));
  }
}
