// Credentials of a build's client, which it is asked for when an image is pulled (moby.filesync.v1.Auth). SECRET: they may
// only go into commands, never into a record, a trace or a log.

import {
  ContentCommandFindCredentials,
  Credentials,
  Failure,
  Outcome,
  OutcomeGiven,
  SoughtCredentials,
} from "../../../../../build/bindings/types";
import { RegistryAuth } from "../../../api/registry-auth";
import { abandon, askContent, cancelTimer, wakeAfter } from "../../../ask";
import { failureText } from "../../../failure/text";
import { Ignored } from "../../../ignored";
import { credentialsOf } from "../../../image/pull/registry";
import { DEFAULT_DOMAIN, Reference } from "../../../image/reference";
import { Task } from "../../../task";
import { BuildCredentials, CredentialsClient, CredentialsSource } from "../../credentials";
import { OpenWork } from "../../run/work";
import { Session } from "./sessions";

const METHOD = "/moby.filesync.v1.Auth/Credentials";
/** The Hub, as clients of BuildKit call it. */
const HUB = "registry-1.docker.io";
/** How long an answer may take, in nanoseconds: the client may have to ask its user first. */
const PATIENCE: u64 = 60_000_000_000;
/** What a user and a password may have together, in characters: tokens of registries have a few thousand. */
const LONGEST: i32 = 64 * 1024;

enum Step {
  Answer,
  Patience,
}

export class SessionCredentials extends CredentialsSource {
  constructor(private readonly session: Session) {
    super();
  }

  /** Whoever does not offer the call, or does not answer it in time, pulls anonymously. */
  find(reference: Reference, client: CredentialsClient): OpenWork | null {
    if (!offersCredentials(this.session)) {
      client.credentialsFound(null);
      return null;
    }
    const registry = reference.domain == DEFAULT_DOMAIN ? HUB : reference.domain;
    return new Question(this.session, registry, client);
  }
}

/** Those of a session that may have ended: then there are none. */
export function credentialsOn(session: Session | null): CredentialsSource {
  return session === null ? new BuildCredentials() : new SessionCredentials(session);
}

export function offersCredentials(session: Session): bool {
  return session.offers(METHOD);
}

class Question extends Task implements OpenWork {
  private op: u64;
  private timer: u64;

  constructor(
    session: Session,
    private readonly registry: string,
    private readonly client: CredentialsClient,
  ) {
    super();
    const sought = new SoughtCredentials(session.request, registry);
    this.op = 0;
    this.timer = 0;
    this.op = askContent(this, Step.Answer, new ContentCommandFindCredentials(sought));
    this.timer = wakeAfter(this, Step.Patience, PATIENCE);
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (this.op == 0) return;
    this.op = 0;
    cancelTimer(this.timer);
    if (failure !== null) return this.fail(failureText(failure));
    const given = (<OutcomeGiven>outcome!).value;
    if (given.username.length + given.password.length > LONGEST) {
      return this.fail(`they are longer than ${LONGEST.toString()} characters`);
    }
    this.client.credentialsFound(readGiven(given));
  }

  elapsed(_step: i32): void {
    this.cancel();
    this.client.credentialsFound(null);
  }

  cancel(): void {
    const op = this.op;
    this.op = 0;
    if (op == 0) return;
    cancelTimer(this.timer);
    abandon(new Ignored(), 0, op);
  }

  private fail(why: string): void {
    this.client.credentialsMissing(`failed to get credentials for ${this.registry}: ${why}`);
  }
}

/** A password without a user is an identity token. Neither: there are none for this registry. */
function readGiven(given: Credentials): Credentials | null {
  const auth = new RegistryAuth();
  auth.username = given.username;
  if (given.username.length > 0) auth.password = given.password;
  else auth.identityToken = given.password;
  return credentialsOf(auth);
}
