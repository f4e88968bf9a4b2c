// The complete list of ways to refuse a request, and the one place where each becomes an HTTP status.

import { Note, NoteRefused, Refused as RefusedNote } from "../../build/bindings/types";
import { Reason } from "./reason";

export enum RefusalKind {
  BadParameter,
  Unauthorized,
  Forbidden,
  NotFound,
  Conflict,
  NotModified,
  TooLarge,
  Limited,
  Internal,
  NotBuilt,
  Unavailable,
  NotAllowed,
}

/** Names of the kinds, for explanations. */
const NAMES: string[] = [
  "bad-parameter",
  "unauthorized",
  "forbidden",
  "not-found",
  "conflict",
  "not-modified",
  "too-large",
  "limited",
  "internal",
  "not-built",
  "unavailable",
  "not-allowed",
];

export class Refusal {
  constructor(
    readonly kind: RefusalKind,
    readonly message: string,
  ) {}
}

/** A request was refused. */
export class Refused extends Reason {
  constructor(
    private readonly request: u64,
    private readonly refusal: Refusal,
  ) {
    super();
  }

  note(): Note {
    const kind = this.refusal.kind;
    return new NoteRefused(new RefusedNote(this.request, NAMES[kind], statusOf(kind), this.refusal.message));
  }
}

export function statusOf(kind: RefusalKind): u16 {
  switch (kind) {
    case RefusalKind.BadParameter:
      return 400;
    case RefusalKind.Unauthorized:
      return 401;
    case RefusalKind.Forbidden:
      return 403;
    case RefusalKind.NotFound:
      return 404;
    case RefusalKind.Conflict:
      return 409;
    case RefusalKind.NotModified:
      return 304;
    case RefusalKind.TooLarge:
      return 413;
    case RefusalKind.Limited:
      return 429;
    case RefusalKind.NotBuilt:
      return 501;
    case RefusalKind.Unavailable:
      return 503;
    case RefusalKind.NotAllowed:
      return 405;
    default:
      return 500;
  }
}

export function badParameter(message: string): Refusal {
  return new Refusal(RefusalKind.BadParameter, message);
}

export function notFound(message: string): Refusal {
  return new Refusal(RefusalKind.NotFound, message);
}

export function conflict(message: string): Refusal {
  return new Refusal(RefusalKind.Conflict, message);
}

export function internal(message: string): Refusal {
  return new Refusal(RefusalKind.Internal, message);
}

/** Possible only on a machine in another state. */
export function unavailable(message: string): Refusal {
  return new Refusal(RefusalKind.Unavailable, message);
}

export function forbidden(message: string): Refusal {
  return new Refusal(RefusalKind.Forbidden, message);
}

export function notBuilt(what: string): Refusal {
  return new Refusal(RefusalKind.NotBuilt, `${what} is not built yet`);
}

/** Not possible with the chosen options, in Docker's words. */
export function notSupported(message: string): Refusal {
  return new Refusal(RefusalKind.NotBuilt, message);
}

/** A 304 has no body, so there is no message. */
export function notModified(): Refusal {
  return new Refusal(RefusalKind.NotModified, "");
}
