// The interface of an oracle, which sees everything that clients see, and reports what cannot be true. The naive model
// (tests/model) is one. For every seed the simulator (simulation.ts) makes one of each kind in `oracles.ts`, reports
// the events to it in their order, and fails with the first text that it returns. An oracle does not know the core,
// only requests, answers, and facts of the world that any client could learn.
//
// The order of calls. `asked` comes before the engine gets a request. Then, in the world's order: `happened` reports
// the starts and ends of processes, and faults. `answered` comes once for each answered request, with its whole body,
// or with only its head if the body is a stream (`wait`, `attach`, `logs?follow`, `events`, pull). In that case `told`
// follows for each piece, and then `ended`. `left`: the client hung up, and nothing more comes for that request.
// `crashed`: nothing more comes for any request, and it is unknown whether pending requests were carried out.
// `opened`: the next engine serves. `forsaken` comes before that `opened` if stored data was lost or damaged.
// `rested`: nothing is pending any more, in the engine and in the world, and no fault is set.

/** A client's request. */
export interface Asked {
  /** Counts from 1 over the whole story. */
  readonly number: number;
  /** `polite1`, `rude2`, `evil1`: see clients/. */
  readonly client: string;
  readonly method: string;
  /** With version and query: `/v1.55/containers/create?name=anna`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As sent, JSON or not. Null if there is none, or if it is a stream (an archive). */
  readonly body: string | null;
}

/** The answer to it. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The whole body. Null if it is a stream, or if the connection was hijacked. */
  readonly body: string | null;
}

/** A container that a client would find now. */
export interface Found {
  readonly id: string;
  readonly name: string;
}

/** Ids of containers are whole. */
export type Fact =
  /** A run's process was started, and the host has told the engine. */
  | { readonly kind: "started"; readonly container: string; readonly run: number }
  /** It ended. The engine is being told, or has found this at its restart. */
  | { readonly kind: "exited"; readonly container: string; readonly run: number; readonly code: number }
  /** A host's command failed: `processes launch`, `content mount`. `container` is set if the command is about one. */
  | { readonly kind: "failed"; readonly command: string; readonly container: string | null; readonly why: string }
  /** The OCI runtimes from now on, and the default one, as in `GET /info`. */
  | { readonly kind: "offers"; readonly runtimes: readonly string[]; readonly usual: string }
  /** A commit failed: the engine restarts (an `opened` follows) as after a crash, but still answers open requests. */
  | { readonly kind: "unkept" };

/** A returned text says what is wrong, for a reader who sees the story. Null means that nothing is. */
export interface Oracle {
  asked(asked: Asked): void;
  answered(asked: Asked, answer: Answer): string | null;
  told(asked: Asked, piece: string): string | null;
  ended(asked: Asked): string | null;
  left(asked: Asked): void;
  happened(fact: Fact): string | null;
  crashed(): void;
  /** Nothing that was reported before need hold any more. Only these containers may exist now. */
  forsaken(there: readonly Found[]): void;
  opened(): string | null;
  rested(): string | null;
}
