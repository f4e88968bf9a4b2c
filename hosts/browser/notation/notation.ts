// Requests in other notations: what can be typed into the console, and what a request is in other languages.

import type { WrittenRequest } from "../session/request.js";

/** A request of a command, maybe waiting for an earlier one's answer. */
export interface PlannedRequest extends WrittenRequest {
  /** Why it is sent: `create the container`. */
  readonly purpose: string;
  /** Not waited for before the next one is sent: a stream that goes on (attach, wait, logs that follow). */
  readonly background: boolean;
  /** Closed once the other requests are answered: the command needs it no longer than that. */
  readonly aside?: boolean;
  /** Pulls the image without which the answer is 404; the request is then sent again. */
  readonly pull?: PlannedRequest;
  /**
   * `absent`: sent only where the one before was answered 404. `always`: sent whatever the one before came to.
   * `runs`: sent only where the one before told of a container that runs.
   */
  readonly when?: "absent" | "always" | "runs";
  /**
   * It is about what request N of the command answered with: `{{N.Id}}` in its path stands for that answer's `Id`. In
   * any other request those are letters like others: somebody has typed them.
   */
  readonly about?: number;
  /** Sent for each element of the list that request N answered with; `{{each.Id}}` in its path stands for its `Id`. */
  readonly each?: number;
}

export type Parsed =
  | {
      ok: true;
      notation: "curl" | "docker" | "plain";
      requests: readonly PlannedRequest[];
      remarks: readonly string[];
      /** What it shows by itself: help. */
      text?: string;
      /** What the command prints, from its requests' answers; not there where that is not known. */
      prints?: (answers: readonly unknown[]) => string;
      /** What it prints is not what is answered, but what its `--format` makes of that: it is shown. */
      formats?: boolean;
      /** It ends as the container or process ended that it waits for. */
      exits?: boolean;
      /** What it ends with where the engine refuses it; 1 if not said. */
      refused?: number;
    }
  /** `at`: the word that was not understood. `code`: what a shell ends with, if not 1. */
  | { ok: false; message: string; at: string | null; code?: number };

export type Understood = Extract<Parsed, { ok: true }>;

/** A curl line, a docker command, or `GET /path` as it stands. `version` is spoken where none is said: `1.41`. */
export type Parse = (text: string, version: string) => Parsed;

export type Language = "curl" | "curl-old" | "go" | "python" | "typescript" | "fetch";

export const LANGUAGES: readonly { language: Language; label: string }[] = [
  { language: "curl", label: "curl" },
  { language: "curl-old", label: "curl (old notation)" },
  { language: "go", label: "Go" },
  { language: "python", label: "Python" },
  { language: "typescript", label: "TypeScript (dockerode)" },
  { language: "fetch", label: "TypeScript (engine.fetch)" },
];

/** The request in another language, whole and ready to run. */
export type Generate = (request: WrittenRequest, language: Language) => string;
