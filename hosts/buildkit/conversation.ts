// Calls on a client: a session is a connection on which the engine calls, and the client answers.

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

/** Begins a call: `path` is `/moby.filesync.v1.FileSync/DiffCopy`. A header may have several values. */
export type Caller = (path: string, headers: Readonly<Record<string, readonly string[]>>) => Conversation;
