// What all ways to give the client of a build its result have in common.

import { Call } from "../../../call";
import { CredentialsSource } from "../../credentials";
import { OpenWork } from "../../run/work";
import { VertexProgress } from "../progress/vertex-progress";
import { Session } from "../session/sessions";

/** The client's side of FileSend: what it may be sent. */
const FILE_SEND = "/moby.filesync.v1.FileSend/DiffCopy";

/** Waits until the result is where it shall be. */
export interface ExportClient {
  /** `facts`: what the client is told of it, by the names that clients know (`containerimage.digest`). */
  exported(facts: Map<string, string>): void;
  exportFailed(why: string): void;
}

/** What an export needs besides the result. */
export class ExportNeeds {
  constructor(
    readonly call: Call,
    /** Null if there is none, or if it has ended. */
    readonly session: Session | null,
    /** For a push. */
    readonly credentials: CredentialsSource,
    readonly progress: VertexProgress,
    /** Which of the client's outputs it is. */
    readonly output: u32 = 0,
  ) {}
}

/** Something that is being exported. */
export interface Exporting extends OpenWork {
  begin(client: ExportClient): void;
}

/** Why nothing can be sent to the client; empty if it can. */
export function sendProblem(session: Session | null): string {
  if (session === null) return "no active session: the client that takes the output has left";
  return session.offers(FILE_SEND) ? "" : `method ${FILE_SEND} not supported by the client`;
}
