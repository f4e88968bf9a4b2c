// Secrets of a build's client, which it is asked for when a step mounts them (moby.buildkit.secrets.v1.Secrets). They go from
// the client into the memory of the host, and never through the core.

import { ContentCommandHoldSecret, Failure, Noun, Outcome, SoughtSecret } from "../../../../build/bindings/types";
import { abandon, cancelTimer, wakeAfter } from "../../ask";
import { lacks } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { Ignored } from "../../ignored";
import { Task } from "../../task";
import { ClientSecrets, SecretClient } from "../client-secrets";
import { Mount } from "../evaluation/run-mount";
import { octalOf } from "../run/mounts/octal";
import { Place } from "../run/place";
import { OpenWork } from "../run/work";
import { Session } from "./sessions";

const METHOD = "/moby.buildkit.secrets.v1.Secrets/GetSecret";
/** As in BuildKit (session/secrets/secretsprovider, MaxSecretSize): 500 KiB. */
const MOST_BYTES: u32 = 512_000;
/** Of an entry `NAME=value` of an environment, with its NUL: Linux takes no longer one (execve(2), MAX_ARG_STRLEN). */
const ENTRY_BYTES: u32 = 131_072;
/** A client may ask its user, or a vault. */
const SECONDS: u64 = 300;

export class SessionSecrets extends ClientSecrets {
  constructor(private readonly session: Session) {
    super();
  }

  get areOffered(): bool {
    return this.session.offers(METHOD);
  }

  hold(mount: Mount, place: Place, client: SecretClient): OpenWork {
    return new Question(this.session, mount, place, client);
  }
}

enum Step {
  Hold,
  Late,
}

class Question extends Task implements OpenWork {
  private op: u64 = 0;
  private timer: u64 = 0;

  constructor(
    session: Session,
    private readonly mount: Mount,
    place: Place,
    private readonly client: SecretClient,
  ) {
    super();
    const mode = mount.mode.length > 0 ? <u32>octalOf(mount.mode) & 0o777 : 0o400;
    const owner = <u32>mount.owner;
    const group = <u32>mount.group;
    const sought = new SoughtSecret(place.id, session.request, mount.id, mostOf(mount), owner, group, mode);
    this.op = place.make(this, Step.Hold, new ContentCommandHoldSecret(sought));
    this.timer = wakeAfter(this, Step.Late, SECONDS * 1_000_000_000);
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (this.op == 0) return;
    this.op = 0;
    this.leaveTimer();
    if (failure === null) return this.client.secretHeld();
    if (lacks(failure, Noun.Secret)) return this.client.secretMissing();
    this.client.secretFailed(`failed to get secret ${this.mount.id}: ${failureText(failure)}`);
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    this.cancel();
    this.client.secretFailed(`failed to get secret ${this.mount.id}: no answer within ${SECONDS.toString()} seconds`);
  }

  cancel(): void {
    const op = this.op;
    this.op = 0;
    this.leaveTimer();
    if (op != 0) abandon(new Ignored(), 0, op);
  }

  private leaveTimer(): void {
    const timer = this.timer;
    this.timer = 0;
    if (timer != 0) cancelTimer(timer);
  }
}

/** Bytes of one that is only a variable: no process starts with more. */
function mostOf(mount: Mount): u32 {
  if (mount.target.length > 0) return MOST_BYTES;
  return ENTRY_BYTES - min(ENTRY_BYTES, <u32>String.UTF8.byteLength(mount.variable) + 2);
}
