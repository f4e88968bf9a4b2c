// Types for notations of requests: what the console accepts, and requests in other languages.

import type { WrittenRequest } from "../session/request.js";

/** A request of a command. It may wait for an earlier request's answer. */
export interface PlannedRequest extends WrittenRequest {
  /** The reason for the request: `create the container`. */
  readonly purpose: string;
  /**
   * Whether the next request is sent without waiting for this one: a long-running stream (attach, wait, followed logs).
   */
  readonly background: boolean;
  /** Whether to close it once the other requests are answered, because the command no longer needs it. */
  readonly aside?: boolean;
  /** Pulls the image if the answer is 404; the request is then sent again. */
  readonly pull?: PlannedRequest;
  /**
   * `absent`: sent only if the previous answer was 404. `always`: sent whatever the previous answer was. `runs`: sent
   * only if the previous answer described a running container.
   */
  readonly when?: "absent" | "always" | "runs";
  /** Whether its body is a tar of the page's folder. */
  readonly takesFolder?: boolean;
  /**
   * Number N of the request whose answer this one needs: `{{N.Id}}` in its path stands for that answer's `Id`. In any
   * other request the placeholder is ordinary text that somebody typed.
   */
  readonly about?: number;
  /**
   * Sends the request for each element of the list that request N answered with; `{{each.Id}}` in its path stands for
   * the element's `Id`.
   */
  readonly each?: number;
}

export type Parsed =
  | {
      ok: true;
      notation: "curl" | "docker" | "plain";
      requests: readonly PlannedRequest[];
      remarks: readonly string[];
      /** Text that it shows without a request: help. */
      text?: string;
      /** The command's output, made from the answers; missing if it is not known. */
      prints?: (answers: readonly unknown[]) => string;
      /** Whether to show the output because `--format` changes it. */
      formats?: boolean;
      /** It exits with the code of the container or process that it waits for. */
      exits?: boolean;
      /** Exit code if the engine refuses the request; 1 if not given. */
      refused?: number;
    }
  /** `at`: the word that was not understood. `code`: the shell's exit code, if not 1. */
  | { ok: false; message: string; at: string | null; code?: number };

export type Understood = Extract<Parsed, { ok: true }>;

/**
 * Parses a curl line, a docker command, or a plain `GET /path`. `version`, such as `1.41`, is used if the request names
 * none.
 */
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

/** Writes the request as a complete program in another language. */
export type Generate = (request: WrittenRequest, language: Language) => string;
