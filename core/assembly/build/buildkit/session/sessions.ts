// POST /session (surface §1.8): connections on which clients answer calls of the engine. A build names its client's session.
// A client of BuildKit may also carry such a connection in a call, `Control/Session`.

import { Caller, Closing } from "../../../../../build/bindings/types";
import { Call, Follower } from "../../../call";
import { headerOf, valuesOf } from "../../../api/headers";
import { badParameter, Refusal } from "../../../refusal";
import { endReply } from "../../../reply";
import { Arrivals, Awaiting } from "../arrivals";
import { answerError, CallError, Code } from "../grpc-reply";
import { becomeCalls, carryCalls, upgradeProblem } from "../upgrade";

const ID = "X-Docker-Expose-Session-Uuid";
const SHARED_KEY = "X-Docker-Expose-Session-Sharedkey";
const METHOD = "X-Docker-Expose-Session-Grpc-Method";

export class Session extends Follower {
  /** A build has begun with it. */
  isUsed: bool = false;

  constructor(
    readonly id: string,
    private readonly call: Call,
    /** The same for all sessions with the same directories, as far as the client can tell. It may be empty. */
    readonly sharedKey: string,
    /** Paths of the calls that its client answers, in lower case. */
    private readonly methods: string[],
  ) {
    super();
  }

  /** By it, commands name the session. */
  get request(): u64 {
    return this.call.id;
  }

  /** `method`: `/moby.filesync.v1.FileSync/DiffCopy`. */
  offers(method: string): bool {
    return this.methods.includes(method.toLowerCase());
  }

  /** The engine asks nothing more of its client. */
  end(): void {
    sessions.drop(this);
    endReply(this.call);
  }

  closed(_call: Call, _why: Closing): void {
    sessions.drop(this);
  }
}

/** Waits for a session. */
export interface SessionClient {
  sessionCame(session: Session): void;
  sessionMissed(): void;
}

/** Counts for no connection: it is a build's, which may begin before its session. */
export class SessionWait extends Awaiting<Session> {
  constructor(
    id: string,
    private readonly client: SessionClient,
  ) {
    super(id, null);
  }

  arrived(session: Session): void {
    this.client.sessionCame(session);
  }

  missed(): void {
    this.client.sessionMissed();
  }
}

class Sessions {
  private readonly byId: Map<string, Session> = new Map<string, Session>();
  private readonly arrivals: Arrivals<Session> = new Arrivals<Session>();
  /** They hear of a session after all others. */
  private readonly last: Arrivals<Session> = new Arrivals<Session>();

  find(id: string): Session | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }

  add(session: Session): void {
    this.byId.set(session.id, session);
    this.arrivals.tell(session.id, session);
    this.last.tell(session.id, session);
  }

  drop(session: Session): void {
    this.byId.delete(session.id);
  }

  wait(one: Awaiting<Session>): void {
    this.arrivals.wait(one);
  }

  /** Hears of it once all builds have that wait for it. */
  waitLast(one: Awaiting<Session>): void {
    this.last.wait(one);
  }
}

export const sessions: Sessions = new Sessions();

export function beginSession(call: Call): Refusal | null {
  const id = headerOf(call.request.headers, ID);
  if (isTaken(id)) return badParameter(taken(id!));
  const problem = upgradeProblem(call);
  if (problem.length > 0) return badParameter(problem);
  if (id === null || id.length == 0) return badParameter(NO_ID);
  const session = sessionOf(call, id);
  becomeCalls(call, Caller.Engine, session);
  sessions.add(session);
  return null;
}

/** `Control/Session`: the messages of this call, in both directions, are the bytes of the session's connection. */
export function openSession(call: Call): void {
  const id = headerOf(call.request.headers, ID);
  if (id === null || id.length == 0) return answerError(call, new CallError(Code.InvalidArgument, NO_ID));
  if (isTaken(id)) return answerError(call, new CallError(Code.Unknown, taken(id)));
  const session = sessionOf(call, id);
  carryCalls(call, Caller.Engine, session);
  sessions.add(session);
}

const NO_ID = `a session needs ${ID}`;

function isTaken(id: string | null): bool {
  return id !== null && sessions.find(id) !== null;
}

function taken(id: string): string {
  return `session ${id} already exists`;
}

function sessionOf(call: Call, id: string): Session {
  const methods = valuesOf(call.request.headers, METHOD).map<string>((method) => method.toLowerCase());
  const sharedKey = headerOf(call.request.headers, SHARED_KEY);
  return new Session(id, call, sharedKey === null ? "" : sharedKey, methods);
}
