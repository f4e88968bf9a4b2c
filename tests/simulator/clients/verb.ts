// The types of verbs: the words of a story's lines, and the requests that they make.

import type { Answer } from "../oracle.js";
import type { Acquaintances } from "./acquaintances.js";

/** What clients have learned from answers and later lines can use. */
export interface Visible {
  /** Id of the last container created with this name. */
  readonly ids: Map<string, string>;
  /** Containers that may exist. */
  readonly acquaintances: Acquaintances;
  /** Execs, the newest last. */
  readonly execs: string[];
  /** The newest result of each build that its client directs, by the build's ref. */
  readonly results: Map<string, string>;
  /** An archive for `docker load`. */
  archive(image: string): Uint8Array;
  /** A small tar for `docker cp`, and one that has a file in the place of the first one's directory. */
  readonly tar: Uint8Array;
  readonly clash: Uint8Array;
  /** Seconds since 1970, by the world's clock. */
  readonly now: () => number;
}

/** The most bytes of a JSON body. A larger one arrives as `oversized`. */
export const BODY_LIMIT = 4 * 1024 * 1024;

export type Heard = Pick<Answer, "status" | "body">;

export interface Sent {
  method: string;
  target: string;
  headers?: Record<string, string>;
  body?: string;
  archive?: Uint8Array;
  /** It is a call on the client's connection for calls. */
  isCall?: true;
  /** Learns from an answer. */
  learn?: (answer: Heard) => void;
  /** The line that the client plays after the answer, before all others. */
  next?: (answer: Heard) => string | null;
}

export interface Verb {
  /** Makes the request, or returns null if there is nothing to ask. */
  send: (args: string[], visible: Visible) => Sent | null;
  /** Its answer is a stream, and no client waits for the end. */
  goesOn?: true;
  /** Its first argument is a container. */
  isAboutOne?: true;
}

/** A request about one container. */
export function about(method: string, what: string, query: (argument: string | undefined) => string = () => ""): Verb {
  return {
    send: ([ref = "", argument], visible) => ask(method, `/containers/${named(ref, visible)}/${what}`, query(argument)),
    isAboutOne: true,
  };
}

/** `anna`: by name; `#anna`: by the last known id; `#anna:8`: by the first 8 digits of that. */
export function named(ref: string, { ids }: Visible): string {
  if (!ref.startsWith("#")) return ref;
  const [name = "", length] = ref.slice(1).split(":");
  return (ids.get(name) ?? NOBODY).slice(0, length === undefined ? undefined : Number(length));
}

const NOBODY = "0".repeat(64);

export function ask(method: string, path: string, query = ""): Sent {
  return { method, target: `/v1.55${path}${query === "" ? "" : `?${query}`}` };
}
