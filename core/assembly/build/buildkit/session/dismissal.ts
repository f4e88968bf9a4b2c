// The session of a build that was refused. Its client may wait until the engine ends it: a docker CLI of Docker 20.10 does,
// if its session is being connected while it hears of the refusal.

import { Session, SessionClient, sessions, SessionWait } from "./sessions";

/** It may be on its way. `id`: as the request names it; empty for none. */
export function dismissSession(id: string): void {
  if (id.length == 0) return;
  const session = sessions.find(id);
  if (session !== null) return dismiss(session);
  sessions.waitLast(new SessionWait(id, new Dismissal()));
}

/** Not one with which another build has begun. */
function dismiss(session: Session): void {
  if (!session.isUsed) session.end();
}

class Dismissal implements SessionClient {
  sessionCame(session: Session): void {
    dismiss(session);
  }

  sessionMissed(): void {}
}
