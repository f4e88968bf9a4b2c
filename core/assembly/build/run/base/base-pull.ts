// One pull for all stages of a build that want the same image. If another build is pulling it, this one waits for that, and
// then finds the image here, without credentials of its own, as it would a moment later. If the other build is cancelled, the
// first that waits pulls it. If the pull has failed there, all that wait pull it themselves: their credentials may be better.
// A build that asks the registry even for images that are here waits for no other.

import { Credentials } from "../../../../../build/bindings/types";
import { Image } from "../../../image/image";
import { Pull, PullOwner } from "../../../image/pull/pull-task";
import { Refusal } from "../../../refusal";
import { CredentialsClient, CredentialsSource } from "../../credentials";
import { BuildProgress } from "../build-progress";
import { StepTurn, TurnClient } from "../stage/steps-underway";
import { OpenWork } from "../work";
import { localImage, PullWish } from "./pull-wish";

/** Waits for the image. */
export interface PullClient {
  /** To whom it tells how far the pull is. */
  teller(): BuildProgress;
  pulled(image: Image): void;
  notPulled(why: string): void;
}

export class BasePull implements PullOwner, CredentialsClient, TurnClient {
  /** Null until it is pulled. */
  private image: Image | null = null;
  /** The first of them tells how far it is. */
  private clients: PullClient[] = [];
  private readonly turn: StepTurn = new StepTurn();
  private asking: OpenWork | null = null;
  private pull: Pull | null = null;

  constructor(
    private readonly wish: PullWish,
    private readonly credentials: CredentialsSource,
  ) {}

  /** Finally tells the client, perhaps at once. */
  join(client: PullClient): void {
    const image = this.image;
    if (image !== null) return client.pulled(image);
    this.clients.push(client);
    if (this.clients.length == 1) this.begin();
    else client.teller().waitsForImage();
  }

  /** Nobody else wants it: it is given up. */
  leave(client: PullClient): void {
    const at = this.clients.indexOf(client);
    if (at < 0) return;
    this.clients.splice(at, 1);
    if (this.clients.length == 0) this.giveUp();
  }

  credentialsFound(credentials: Credentials | null): void {
    this.asking = null;
    // Another build may have been faster: it has pulled the image meanwhile, or is pulling it.
    if (this.isHere() || this.waitsForOther()) return;
    const wish = this.wish;
    this.turn.begin(wish.key);
    const stream = this.clients[0].teller().progress;
    const pull = new Pull(stream, this, wish.reference, wish.platform, wish.given !== null, credentials);
    this.pull = pull;
    pull.begin();
  }

  credentialsMissing(why: string): void {
    this.asking = null;
    if (!this.isHere()) this.fail(why);
  }

  turnCame(): void {
    this.turn.goOn();
    if (this.isHere()) return;
    this.clients[0].teller().waited();
    this.begin();
  }

  pullPauses(): void {
    if (this.clients.length > 0) this.clients[0].teller().pauses();
  }

  pulled(image: Image): void {
    this.turn.end(false);
    this.end(image);
  }

  notPulled(refusal: Refusal): void {
    this.turn.end(true);
    this.fail(refusal.message);
  }

  private begin(): void {
    if (!this.waitsForOther()) this.asking = this.credentials.find(this.wish.reference, this);
  }

  /** Another build has pulled it: everybody is told. */
  private isHere(): bool {
    if (this.wish.always) return false;
    const local = localImage(this.wish.reference.canonical, this.wish.given);
    if (local === null) return false;
    this.end(local);
    return true;
  }

  private waitsForOther(): bool {
    if (this.wish.always || !this.turn.waitsFor(this.wish.key, this)) return false;
    this.clients[0].teller().waitsForImage();
    return true;
  }

  private end(image: Image): void {
    this.image = image;
    const clients = this.takeClients();
    for (let i = 0; i < clients.length; i++) clients[i].pulled(image);
  }

  private fail(why: string): void {
    const clients = this.takeClients();
    for (let i = 0; i < clients.length; i++) clients[i].notPulled(why);
  }

  /** The pull has the client's credentials, so it goes as soon as it is over. */
  private takeClients(): PullClient[] {
    this.pull = null;
    const clients = this.clients;
    this.clients = [];
    return clients;
  }

  private giveUp(): void {
    this.turn.cancel();
    const asking = this.asking;
    this.asking = null;
    if (asking !== null) asking.cancel();
    const pull = this.pull;
    this.pull = null;
    if (pull !== null) pull.clientGone();
  }
}
