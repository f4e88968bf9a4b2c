// Calls on a client: a session is a connection on which the engine calls, and the client answers.

import { HostFailure } from "../shared/index.js";

/** The client has ended a call with an error. */
export class CallFailed extends HostFailure {
  constructor(
    /** Of gRPC (grpc, statuscodes.md). */
    readonly code: number,
    words: string,
  ) {
    super({ tag: "body-broke", val: words });
  }
}

/** A message is larger than may be. */
export class TooLarge extends Error {}

/** One call. Either side sends messages, in any order. */
export interface Conversation {
  /** Resolves when there is room for more. Rejects if the call is over. */
  send(message: Uint8Array): Promise<void>;
  /** Nothing more is sent. */
  finish(): void;
  /** The client's messages. Ends when the client ends the call; rejects if it failed, or if the connection broke off. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Ends the call before the client does. */
  cancel(): void;
}

/**
 * Begins a call: `path` is `/moby.filesync.v1.FileSync/DiffCopy`. A header may have several values. `largest`: bytes of a
 * message; `messages` rejects with `TooLarge` if one has more. Without it a larger one counts as the connection's end.
 */
export type Caller = (
  path: string,
  headers: Readonly<Record<string, readonly string[]>>,
  largest?: number,
) => Conversation;

/**
 * What is read from a call. Who stops reading ends the call at once, even while the client sends nothing: a generator alone
 * would wait for its next message first.
 */
export function readFrom<T>(
  begin: () => Conversation,
  read: (call: Conversation) => AsyncGenerator<T, void, undefined>,
): AsyncIterable<T> {
  let call: Conversation | null = null;
  async function* all(): AsyncGenerator<T, void, undefined> {
    const begun = (call = begin());
    try {
      yield* read(begun);
    } finally {
      begun.cancel();
    }
  }
  const pieces = all();
  const end = (): Promise<IteratorResult<T, void>> => {
    call?.cancel();
    return pieces.return();
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => pieces.next(), return: end }) };
}
