// Who is told of all that clients see, and says what of it cannot be true. The naive model (tests/model) is one: the
// simulator (simulation.ts) makes one of each kind of `oracles.ts` for every seed, tells it what happens in the order in
// which it happens, and fails with the first text that comes back. Nothing here knows the core: only requests,
// answers, and facts of the world that any client could learn.
//
// The order of calls. `asked` before the engine hears of a request. Then, in the world's order: `happened` for what
// becomes of processes and for what goes wrong; `answered` once for each request that is answered, with its whole body,
// or with its head alone if the body goes on (`wait`, `attach`, `logs?follow`, `events`, pull): then `told` for each
// piece, and `ended`. `left` when the client hung up: nothing of that request comes after. `crashed`: nothing of any
// request comes after, and whether what was under way was done nobody knows; `opened` when the next engine serves.
// `forsaken` comes before that `opened` if what was told to be kept is lost or damaged.
// `rested`: nothing is under way any more, in engine and world, and no fault is set.

/** What a client asks. */
export interface Asked {
  /** Counts from 1 over the whole story. */
  readonly number: number;
  /** `polite1`, `rude2`, `evil1`: see clients/. */
  readonly client: string;
  readonly method: string;
  /** With version and query: `/v1.55/containers/create?name=anna`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As sent: JSON or not; null for none, and for a stream (an archive). */
  readonly body: string | null;
}

/** What it is told. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The whole body; null if it goes on or was taken off HTTP. */
  readonly body: string | null;
}

/** As anybody would be told who asks now. */
export interface Found {
  readonly id: string;
  readonly name: string;
}

/** Ids of containers are whole. */
export type Fact =
  /** A run's process was started: the host has told the engine. */
  | { readonly kind: "started"; readonly container: string; readonly run: number }
  /** It ended: the engine is being told, or has found it so at its restart. */
  | { readonly kind: "exited"; readonly container: string; readonly run: number; readonly code: number }
  /** The host could not do something: `processes launch`, `content mount`; `container` where it is about one. */
  | { readonly kind: "failed"; readonly command: string; readonly container: string | null; readonly why: string }
  /** OCI runtimes that there are from now on, and which of them whoever asks for none has: as `GET /info` says. */
  | { readonly kind: "offers"; readonly runtimes: readonly string[]; readonly usual: string }
  /** Records were not kept: the engine starts afresh (an `opened` follows), as after a crash but for those it tells. */
  | { readonly kind: "unkept" };

/** The texts say what is wrong, for a reader who sees the story; null for nothing. */
export interface Oracle {
  asked(asked: Asked): void;
  answered(asked: Asked, answer: Answer): string | null;
  told(asked: Asked, piece: string): string | null;
  ended(asked: Asked): string | null;
  left(asked: Asked): void;
  happened(fact: Fact): string | null;
  crashed(): void;
  /** Of what was told before nothing need hold. Those containers may be there now, and no others. */
  forsaken(there: readonly Found[]): void;
  opened(): string | null;
  rested(): string | null;
}
