// What the page needs of the logic behind it, in one place: the entry fills it in.

import type { Lesson } from "../lessons/lesson.js";
import type { Generate, Parse } from "../notation/notation.js";
import type { Reference } from "../reference/reference.js";
import type { Exchange } from "../session/exchange.js";
import type { Explanation, LensGroup } from "../session/explain.js";
import type { CreateSession, NamedCore, Session } from "../session/session.js";
import type { Opened } from "../session/share.js";

export interface Tools {
  readonly core: NamedCore;
  readonly createSession: CreateSession;
  readonly explain: (session: Session, exchange: Exchange) => Explanation;
  /** Runs the request again at every version, beside the session. */
  readonly lens: (session: Session, exchange: Exchange) => Promise<readonly LensGroup[]>;
  /** The session as text for a link. */
  readonly share: (session: Session) => Promise<string>;
  readonly open: (text: string, core: NamedCore) => Promise<Opened>;
  readonly parse: Parse;
  readonly generate: Generate;
  readonly lessons: readonly Lesson[];
  /** Versions of the API, oldest first. */
  readonly versions: readonly string[];
  readonly reference: (version: string) => Promise<Reference>;
}
