// Credentials of a build's client, which it is asked for when an image is pulled (moby.filesync.v1.Auth). SECRET: they may
// only go into commands, never into a record, a trace or a log.

import {
  ContentCommandFindCredentials,
  Credentials,
  Failure,
  Outcome,
  OutcomeGiven,
  SoughtCredentials,
} from "../../../../build/bindings/types";
import { RegistryAuth } from "../../api/registry-auth";
import { abandon, askContent } from "../../ask";
import { failureText } from "../../failure/text";
import { Ignored } from "../../ignored";
import { credentialsOf } from "../../image/pull/registry";
import { DEFAULT_DOMAIN, Reference } from "../../image/reference";
import { Task } from "../../task";
import { CredentialsClient, CredentialsSource } from "../credentials";
import { OpenWork } from "../run/work";
import { Session } from "./sessions";

const METHOD = "/moby.filesync.v1.Auth/Credentials";
/** The Hub, as clients of BuildKit call it. */
const HUB = "registry-1.docker.io";

export class SessionCredentials extends CredentialsSource {
  constructor(private readonly session: Session) {
    super();
  }

  /** Whoever does not offer the call pulls anonymously. */
  find(reference: Reference, client: CredentialsClient): OpenWork | null {
    if (!this.session.offers(METHOD)) {
      client.credentialsFound(null);
      return null;
    }
    const registry = reference.domain == DEFAULT_DOMAIN ? HUB : reference.domain;
    return new Question(this.session, registry, client);
  }
}

class Question extends Task implements OpenWork {
  private op: u64;

  constructor(
    session: Session,
    private readonly registry: string,
    private readonly client: CredentialsClient,
  ) {
    super();
    const sought = new SoughtCredentials(session.request, registry);
    this.op = 0;
    this.op = askContent(this, 0, new ContentCommandFindCredentials(sought));
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (this.op == 0) return;
    this.op = 0;
    if (failure === null) return this.client.credentialsFound(readGiven((<OutcomeGiven>outcome!).value));
    this.client.credentialsMissing(`failed to get credentials for ${this.registry}: ${failureText(failure)}`);
  }

  cancel(): void {
    const op = this.op;
    this.op = 0;
    if (op != 0) abandon(new Ignored(), 0, op);
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
