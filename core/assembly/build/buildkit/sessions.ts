// POST /session (surface §1.8): connections on which clients answer calls of the engine. A build names its client's session.

import { Caller, Closing } from "../../../../build/bindings/types";
import { Call, Follower } from "../../call";
import { headerOf, valuesOf } from "../../api/headers";
import { badParameter, Refusal } from "../../refusal";
import { Arrivals, Awaiting } from "./arrivals";
import { Connection } from "./connections";
import { becomeCalls, upgradeProblem } from "./upgrade";

const ID = "X-Docker-Expose-Session-Uuid";
const METHOD = "X-Docker-Expose-Session-Grpc-Method";

export class Session extends Follower {
  constructor(
    readonly id: string,
    /** By it, commands name the session. */
    readonly request: u64,
    /** Paths of the calls that its client answers, in lower case. */
    private readonly methods: string[],
  ) {
    super();
  }

  /** `method`: `/moby.filesync.v1.FileSync/DiffCopy`. */
  offers(method: string): bool {
    return this.methods.includes(method.toLowerCase());
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

export class SessionWait extends Awaiting<Session> {
  constructor(
    id: string,
    connection: Connection | null,
    private readonly client: SessionClient,
  ) {
    super(id, connection);
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

  find(id: string): Session | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }

  add(session: Session): void {
    this.byId.set(session.id, session);
    this.arrivals.tell(session.id, session);
  }

  drop(session: Session): void {
    this.byId.delete(session.id);
  }

  wait(one: Awaiting<Session>): void {
    this.arrivals.wait(one);
  }
}

export const sessions: Sessions = new Sessions();

export function beginSession(call: Call): Refusal | null {
  const id = headerOf(call.request.headers, ID);
  if (id !== null && sessions.find(id) !== null) return badParameter(`session ${id} already exists`);
  const problem = upgradeProblem(call);
  if (problem.length > 0) return badParameter(problem);
  if (id === null || id.length == 0) return badParameter(`a session needs ${ID}`);
  const methods = valuesOf(call.request.headers, METHOD).map<string>((method) => method.toLowerCase());
  const session = new Session(id, call.id, methods);
  becomeCalls(call, Caller.Engine, session);
  sessions.add(session);
  return null;
}
