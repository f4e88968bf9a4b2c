// Secrets of a build's client, which it is asked for when a step mounts them (moby.buildkit.secrets.v1.Secrets), and its ssh
// agents (moby.sshforward.v1.SSH). Secrets go from the client into the memory of the host, and never through the core; what
// is said to an agent goes through the host as well.

import {
  ContentCommand,
  ContentCommandForwardAgent,
  ContentCommandHoldSecret,
  Failure,
  FailureTag,
  Noun,
  Outcome,
  SoughtAgent,
  SoughtSecret,
} from "../../../../../build/bindings/types";
import { abandon, cancelTimer, wakeAfter } from "../../../ask";
import { lacks } from "../../../failure/missing";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { Task } from "../../../task";
import { ClientSecrets, lackOf, SecretClient } from "../../client-secrets";
import { Mount, MountType } from "../../evaluation/run-mount";
import { octalOf } from "../../run/mounts/octal";
import { Place } from "../../run/place";
import { OpenWork } from "../../run/work";
import { Session } from "./sessions";

const GET_SECRET = "/moby.buildkit.secrets.v1.Secrets/GetSecret";
const FORWARD_AGENT = "/moby.sshforward.v1.SSH/ForwardAgent";
/** As in BuildKit (session/secrets/secretsprovider, MaxSecretSize): 500 KiB. */
const MOST_BYTES: u32 = 512_000;
/** Of an entry `NAME=value` of an environment, with its NUL: Linux takes no longer one (execve(2), MAX_ARG_STRLEN). */
const ENTRY_BYTES: u32 = 131_072;
/** Connections to one agent at once: a step that clones many repositories side by side has some. */
const MOST_CONNECTIONS: u32 = 32;
/** An agent's messages have at most 256 KiB (draft-ietf-sshm-ssh-agent, OpenSSH's limit), and gRPC's some bytes more. */
const MESSAGE_BYTES: u32 = 512 * 1024;
/** A client may ask its user, or a vault. */
const SECONDS: u64 = 300;

export class SessionSecrets extends ClientSecrets {
  constructor(private readonly session: Session) {
    super();
  }

  offers(type: MountType): bool {
    return this.session.offers(type == MountType.Ssh ? FORWARD_AGENT : GET_SECRET);
  }

  hold(mount: Mount, place: Place, client: SecretClient): OpenWork {
    const session = this.session.request;
    const command = mount.type == MountType.Ssh ? forwardOf(session, mount, place) : holdOf(session, mount, place);
    return new Question(mount, place, command, client);
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
    private readonly mount: Mount,
    place: Place,
    command: ContentCommand,
    private readonly client: SecretClient,
  ) {
    super();
    this.op = place.make(this, Step.Hold, command);
    this.timer = wakeAfter(this, Step.Late, SECONDS * 1_000_000_000);
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (this.op == 0) return;
    this.op = 0;
    this.leaveTimer();
    if (failure === null) return this.client.secretHeld();
    if (lacks(failure, Noun.Secret) || lacks(failure, Noun.Agent)) return this.client.secretMissing(lackOf(this.mount));
    // Clients say in their own words that they do not have an agent.
    const refused = this.mount.type == MountType.Ssh && failure.tag == FailureTag.BodyBroke;
    if (refused) return this.client.secretMissing(failureText(failure));
    this.fail(failureText(failure));
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    this.cancel();
    this.fail(`no answer within ${SECONDS.toString()} seconds`);
  }

  cancel(): void {
    const op = this.op;
    this.op = 0;
    this.leaveTimer();
    if (op != 0) abandon(new Ignored(), 0, op);
  }

  private fail(why: string): void {
    const what = this.mount.type == MountType.Ssh ? "SSH agent" : "secret";
    this.client.secretFailed(`failed to get ${what} ${this.mount.id}: ${why}`);
  }

  private leaveTimer(): void {
    const timer = this.timer;
    this.timer = 0;
    if (timer != 0) cancelTimer(timer);
  }
}

function holdOf(session: u64, mount: Mount, place: Place): ContentCommand {
  const sought = new SoughtSecret(
    place.id,
    session,
    mount.id,
    mostOf(mount),
    mount.owner,
    mount.group,
    modeOf(mount, 0o400),
  );
  return new ContentCommandHoldSecret(sought);
}

function forwardOf(session: u64, mount: Mount, place: Place): ContentCommand {
  const mode = modeOf(mount, 0o600);
  return new ContentCommandForwardAgent(
    new SoughtAgent(place.id, session, mount.id, MOST_CONNECTIONS, MESSAGE_BYTES, mount.owner, mount.group, mode),
  );
}

function modeOf(mount: Mount, usual: u32): u32 {
  return mount.mode.length > 0 ? <u32>octalOf(mount.mode) & 0o777 : usual;
}

/** Bytes of one that is only a variable: no process starts with more. */
function mostOf(mount: Mount): u32 {
  if (mount.target.length > 0) return MOST_BYTES;
  return ENTRY_BYTES - min(ENTRY_BYTES, <u32>String.UTF8.byteLength(mount.variable) + 2);
}
